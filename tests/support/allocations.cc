// operator new as the tests of memory want it: see allocations.h. The library allocates by nothing else.
#include "allocations.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

size_t made = 0, held = 0;
size_t bytes = 0, peak = 0;
size_t left = SIZE_MAX;  // until one fails
bool failed = false;

void* allocate(size_t size) noexcept {
  made++;
  if (left != SIZE_MAX && left-- == 0) {
    left = SIZE_MAX;
    failed = true;
    return nullptr;
  }
  void* memory = std::malloc(size ? size : 1);
  held += memory != nullptr;
  bytes += malloc_usable_size(memory);
  peak = std::max(peak, bytes);
  return memory;
}

void* allocate_or_throw(size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) noexcept {
  held -= memory != nullptr;
  bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return allocate_or_throw(size); }
void* operator new[](size_t size) { return allocate_or_throw(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

size_t allocations_made(void) { return made; }
size_t allocations_held(void) { return held; }
size_t allocations_bytes(void) { return bytes; }
size_t allocations_peak(void) { return peak; }
void allocations_forget_peak(void) { peak = bytes; }
void allocations_fail_after(size_t n) {
  failed = false;
  left = n;
}
int allocations_stop_failing(void) {
  left = SIZE_MAX;
  return failed;
}
