/* Memory between two pages that nobody may touch: a read or write one byte before or behind it ends the test. */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
  unsigned char* pages; /* page, data, page */
  size_t n_data, n_all;
} guarded;

/* Room for n bytes. */
static inline guarded guarded_new(size_t n) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  guarded g;
  g.n_data = (n + page - 1) / page * page + (n == 0 ? page : 0);
  g.n_all = g.n_data + 2 * page;
  g.pages = (unsigned char*)mmap(NULL, g.n_all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (g.pages == MAP_FAILED || mprotect(g.pages, page, PROT_NONE) || mprotect(g.pages + page + g.n_data, page, PROT_NONE)) abort();
  return g;
}

static inline void guarded_free(guarded g) { munmap(g.pages, g.n_all); }

/* The n bytes right behind the first page, or right before the last one. n <= the n of guarded_new. */
static inline void* guarded_first(guarded g) { return g.pages + (g.n_all - g.n_data) / 2; }
static inline void* guarded_last(guarded g, size_t n) { return g.pages + (g.n_all - g.n_data) / 2 + g.n_data - n; }

#endif
