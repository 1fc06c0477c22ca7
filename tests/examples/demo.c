/* The demo: gsample picks from rows of logits that a real model gave while it answered a question. Uses nothing but the public header.
   argv[1]: tests/data/smollm2.bin. Fails if greedy does not give the model's own answer. */
#define _POSIX_C_SOURCE 199309L
#include <gsample/gsample.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fixture.h"

static fixture model;

static void check(int32_t result, const char* what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", what, gsample_status_name(result));
  exit(1);
}

static gsample_sampler* new_sampler(const gsample_params* params) {
  gsample_error error = {.size = sizeof error};
  gsample_sampler* sampler = NULL;
  if (gsample_new(params, &sampler, &error) < 0) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  return sampler;
}

static gsample_params greedy(void) {
  gsample_params params = {.size = sizeof params};
  gsample_params_init(&params);
  params.temperature = 0;
  return params;
}

static gsample_params chain(float temperature, uint64_t seed) {
  gsample_params params = {.size = sizeof params};
  gsample_params_init(&params);
  params.top_k = 40;
  params.top_p = 0.95f;
  params.min_p = 0.05f;
  params.temperature = temperature;
  params.seed = seed;
  return params;
}

/* Row i as the file has it: halves, not copied. */
static gsample_row row_at(uint32_t i) {
  gsample_row row = {.size = sizeof row, .dtype = GSAMPLE_F16, .n_vocab = model.n_vocab};
  row.logits = model.rows + (size_t)(i % model.n_rows) * model.n_vocab;
  return row;
}

static void print_token(int32_t token, int quoted) {
  uint64_t i;
  if (quoted) putchar('"');
  for (i = model.offsets[token]; i < model.offsets[token + 1]; i++) {
    int c = model.bytes[i];
    if (quoted && c == '\n')
      fputs("\\n", stdout);
    else
      putchar(c);
  }
  if (quoted) putchar('"');
}

/* The answer, token by token, as an engine would: pick, show, go on. Here the row of the next step is recorded. */
static int show_answer(void) {
  gsample_params params = greedy();
  gsample_sampler* sampler = new_sampler(&params);
  uint32_t i, same = 0;
  printf("The prompt, and the answer that greedy picks:\n\n");
  for (i = 0; i < model.n_prompt; i++) print_token(model.prompt[i], 0);
  for (i = 0; i < model.n_rows; i++) {
    gsample_row row = row_at(i);
    int32_t token = gsample_pick_row(sampler, &row, NULL);
    check(token, "gsample_pick_row");
    print_token(token, 0);
    same += token == model.answer[i];
  }
  printf("\n\n%u of %u tokens are those that the model chose when it was recorded.\n", same, model.n_rows);
  gsample_free(sampler);
  return same == model.n_rows;
}

/* What a pick would draw from at some steps, and what samplers with seeds 1 to 6 do draw. */
static void show_candidates(void) {
  static const uint32_t steps[] = {0, 4, 5, 7, 11};
  gsample_dist* dist = NULL;
  size_t s;
  check(gsample_dist_new(&dist), "gsample_dist_new");
  printf("\nWhat is drawn from (top_k 40, top_p 0.95, min_p 0.05, temperature 1.5), and what seeds 1 to 6 draw:\n\n");
  for (s = 0; s < sizeof steps / sizeof *steps; s++) {
    gsample_row row = row_at(steps[s]);
    gsample_params params = chain(1.5f, 0);
    gsample_sampler* sampler = new_sampler(&params);
    size_t i, n;
    uint64_t seed;
    check(gsample_dist_from_row(dist, sampler, &row), "gsample_dist_from_row");
    gsample_free(sampler);
    n = gsample_dist_size(dist);
    printf("  step %2u: ", steps[s]);
    for (i = 0; i < n && i < 4; i++) {
      int32_t token = gsample_dist_ids(dist)[i];
      print_token(token, 1);
      printf(" %.3f  ", gsample_dist_chance(dist, token));
    }
    if (n > 4) printf("and %zu more", n - 4);
    printf("\n           drawn:");
    for (seed = 1; seed <= 6; seed++) {
      int32_t token;
      params.seed = seed;
      sampler = new_sampler(&params);
      token = gsample_pick_row(sampler, &row, NULL);
      check(token, "gsample_pick_row");
      putchar(' ');
      print_token(token, 1);
      gsample_free(sampler);
    }
    putchar('\n');
  }
  gsample_dist_free(dist);
}

