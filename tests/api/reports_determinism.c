/* Reports about seeds, batches and copies; see reports_top_k.c. Left out: 116's hash of a row, so that a user can show that the logits
   differed, which this library does not offer; 127's numbering of parallel answers: a sequence is a sampler with a seed of its own. */
#include "sampler_support.h"

enum { N = 64, STEPS = 40 };

static void fill(float* row, int which) {
  int i;
  for (i = 0; i < N; i++) row[i] = (float)((i * 29 + which * 17) % N) * .05f;
}

static gsample_sampler* seeded(uint64_t seed) {
  gsample_params params = plain_params();
  params.seed = seed, params.temperature = .9f, params.top_p = .98f;
  return make(&params);
}

/* Row A of a batch, whatever row B is. */
static void report_114_a_neighbour_changes_nothing(void** state) {
  int32_t alone[STEPS];
  int other, step;
  float a[N], b[N];
  gsample_sampler* s = seeded(42);
  (void)state;
  for (step = 0; step < STEPS; step++) fill(a, step), alone[step] = gsample_pick(s, a, N);
  gsample_free(s);
  for (other = 0; other < 4; other++) {
    gsample_sampler *x = seeded(42), *y = seeded(other ? 7 : 0);
    for (step = 0; step < STEPS; step++) {
      int32_t tokens[2];
      gsample_sequence both[2] = {{.size = sizeof *both, .n_vocab = N, .n_rows = 1, .sampler = x, .logits = a, .tokens = &tokens[0]},
                                  {.size = sizeof *both, .n_vocab = N, .n_rows = 1, .sampler = y, .logits = b, .tokens = &tokens[1]}};
      fill(a, step), fill(b, step + other);
      if (other == 3) b[5] = NAN; /* a row that fails */
      assert_int_equal(gsample_decide(both, 2, NULL, NULL), other == 3);
      assert_int_equal(tokens[0], alone[step]);
    }
    gsample_free(x), gsample_free(y);
  }
}

static void report_115_the_order_of_a_batch_changes_nothing(void** state) {
  int order, i, step;
  int32_t expected[8][STEPS];
  (void)state;
  for (order = 0; order < 4; order++) {
    gsample_sampler* s[8];
    for (i = 0; i < 8; i++) s[i] = seeded((uint64_t)i);
    for (step = 0; step < STEPS; step++) {
      float rows[8][N];
      int32_t tokens[8];
      gsample_sequence sequences[8];
      for (i = 0; i < 8; i++) {
        const int who = order % 2 ? (i * 3 + order) % 8 : (i + order) % 8;
        const gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 1, .sampler = s[who], .logits = rows[who], .tokens = &tokens[who]};
        fill(rows[who], step + who);
        sequences[i] = one;
      }
      assert_int_equal(gsample_decide(sequences, 8, NULL, NULL), 0);
      for (i = 0; i < 8; i++) {
        if (order == 0) expected[i][step] = tokens[i];
        assert_int_equal(tokens[i], expected[i][step]);
      }
    }
    for (i = 0; i < 8; i++) gsample_free(s[i]);
  }
}

/* 64 sequences at once have the logprobs that each has by itself. */
static void report_116_logprobs_do_not_depend_on_the_load(void** state) {
  enum { SEQUENCES = 64 };
  static float rows[SEQUENCES][N];
  gsample_sequence sequences[SEQUENCES];
  gsample_choice choices[SEQUENCES];
  int32_t tokens[SEQUENCES];
  int i;
  (void)state;
  for (i = 0; i < SEQUENCES; i++) {
    const gsample_choice choice = {.size = sizeof choice, .logprob_mode = 1 + (uint32_t)i % 3};
    const gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 1, .sampler = seeded((uint64_t)i), .logits = rows[i],
                                  .tokens = &tokens[i], .choices = &choices[i]};
    fill(rows[i], i);
    choices[i] = choice;
    sequences[i] = one;
  }
  assert_int_equal(gsample_decide(sequences, SEQUENCES, NULL, NULL), 0);
  for (i = 0; i < SEQUENCES; i++) {
    gsample_sampler* s = seeded((uint64_t)i);
    const gsample_row row = row_of(rows[i], N);
    gsample_choice choice = {.size = sizeof choice, .logprob_mode = 1 + (uint32_t)i % 3};
    assert_int_equal(gsample_pick_row(s, &row, &choice), tokens[i]);
    assert_memory_equal(&choice.logprob, &choices[i].logprob, sizeof(double));
    gsample_free(s), gsample_free(sequences[i].sampler);
  }
}

static void report_118_reset_is_as_after_new(void** state) {
  gsample_sampler *s = seeded(9), *fresh;
  float row[N];
  int round, step;
  (void)state;
  for (round = 0; round < 3; round++) {
    const saved now = save_of(s);
    fresh = seeded(9);
    expect_unmoved(fresh, now);
    for (step = 0; step < 10; step++) fill(row, step), assert_int_equal(gsample_pick(s, row, N), gsample_pick(fresh, row, N));
    assert_int_equal(gsample_reset(s), 0);
    gsample_free(fresh);
    free(now.bytes);
  }
  gsample_free(s);
}

