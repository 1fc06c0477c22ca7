/* Constraints: what each mode asks and gives, and that a callback's failure moves nothing. */
#include "constraint_support.h"

enum { N = 1000 };

static void fill(float* row, int step) {
  int i;
  for (i = 0; i < N; i++) row[i] = (float)((uint32_t)(i * 7919 + step * 104729) * 2654435761u >> 22) * .01f;
}

static int32_t best_allowed(const float* row, uint32_t modulus, uint32_t rest) {
  int32_t best = -1, i;
  for (i = 0; i < N; i++)
    if ((uint32_t)i % modulus == rest && (best < 0 || row[i] > row[best])) best = i;
  return best;
}

static void greedy_takes_the_best_allowed_in_every_mode(void** state) {
  float row[N];
  int mode, step;
  (void)state;
  for (mode = 0; mode < 3; mode++) {
    gsample_params params = plain_params();
    asked log;
    gsample_sampler *s, *twin;
    asked_nothing(&log);
    params.temperature = 0, params.constraint_mode = mode;
    s = with(&log, params, 7, 3);
    for (step = 0; step < 50; step++) fill(row, step), assert_int_equal(gsample_pick(s, row, N), best_allowed(row, 7, 3));
    twin = make(&params);
    assert_true(gsample_uniform(s) == gsample_uniform(twin)); /* no number was taken */
    gsample_free(twin);
    gsample_free(s);
    assert_int_equal(log.destroyed, 1);
  }
}

/* What is drawn is what the mode says, from softmaxes by hand. P[.4, .3, .2, .1], top_k 2, allowed: 1 and 3. */
static void the_distribution_of_each_mode(void** state) {
  static const double expected[3][4] = {
      {0, 3 / 7. + 4 / 7. * .75, 0, 4 / 7. * .25}, /* 1 at once; what fell on 0 again, over the allowed */
      {0, .75, 0, .25},                             /* top-k sees 1 and 3 only */
      {0, 1, 0, 0},                                 /* of what top-k kept, 1 */
  };
  int mode, masked;
  LOGS(row, .4, .3, .2, .1);
  (void)state;
  for (mode = 0; mode < 3; mode++)
    for (masked = 0; masked < 2; masked++) {
      gsample_params params = plain_params();
      asked log;
      gsample_sampler *s, *drawing;
      gsample_constraint c;
      int seen[4] = {0}, i;
      asked_nothing(&log);
      params.top_k = 2, params.constraint_mode = mode;
      s = make(&params), drawing = make(&params);
      for (i = 0; i < 2; i++) {
        c = constraint_of(rule_new(&log, 2, 1));
        if (masked) c.mask = rule_mask;
        assert_int_equal(gsample_constrain(i ? drawing : s, &c), 0);
      }
      expect_p(s, row, 4, expected[mode], 1e-6);
      for (i = 0; i < 20000; i++) seen[gsample_pick(drawing, row, 4)]++;
      for (i = 0; i < 4; i++) assert_true(fabs(seen[i] - 20000 * expected[mode][i]) <= 6 * sqrt(20000 * .25));
      assert_int_equal(log.calls[ASK_MASK] > 0, masked); /* LAZY asks for it in the second run */
      gsample_free(s), gsample_free(drawing);
      assert_int_equal(log.destroyed, 2);
    }
}

static void lazy_asks_about_one_token_where_it_is_allowed(void** state) {
  gsample_params params = plain_params();
  asked log;
  gsample_sampler *s, *free_;
  float row[N];
  int step;
  (void)state;
  asked_nothing(&log);
  params.top_k = 40;
  s = with(&log, params, 1, 0), free_ = make(&params);
  for (step = 0; step < 100; step++) fill(row, step), assert_int_equal(gsample_pick(s, row, N), gsample_pick(free_, row, N));
  assert_int_equal(log.calls[ASK_ALLOWS], 100);
  assert_int_equal(log.calls[ASK_ACCEPT], 100);
  assert_true(gsample_uniform(s) == gsample_uniform(free_));
  gsample_free(s), gsample_free(free_);
}

/* The second run walks down only until it has k; a token is asked about at most once, and the lead bytes first. */
static void lazy_asks_about_few_where_it_is_refused(void** state) {
  gsample_params params = plain_params();
  asked log;
  gsample_sampler* s;
  gsample_constraint c;
  float row[N];
  int32_t token;
  int i;
  (void)state;
  asked_nothing(&log);
  params.top_k = 4;
  s = with(&log, params, 5, 4);
  for (i = 0; i < N; i++) row[i] = -(float)i * .01f; /* in order of id */
  do token = gsample_pick(s, row, N);
  while (log.calls[ASK_ALLOWS] <= 1);
  assert_in_range(token, 4, 19);
  assert_in_range(log.calls[ASK_ALLOWS], 2, 1 + 64); /* 20 tokens would do; the walk may go in small blocks */
  gsample_free(s);
  asked_nothing(&log);
  params.top_k = 1;
  s = make(&params);
  c = constraint_of(rule_new(&log, 251, 100));
  c.first_bytes = rule_first_bytes, c.first_byte = rule_first_byte;
  assert_int_equal(gsample_constrain(s, &c), 0);
  assert_int_equal(gsample_pick(s, row, N), 100);
  assert_int_equal(log.calls[ASK_FIRST_BYTES], 1);
  assert_true(log.calls[ASK_FIRST_BYTE] >= 100);
  assert_in_range(log.calls[ASK_ALLOWS], 2, 3); /* the drawn one, and the first whose byte may come */
  gsample_free(s);
}

