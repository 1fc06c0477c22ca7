// The header as strict C++20: see alone.c.
#include <gsample/gsample.h>
#include <gsample/gsample.h>

int main() {
  gsample_params params{};
  params.size = sizeof params;
  return params.size == sizeof(gsample_params) ? 0 : 1;
}