/* A constraint by callbacks: only tokens that consist of digits. It keeps no state, so accepting changes nothing. */
static int32_t digits_allows(void* user, int32_t token) {
  uint64_t i, begin = model.offsets[token], end = model.offsets[token + 1];
  (void)user;
  for (i = begin; i < end; i++)
    if (model.bytes[i] < '0' || model.bytes[i] > '9') return 0;
  return end > begin;
}

static int32_t accept_any(void* user, int32_t token) {
  (void)user, (void)token;
  return 0;
}

/* Where the token that was drawn is refused, the others are searched. What first bytes allowed ones have makes that search ask about few. */
static int32_t digits_first_bytes(void* user, uint8_t table[256]) {
  int byte;
  (void)user;
  for (byte = 0; byte < 256; byte++) table[byte] = byte >= '0' && byte <= '9';
  return 0;
}

static int32_t first_byte(void* user, int32_t token) {
  (void)user;
  return model.offsets[token] < model.offsets[token + 1] ? model.bytes[model.offsets[token]] : GSAMPLE_ERROR_INVALID_ARGUMENT;
}

/* All allowed tokens at once, for GSAMPLE_CONSTRAINT_MASK_FIRST. `user` holds them. */
static int32_t digits_mask(void* user, uint32_t* words, size_t n_words) {
  memcpy(words, user, n_words * sizeof *words);
  return 0;
}

/* Another constraint, one that is seldom in the way: no line breaks. */
static int32_t one_line_allows(void* user, int32_t token) {
  (void)user;
  return !memchr(model.bytes + model.offsets[token], '\n', model.offsets[token + 1] - model.offsets[token]);
}

static gsample_constraint digits(void) {
  gsample_constraint constraint = {.size = sizeof constraint};
  constraint.allows = digits_allows;
  constraint.accept = accept_any;
  constraint.first_bytes = digits_first_bytes;
  constraint.first_byte = first_byte;
  return constraint;
}

static void show_constraint(void) {
  gsample_constraint constraint = digits();
  gsample_params params = greedy();
  uint64_t seed;
  printf("\nThe same rows with a constraint, digits only. Greedy and seeds 1 to 3:\n\n");
  for (seed = 0; seed <= 3; seed++) {
    gsample_sampler* sampler;
    uint32_t i;
    if (seed) params = chain(1.5f, seed);
    sampler = new_sampler(&params);
    check(gsample_constrain(sampler, &constraint), "gsample_constrain");
    printf("  ");
    for (i = 0; i < model.n_rows; i++) {
      gsample_row row = row_at(i);
      int32_t token = gsample_pick_row(sampler, &row, NULL);
      check(token, "gsample_pick_row");
      print_token(token, 0);
    }
    putchar('\n');
    gsample_free(sampler);
  }
}

