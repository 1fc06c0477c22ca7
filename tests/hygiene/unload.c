/* A host that loads and unloads the library 1000 times has as much memory in use afterwards as after the first time, with a sampler made,
   used and freed in between and an error thrown inside. argv[1]: the library's path; argv[2]: that of a library that does nothing, whose
   loading makes glibc allocate what it keeps for any. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gsample/gsample.h>
#include <malloc.h>
#include <stdio.h>

static int use(const char* path) {
  static const float logits[] = {1, 3, 2};
  typedef const gsample_api* (*get_api_function)(uint32_t);
  get_api_function get_api;
  const gsample_api* api;
  gsample_params params = {.size = sizeof params};
  gsample_error error = {.size = sizeof error};
  gsample_sampler* sampler = NULL;
  int ok;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  *(void**)&get_api = dlsym(library, "gsample_get_api");
  api = get_api ? get_api(GSAMPLE_ABI_MAJOR) : NULL;
  ok = api && api->gsample_params_init(&params) == 0 && api->gsample_params_set(&params, "top_k", "a lot", &error) < 0 &&
       api->gsample_new(&params, &sampler, &error) == 0 && api->gsample_pick(sampler, logits, 3) >= 0;
  if (api) api->gsample_free(sampler);
  if (dlclose(library)) ok = 0;
  if (dlopen(path, RTLD_NOW | RTLD_NOLOAD)) {
    fprintf(stderr, "the library stays after dlclose\n");
    ok = 0;
  }
  return ok;
}

int main(int argc, char** argv) {
  size_t first, last;
  int i;
  if (argc != 3) return 1;
  for (i = 0; i < 2; i++) {
    void* nothing = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!nothing || dlclose(nothing)) return 1;
  }
  if (!use(argv[1])) return 1;
  first = mallinfo2().uordblks;
  for (i = 1; i < 1000; i++)
    if (!use(argv[1])) return 1;
  last = mallinfo2().uordblks;
  printf("in use after the first load: %zu bytes, after 1000: %zu\n", first, last);
  return first == last ? 0 : 1;
}