/* A token without a first byte is asked about. */
static void tokens_without_a_first_byte_are_asked_about(void** state) {
  int mode;
  (void)state;
  for (mode = 0; mode < 3; mode++) {
    gsample_params params = plain_params();
    asked log;
    gsample_sampler* s;
    gsample_constraint c;
    float row[N];
    int i;
    asked_nothing(&log);
    params.top_k = 3, params.constraint_mode = mode;
    s = make(&params);
    c = constraint_of(rule_new(&log, 250, 0)); /* 0, 250, 500, 750: 250 has no first byte */
    c.first_bytes = rule_first_bytes, c.first_byte = rule_first_byte;
    assert_int_equal(gsample_constrain(s, &c), 0);
    for (i = 0; i < N; i++) row[i] = i == 250 ? 5 : i == 249 ? 20 : (float)(i % 3);
    for (i = 0; i < 20; i++) {
      const int32_t token = gsample_pick(s, row, N);
      if (token != 250 && token != 0 && token != 500 && token != 750) fail_msg("mode %d: token %d", mode, token);
    }
    gsample_free(s);
  }
}

/* A refused draw's number stays consumed, XTC's included: the generator's place after the pick. */
static void numbers_of_a_second_run(void** state) {
  gsample_params params = plain_params();
  asked log;
  gsample_sampler *s, *twin;
  const float row[] = {9, 1, 8, 1.5f, 8.5f, 1.2f};
  int i, refused = 0;
  (void)state;
  asked_nothing(&log);
  params.xtc_probability = 1e-9f, params.xtc_threshold = .01f;
  s = with(&log, params, 2, 1), twin = make(&params);
  for (i = 0; i < 50; i++) {
    const int asked_before = log.calls[ASK_ALLOWS];
    int numbers, k;
    assert_int_equal(gsample_pick(s, row, 6) % 2, 1);
    numbers = log.calls[ASK_ALLOWS] - asked_before > 1 ? 4 : 2;
    refused += numbers == 4;
    for (k = 0; k < numbers; k++) gsample_uniform(twin);
    assert_true(gsample_uniform(s) == gsample_uniform(twin));
  }
  assert_true(refused > 40);
  gsample_free(s), gsample_free(twin);
}

static void nothing_allowed_is_no_candidate_and_moves_nothing(void** state) {
  float row[N];
  int mode, greedy, masked;
  (void)state;
  fill(row, 1);
  for (mode = 0; mode < 3; mode++)
    for (greedy = 0; greedy < 2; greedy++)
      for (masked = 0; masked < 2; masked++) {
        gsample_params params = plain_params();
        asked log;
        gsample_sampler* s;
        gsample_constraint c;
        saved before;
        asked_nothing(&log);
        params.constraint_mode = mode, params.temperature = greedy ? 0 : 1, params.top_k = masked ? 0 : 5;
        s = make(&params);
        c = constraint_of(rule_new(&log, 0, 0));
        if (masked) c.mask = rule_mask;
        assert_int_equal(gsample_constrain(s, &c), 0);
        before = save_of(s);
        assert_int_equal(gsample_pick(s, row, N), GSAMPLE_ERROR_NO_CANDIDATE);
        assert_int_equal(log.calls[ASK_ACCEPT], 0);
        expect_unmoved(s, before);
        free(before.bytes);
        gsample_free(s);
      }
}

