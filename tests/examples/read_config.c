/* The sampling that a model's author recommends: read it from a generation_config.json and from the head of a GGUF file (which comes
   second and so wins), say what they ask for in vain, print the chain that results, and pick with it.
     read_config generation_config.json model.gguf */
#include <gsample/gsample.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* read_text(const char* path, size_t* n) {
  FILE* file = fopen(path, "rb");
  char* text = malloc(1 << 20);
  if (!file || !text) return NULL;
  *n = fread(text, 1, 1 << 20, file);
  fclose(file);
  return text;
}

/* A status below 0 is an error; above 0 it counts what was not honoured, and the message names it. */
static int report(const char* path, int32_t status, const gsample_error* error) {
  if (status < 0) fprintf(stderr, "%s: %s: %s\n", path, gsample_status_name(status), error->message);
  if (status > 0) printf("%s: %s\n", path, error->message);
  return status >= 0;
}

static int print_chain(const gsample_params* params) {
  int64_t size = gsample_params_describe(params, NULL, 0);
  char* text = malloc(size);
  char* pair;
  if (!text || gsample_params_describe(params, text, size) < 0) return 0;
  for (pair = strtok(text, " "); pair; pair = strtok(NULL, " ")) printf("  %s\n", pair);
  free(text);
  return 1;
}

static int pick(const gsample_params* params) {
  static const float logits[] = {1.5f, 3.25f, -2, 3, 0.5f, 2.75f, 3.125f, -7};
  gsample_error error = {sizeof error, 0, 0, 0, ""};
  gsample_sampler* sampler = NULL;
  int i, ok = gsample_new(params, &sampler, &error) == GSAMPLE_OK;
  if (!ok) fprintf(stderr, "%s\n", error.message);
  if (ok) printf("picks:");
  for (i = 0; i < 8 && ok; i++) {
    int32_t token = gsample_pick(sampler, logits, sizeof logits / sizeof *logits);
    printf(" %d", token);
    ok = token >= 0;
  }
  if (ok) printf("\n");
  gsample_free(sampler);
  return ok;
}

int main(int argc, char** argv) {
  gsample_params params;
  gsample_error error = {sizeof error, 0, 0, 0, ""};
  char* json;
  size_t n;
  int ok;
  if (argc != 3 || !(json = read_text(argv[1], &n))) {
    fprintf(stderr, "usage: read_config generation_config.json model.gguf\n");
    return 2;
  }
  params.size = sizeof params;
  gsample_params_init(&params);
  params.seed = 42;
  ok = report(argv[1], gsample_params_from_generation_config(&params, json, n, &error), &error) &&
       report(argv[2], gsample_params_from_gguf_file(&params, argv[2], &error), &error) && print_chain(&params) && pick(&params);
  free(json);
  return ok ? 0 : 1;
}
