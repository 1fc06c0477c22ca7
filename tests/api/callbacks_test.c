/* The callbacks of constraints and custom stages: which are needed, who is cloned and destroyed when, and what a custom stage may do. */
#include "constraint_support.h"

static void destroy_runs_exactly_once(void** state) {
  gsample_params params = plain_params();
  asked log;
  gsample_sampler *s, *copy = NULL;
  gsample_constraint c;
  gsample_custom custom;
  (void)state;
  asked_nothing(&log);
  s = with(&log, params, 2, 1);
  c = constraint_of(rule_new(&log, 2, 0));
  assert_int_equal(gsample_constrain(s, &c), 0); /* the one before goes */
  assert_int_equal(log.destroyed, 1);
  assert_int_equal(gsample_constrain(s, NULL), 0);
  assert_int_equal(log.destroyed, 2);
  c = constraint_of(rule_new(&log, 2, 0)), c.allows = NULL;
  assert_int_equal(gsample_constrain(s, &c), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(log.destroyed, 3);
  c = constraint_of(rule_new(&log, 2, 0)), c.n_after = 2;
  assert_int_equal(gsample_constrain(s, &c), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(log.destroyed, 4);
  c = constraint_of(rule_new(&log, 2, 0));
  assert_int_equal(gsample_constrain(NULL, &c), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(log.destroyed, 5);
  custom = custom_of(rule_new(&log, 2, 0)), custom.apply = NULL;
  assert_int_equal(gsample_set_custom(s, &custom), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(log.destroyed, 6);
  custom = custom_of(rule_new(&log, 2, 0)), custom.reserved = 1;
  assert_int_equal(gsample_set_custom(s, &custom), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(log.destroyed, 7);
  custom = custom_of(rule_new(&log, 2, 0));
  assert_int_equal(gsample_set_custom(s, &custom), 0);
  c = constraint_of(rule_new(&log, 2, 0));
  assert_int_equal(gsample_constrain(s, &c), 0);
  assert_int_equal(gsample_clone(s, &copy), 0);
  assert_int_equal(log.clones, 2);
  assert_int_equal(gsample_assign(copy, s), 0);
  assert_int_equal(log.destroyed, 9); /* copy's first two */
  gsample_free(s);
  assert_int_equal(log.destroyed, 11);
  assert_int_equal(gsample_reset(copy), 0); /* the custom stage stays */
  assert_int_equal(log.destroyed, 12);
  gsample_free(copy);
  assert_int_equal(log.destroyed, 13);
}

static void a_refused_custom_is_destroyed_without_a_sampler(void** state) {
  asked log;
  gsample_custom custom;
  (void)state;
  asked_nothing(&log);
  custom = custom_of(rule_new(&log, 2, 0));
  assert_int_equal(gsample_set_custom(NULL, &custom), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(log.destroyed, 1);
}

/* Only `allows` is needed; half of the lead-byte table is not used. */
static void only_allows_is_required(void** state) {
  gsample_params params = plain_params();
  const float row[] = {0, 3, 2, 1};
  asked log;
  gsample_sampler* s = make(&params);
  gsample_constraint c;
  (void)state;
  asked_nothing(&log);
  c = constraint_of(rule_new(&log, 2, 0)), c.allows = NULL;
  assert_int_equal(gsample_constrain(s, &c), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(log.destroyed, 1);
  c = constraint_of(rule_new(&log, 2, 0)), c.accept = NULL, c.first_bytes = rule_first_bytes;
  assert_int_equal(gsample_constrain(s, &c), 0);
  assert_int_equal(gsample_pick(s, row, 4) % 2, 0);
  c = constraint_of(rule_new(&log, 2, 0)), c.first_byte = rule_first_byte;
  assert_int_equal(gsample_constrain(s, &c), 0);
  assert_int_equal(gsample_pick(s, row, 4) % 2, 0);
  gsample_free(s);
  assert_int_equal(log.destroyed, 3);
}

static void what_cannot_be_cloned_is_never_left_out(void** state) {
  gsample_params params = plain_params();
  asked log;
  gsample_sampler *s = make(&params), *to = make(&params), *copy = NULL;
  gsample_constraint c;
  gsample_custom custom;
  const float row[] = {0, 1, 2};
  saved before = save_of(to);
  (void)state;
  asked_nothing(&log);
  c = constraint_of(rule_new(&log, 2, 1)), c.clone = NULL;
  assert_int_equal(gsample_constrain(s, &c), 0);
  assert_int_equal(gsample_seed(s, TOKENS(1, 2)), 0);
  assert_int_equal(gsample_clone(s, &copy), GSAMPLE_ERROR_UNSUPPORTED);
  assert_null(copy);
  assert_int_equal(gsample_assign(to, s), GSAMPLE_ERROR_UNSUPPORTED);
  expect_unmoved(to, before);
  c = constraint_of(rule_new(&log, 2, 1));
  assert_int_equal(gsample_constrain(s, &c), 0);
  custom = custom_of(rule_new(&log, 2, 1)), custom.clone = NULL;
  assert_int_equal(gsample_set_custom(s, &custom), 0);
  assert_int_equal(gsample_clone(s, &copy), GSAMPLE_ERROR_UNSUPPORTED); /* and the constraint's clone is destroyed */
  assert_int_equal(log.destroyed, 1 + log.clones);
  assert_int_equal(gsample_pick(to, row, 3) >= 0, 1);
  gsample_free(s), gsample_free(to);
  free(before.bytes);
}

/* A sampler and its clone are fed apart. */
static void clones_are_fed_apart(void** state) {
  gsample_params params = plain_params();
  asked log;
  gsample_sampler *s, *copy = NULL;
  const float row[] = {0, 9, 2};
  (void)state;
  asked_nothing(&log);
  params.temperature = 0;
  s = with(&log, params, 2, 1);
  assert_int_equal(gsample_pick(s, row, 3), 1);
  assert_int_equal(gsample_clone(s, &copy), 0);
  assert_int_equal(gsample_pick(copy, row, 3), 1);
  assert_int_equal(gsample_pick(copy, row, 3), 1);
  assert_int_equal(log.n_accepted, 3);
  gsample_free(s), gsample_free(copy);
  assert_int_equal(log.destroyed, 2);
}

static int32_t drop_or_spoil(void* user, const int32_t* tokens, float* logits, size_t n) {
  const int what = *(int*)user;
  size_t i;
  for (i = 1; i < n; i++) assert_true(logits[i - 1] >= logits[i]); /* they come in order */
  for (i = 0; i < n; i++) {
    if (what == 0 && tokens[i] != 2) logits[i] = -INFINITY;
    if (what == 1) logits[i] = NAN;
    if (what == 2) logits[i] = -INFINITY;
    if (what == 3) logits[i] = (float)tokens[i];
    if (what == 4 && tokens[i] == 1) logits[i] = INFINITY;
  }
  return 0;
}

static void a_custom_stage_may_drop_and_reorder(void** state) {
  const float row[] = {5, 4, 3, 2};
  gsample_params params = plain_params();
  gsample_sampler* s;
  int what = 0;
  gsample_custom custom = {.size = sizeof custom, .user = &what, .apply = drop_or_spoil};
  saved before;
  (void)state;
  set_order(&params, TOKENS(GSAMPLE_STAGE_CUSTOM, GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TEMPERATURE));
  params.top_k = 2;
  s = make(&params);
  expect_kept(s, row, 4, TOKENS(0, 1)); /* none is set yet */
  assert_int_equal(gsample_set_custom(s, &custom), 0);
  expect_kept(s, row, 4, TOKENS(2));
  before = save_of(s);
  what = 1;
  assert_int_equal(gsample_pick(s, row, 4), GSAMPLE_ERROR_NOT_A_NUMBER);
  what = 2;
  assert_int_equal(gsample_pick(s, row, 4), GSAMPLE_ERROR_NO_CANDIDATE);
  expect_unmoved(s, before);
  free(before.bytes);
  what = 3;
  expect_kept(s, row, 4, TOKENS(3, 2));
  what = 4;
  expect_kept(s, row, 4, TOKENS(1));
  assert_int_equal(gsample_set_custom(s, NULL), 0);
  expect_kept(s, row, 4, TOKENS(0, 1));
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(destroy_runs_exactly_once),
      cmocka_unit_test(a_refused_custom_is_destroyed_without_a_sampler),
      cmocka_unit_test(only_allows_is_required),
      cmocka_unit_test(what_cannot_be_cloned_is_never_left_out),
      cmocka_unit_test(clones_are_fed_apart),
      cmocka_unit_test(a_custom_stage_may_drop_and_reorder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