/* Greedy repeats across calls; what a model computes anew may differ, what a sampler makes of it not. */
static void report_121_greedy_repeats(void** state) {
  gsample_params params = plain_params();
  gsample_sampler *a, *b;
  float row[N];
  int step;
  (void)state;
  params.temperature = 0, params.seed = 1;
  a = make(&params);
  params.seed = 2;
  b = make(&params);
  for (step = 0; step < STEPS; step++) {
    fill(row, step);
    row[11] = row[5] = row[40] = 7; /* an exact tie */
    assert_int_equal(gsample_pick(a, row, N), 5);
    assert_int_equal(gsample_pick(b, row, N), 5);
  }
  gsample_free(a), gsample_free(b);
}

static void report_122_no_generator_is_shared(void** state) {
  gsample_sampler *a = seeded(5), *b = seeded(5), *c = seeded(6);
  float row[N];
  int i;
  (void)state;
  for (i = 0; i < STEPS; i++) {
    int32_t first;
    fill(row, i);
    first = gsample_pick(a, row, N);
    gsample_uniform(c);
    gsample_pick(c, row, N);
    assert_int_equal(gsample_pick(b, row, N), first);
  }
  gsample_free(a), gsample_free(b), gsample_free(c);
}

static void report_123_the_seed_travels_with_the_sampler(void** state) {
  gsample_sampler *s = seeded(77), *moved = NULL;
  const saved bytes = save_of(s);
  float row[N];
  int i;
  (void)state;
  assert_int_equal(gsample_load(&moved, bytes.bytes, bytes.n, NULL), 0);
  for (i = 0; i < STEPS; i++) fill(row, i), assert_int_equal(gsample_pick(s, row, N), gsample_pick(moved, row, N));
  assert_int_equal(gsample_reset(moved), 0); /* even the seed itself */
  assert_int_equal(gsample_reset(s), 0);
  for (i = 0; i < STEPS; i++) fill(row, i), assert_int_equal(gsample_pick(s, row, N), gsample_pick(moved, row, N));
  gsample_free(s), gsample_free(moved);
  free(bytes.bytes);
}

static void report_125_a_clone_draws_the_same_thousand(void** state) {
  gsample_params params = preset_params("llama.cpp");
  gsample_sampler *s, *copy = NULL;
  float row[N];
  const float biases[] = {.5f, -INFINITY};
  int i;
  (void)state;
  params.penalty_repeat = 1.1f, params.dry_multiplier = .8f, params.xtc_probability = .5f, params.typical_p = .97f, params.seed = 31;
  s = make(&params);
  assert_int_equal(gsample_bias(s, (const int32_t[]){3, 4}, biases, 2), 0);
  assert_int_equal(gsample_dry_breaker(s, TOKENS(9)), 0);
  assert_int_equal(gsample_seed(s, TOKENS(1, 2, 3, 1, 2)), 0);
  for (i = 0; i < 100; i++) fill(row, i), gsample_pick(s, row, N);
  assert_int_equal(gsample_clone(s, &copy), 0);
  for (i = 0; i < 1000; i++) fill(row, i), assert_int_equal(gsample_pick(s, row, N), gsample_pick(copy, row, N));
  gsample_free(s);
  for (i = 0; i < 10; i++) assert_in_range(gsample_pick(copy, row, N), 0, N - 1); /* independent of it */
  gsample_free(copy);
}

/* Answers in parallel are samplers with seeds of their own: each is as if it were alone, and they differ. */
static void report_127_parallel_answers_are_independent(void** state) {
  int32_t first[STEPS];
  float row[N];
  int k, i, same = 0;
  (void)state;
  for (k = 0; k < 20; k++) {
    gsample_sampler* s = seeded((uint64_t)k);
    for (i = 0; i < STEPS; i++) {
      const int32_t token = (fill(row, 0), gsample_pick(s, row, N));
      if (k == 0) first[i] = token;
      else same += token == first[i];
    }
    gsample_free(s);
  }
  assert_true(same < 19 * STEPS / 5); /* a twentieth is the chance here */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_114_a_neighbour_changes_nothing),
      cmocka_unit_test(report_115_the_order_of_a_batch_changes_nothing),
      cmocka_unit_test(report_116_logprobs_do_not_depend_on_the_load),
      cmocka_unit_test(report_118_reset_is_as_after_new),
      cmocka_unit_test(report_121_greedy_repeats),
      cmocka_unit_test(report_122_no_generator_is_shared),
      cmocka_unit_test(report_123_the_seed_travels_with_the_sampler),
      cmocka_unit_test(report_125_a_clone_draws_the_same_thousand),
      cmocka_unit_test(report_127_parallel_answers_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
