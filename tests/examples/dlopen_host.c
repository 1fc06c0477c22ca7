/* hello.c by a host that is not linked to gsample: it loads the library by its path and knows one symbol, gsample_get_api. Everything
   else is reached through the table, once its major version and its size have been checked. */
#include <dlfcn.h>
#include <gsample/gsample.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

enum { N_VOCAB = 32000, N_TOKENS = 32 };

static const gsample_api* load(const char* path, void** library) {
  typedef const gsample_api* (*get_api_function)(uint32_t abi_major);
  get_api_function get_api;
  const gsample_api* api;
  void* symbol;
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  symbol = *library ? dlsym(*library, "gsample_get_api") : NULL;
  if (!symbol) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  memcpy(&get_api, &symbol, sizeof get_api); /* what POSIX promises and ISO C has no cast for */
  api = get_api(GSAMPLE_ABI_MAJOR);
  if (!api) {
    fprintf(stderr, "%s: not ABI %d\n", path, GSAMPLE_ABI_MAJOR);
  } else if (api->size < sizeof *api) {
    fprintf(stderr, "%s: version %s is older than this program, which needs %d.%d\n", path, api->gsample_version_string(),
            GSAMPLE_VERSION_MAJOR, GSAMPLE_VERSION_MINOR);
    api = NULL;
  }
  return api;
}

int main(int argc, char** argv) {
  static float logits[N_VOCAB];
  gsample_error error = {.size = sizeof error};
  gsample_params params = {.size = sizeof params};
  gsample_sampler* sampler = NULL;
  const gsample_api* api;
  void* library = NULL;
  int i;

  if (argc != 2 || !(api = load(argv[1], &library))) return 1;
  api->gsample_params_init(&params);
  params.seed = 42;
  params.temperature = 0.8f;
  params.top_k = 40;
  params.penalty_repeat = 1.1f;
  if (api->gsample_new(&params, &sampler, &error) < 0) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (i = 0; i < N_TOKENS; i++) {
    int32_t token;
    rows_fill(logits, N_VOCAB, "cubic", 7, (uint64_t)i);
    token = api->gsample_pick(sampler, logits, N_VOCAB);
    if (token < 0) {
      fprintf(stderr, "%s\n", api->gsample_status_name(token));
      return 1;
    }
    printf("%d\n", (int)token);
  }
  api->gsample_free(sampler);
  return dlclose(library);
}
