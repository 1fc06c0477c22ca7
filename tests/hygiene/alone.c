/* The header needs nothing before it and may come twice; no identifier outside gsample_ and GSAMPLE_ is in the way of a caller. Compiled
   as strict C99 and, by alone.cc, as C++20, with every warning an error. */
#include <gsample/gsample.h>
#include <gsample/gsample.h>

int main(void) {
  gsample_params params = {.size = sizeof params};
  return params.size == sizeof(gsample_params) ? 0 : 1;
}
