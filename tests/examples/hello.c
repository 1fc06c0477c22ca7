/* The same in C, C++ (hello.cpp) and through dlopen (dlopen_host.c): a sampler picks 32 tokens from rows of made-up logits. */
#include <gsample/gsample.h>
#include <stdio.h>

#include "rows.h"

enum { N_VOCAB = 32000, N_TOKENS = 32 };

int main(void) {
  static float logits[N_VOCAB];
  gsample_error error = {.size = sizeof error};
  gsample_params params = {.size = sizeof params};
  gsample_sampler* sampler = NULL;
  int i;

  gsample_params_init(&params);
  params.seed = 42;
  params.temperature = 0.8f;
  params.top_k = 40;
  params.penalty_repeat = 1.1f;
  if (gsample_new(&params, &sampler, &error) < 0) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (i = 0; i < N_TOKENS; i++) {
    int32_t token;
    rows_fill(logits, N_VOCAB, "cubic", 7, (uint64_t)i); /* a model would do this */
    token = gsample_pick(sampler, logits, N_VOCAB);
    if (token < 0) {
      fprintf(stderr, "%s\n", gsample_status_name(token));
      return 1;
    }
    printf("%d\n", (int)token);
  }
  gsample_free(sampler);
  return 0;
}