/* Whichever callback fails, the call gives its status, and all is as before. */
static void a_failing_callback_moves_nothing(void** state) {
  static const int32_t statuses[] = {-77, GSAMPLE_ERROR_CALLBACK, GSAMPLE_ERROR_OUT_OF_MEMORY, GSAMPLE_ERROR_REFUSED, INT32_MIN};
  float row[N];
  int mode, kind, masked;
  size_t i;
  (void)state;
  fill(row, 2);
  for (mode = 0; mode < 3; mode++)
    for (masked = 0; masked < 2; masked++)
      for (kind = ASK_ALLOWS; kind <= ASK_APPLY; kind++)
        for (i = 0; i < COUNT(statuses); i++) {
          gsample_params params = plain_params();
          asked log;
          gsample_sampler *s, *copy = (gsample_sampler*)&log;
          gsample_constraint c;
          gsample_custom custom;
          saved before;
          gsample_logprob top[3];
          gsample_choice choice = {.size = sizeof choice, .logprob_mode = GSAMPLE_LOGPROB_RAW, .n_top = 3, .top = top, .token = -9};
          const gsample_row view = row_of(row, N);
          int32_t status, token;
          gsample_dist* dist = NULL;
          asked_nothing(&log);
          params.constraint_mode = mode, params.top_k = 5;
          set_order(&params, TOKENS(GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_CUSTOM));
          s = make(&params);
          c = constraint_of(rule_new(&log, 50, 3));
          if (masked) c.mask = rule_mask;
          else c.first_bytes = rule_first_bytes, c.first_byte = rule_first_byte;
          custom = custom_of(rule_new(&log, 1, 0));
          assert_int_equal(gsample_constrain(s, &c), 0);
          assert_int_equal(gsample_set_custom(s, &custom), 0);
          before = save_of(s);
          log.failing = kind, log.status = statuses[i];
          if (kind == ASK_CLONE) {
            assert_int_equal(gsample_clone(s, &copy), statuses[i]);
            assert_ptr_equal(copy, &log);
          } else if (kind != ASK_CAN_STOP) {
            memset(log.calls, 0, sizeof log.calls);
            status = gsample_pick_row(s, &view, &choice);
            if (log.calls[kind]) {
              if (!(kind == ASK_FIRST_BYTE) && status != statuses[i]) fail_msg("callback %d, mode %d: status %d, not %d", kind, mode, status, statuses[i]);
              if (status < 0) {
                assert_int_equal(choice.token, -9);
                expect_unmoved(s, before);
              }
              if (kind != ASK_ACCEPT) {
                assert_int_equal(gsample_dist_new(&dist), 0);
                if (kind != ASK_FIRST_BYTE) assert_int_equal(gsample_dist_from_row(dist, s, &view), statuses[i]);
                gsample_dist_free(dist);
              }
              {
                gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 1, .sampler = s, .logits = row, .tokens = &token};
                if (kind != ASK_FIRST_BYTE) {
                  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
                  assert_int_equal(one.status, statuses[i]);
                  assert_int_equal(one.n_tokens, 0);
                  expect_unmoved(s, before);
                }
              }
            }
            if (kind == ASK_ALLOWS || kind == ASK_ACCEPT) {
              assert_int_equal(gsample_accept(s, 3), statuses[i]);
              if (status < 0) expect_unmoved(s, before);
            }
          }
          log.failing = -1;
          assert_in_range(gsample_pick(s, row, N), 0, N - 1);
          free(before.bytes);
          gsample_free(s);
          assert_int_equal(log.destroyed, 2 + log.clones);
        }
}

static void a_failing_accept_writes_no_output(void** state) {
  int mode;
  float row[N];
  (void)state;
  fill(row, 3);
  for (mode = GSAMPLE_LOGPROB_NONE; mode <= GSAMPLE_LOGPROB_PROCESSED; mode++) {
    gsample_params params = plain_params();
    asked log;
    gsample_sampler* s;
    gsample_logprob top[3] = {{-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}};
    gsample_choice choice = {.size = sizeof choice, .logprob_mode = (uint32_t)mode, .n_top = 3, .top = top, .n_written = 99, .token = -9};
    const gsample_choice before = choice;
    const gsample_row view = row_of(row, N);
    int32_t token = -5;
    gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 1, .logits = row, .tokens = &token, .choices = &choice};
    asked_nothing(&log);
    s = with(&log, params, 3, 1);
    log.failing = ASK_ACCEPT;
    assert_int_equal(gsample_pick_row(s, &view, &choice), -77);
    one.sampler = s;
    assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
    assert_int_equal(token, -5);
    assert_memory_equal(&choice, &before, sizeof choice);
    assert_int_equal(top[0].token, -1);
    assert_int_equal(top[2].rank, -1);
    gsample_free(s);
  }
}

static void accept_of_a_refused_token(void** state) {
  gsample_params params = plain_params();
  asked log;
  gsample_sampler* s;
  saved before;
  (void)state;
  asked_nothing(&log);
  s = with(&log, params, 2, 1);
  before = save_of(s);
  assert_int_equal(gsample_accept(s, 4), GSAMPLE_ERROR_REFUSED);
  assert_int_equal(log.calls[ASK_ACCEPT], 0);
  expect_unmoved(s, before);
  assert_int_equal(gsample_accept(s, 5), 0);
  assert_int_equal(log.n_accepted, 1);
  free(before.bytes);
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(greedy_takes_the_best_allowed_in_every_mode),
      cmocka_unit_test(the_distribution_of_each_mode),
      cmocka_unit_test(lazy_asks_about_one_token_where_it_is_allowed),
      cmocka_unit_test(lazy_asks_about_few_where_it_is_refused),
      cmocka_unit_test(tokens_without_a_first_byte_are_asked_about),
      cmocka_unit_test(numbers_of_a_second_run),
      cmocka_unit_test(nothing_allowed_is_no_candidate_and_moves_nothing),
      cmocka_unit_test(a_failing_callback_moves_nothing),
      cmocka_unit_test(a_failing_accept_writes_no_output),
      cmocka_unit_test(accept_of_a_refused_token),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