/* The floor: no sampler reads a row faster than a plain reduction by maximum does, compiled for the best vectors of the machine. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
static float
maximum(const float* logits, size_t n) {
  enum { LANES = 64 };
  float lanes[LANES], most = -INFINITY;
  size_t i, lane;
  for (lane = 0; lane < LANES; lane++) lanes[lane] = -INFINITY;
  for (i = 0; i + LANES <= n; i += LANES)
    for (lane = 0; lane < LANES; lane++) lanes[lane] = lanes[lane] > logits[i + lane] ? lanes[lane] : logits[i + lane];
  for (; i < n; i++) most = most > logits[i] ? most : logits[i];
  for (lane = 0; lane < LANES; lane++) most = most > lanes[lane] ? most : lanes[lane];
  return most;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) { return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b); }

static void time_chain(const char* name, const gsample_params* params, const gsample_constraint* constraint, const float* rows) {
  enum { PICKS = 1300, WARM = 100 };
  static double pick[PICKS], floors[PICKS];
  volatile float sink = 0; /* the compiler may not drop the work */
  gsample_sampler* sampler = new_sampler(params);
  int i;
  check(gsample_seed(sampler, model.prompt, model.n_prompt), "gsample_seed");
  if (constraint) check(gsample_constrain(sampler, constraint), "gsample_constrain");
  for (i = -WARM; i < PICKS; i++) {
    size_t step = (size_t)(i + WARM);
    const float* row = rows + step % model.n_rows * model.n_vocab;
    const float* other = rows + (step + model.n_rows / 2) % model.n_rows * model.n_vocab;
    double start = now(), middle, end;
    int32_t token = gsample_pick(sampler, row, model.n_vocab);
    middle = now();
    sink += maximum(other, model.n_vocab);
    end = now();
    check(token, "gsample_pick");
    if (i >= 0) pick[i] = middle - start, floors[i] = end - middle;
  }
  qsort(pick, PICKS, sizeof *pick, by_value);
  qsort(floors, PICKS, sizeof *floors, by_value);
  printf("  %-58s %9.1f us %6.2f x floor\n", name, pick[PICKS / 2] / 1e3, pick[PICKS / 2] / floors[PICKS / 2]);
  gsample_free(sampler);
}

static void show_times(void) {
  float* rows = malloc(sizeof *rows * model.n_rows * model.n_vocab);
  uint32_t* words = calloc(model.n_vocab / 32 + 1, sizeof *words);
  gsample_constraint one_line = {.size = sizeof one_line, .allows = one_line_allows, .accept = accept_any};
  gsample_constraint only_digits = {.size = sizeof only_digits, .user = words, .allows = digits_allows, .accept = accept_any};
  gsample_params params;
  uint32_t i;
  if (!rows || !words) exit(1);
  for (i = 0; i < model.n_rows; i++) fixture_row(&model, i, rows + (size_t)i * model.n_vocab);
  for (i = 0; i < model.n_vocab; i++) words[i / 32] |= (uint32_t)digits_allows(NULL, (int32_t)i) << i % 32;
  only_digits.mask = digits_mask;
  printf("\nTime per pick (median; 13 f32 rows in rotation, which the cache holds) and against the floor, a plain maximum of such a row:\n\n");
  params = greedy();
  time_chain("greedy", &params, NULL, rows);
  params = chain(0.8f, 1);
  time_chain("top_k 40, top_p 0.95, min_p 0.05, temperature 0.8", &params, NULL, rows);
  time_chain("  with a constraint that allows what is drawn", &params, &one_line, rows);
  params.constraint_mode = GSAMPLE_CONSTRAINT_MASK_FIRST;
  time_chain("  with a constraint to digits, as a mask", &params, &only_digits, rows);
  params.constraint_mode = GSAMPLE_CONSTRAINT_LAZY;
  params.penalty_repeat = 1.1f;
  time_chain("  with penalties (64 tokens, 1.1)", &params, NULL, rows);
  params = chain(1, 1);
  params.top_k = 0, params.min_p = 0;
  time_chain("top_p 0.95 over the whole row, temperature 1", &params, NULL, rows);
  free(words);
  free(rows);
}

int main(int argc, char** argv) {
  int same;
  if (argc != 2 || fixture_load(&model, argv[1])) {
    fprintf(stderr, "usage: demo tests/data/smollm2.bin\n");
    return 1;
  }
  printf("gsample %s (%s): %u rows of %u logits, recorded from SmolLM2-135M-Instruct.\n\n", gsample_version_string(), gsample_target(),
         model.n_rows, model.n_vocab);
  same = show_answer();
  show_candidates();
  show_constraint();
  show_times();
  fixture_free(&model);
  return same ? 0 : 1;
}
