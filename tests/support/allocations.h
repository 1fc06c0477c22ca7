/* Every allocation of a program that links allocations.cc and the library statically: counted, and one of them made to fail. */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocations so far, and how many of them have not been freed. */
size_t allocations_made(void);
size_t allocations_held(void);

/* Bytes that have not been freed, and the most that there ever were since the last call of allocations_forget_peak. */
size_t allocations_bytes(void);
size_t allocations_peak(void);
void allocations_forget_peak(void);

/* Lets n more allocations through, fails the next one, and lets all others through again. */
void allocations_fail_after(size_t n);
/* No failure any more. Returns 1 if there was one since. */
int allocations_stop_failing(void);

#ifdef __cplusplus
}
#endif
#endif
