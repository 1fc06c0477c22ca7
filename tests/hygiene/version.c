/* Prints what the linked library says its version is, if that is also what the header says. */
#include <gsample/gsample.h>
#include <stdio.h>

int main(void) {
  if (gsample_version() != (uint32_t)GSAMPLE_VERSION_NUMBER) return 1;
  puts(gsample_version_string());
  return 0;
}
