/* Arguments that no caller should give: a status, and nothing touched. */
#include <limits.h>

#include "constraint_support.h"

#define INVALID GSAMPLE_ERROR_INVALID_ARGUMENT

static void null_everywhere(void** state) {
  gsample_params params = plain_params();
  gsample_sampler *s = make(&params), *out = NULL;
  gsample_dist* d = NULL;
  const float logits[] = {0, 1, 2};
  const gsample_row row = row_of(logits, 3);
  gsample_row_report report = {.size = sizeof report};
  gsample_logprob item = {0, 0, 0};
  const double w = 1;
  const int32_t token = 1;
  char byte;
  saved before = save_of(s);
  (void)state;
  assert_int_equal(gsample_dist_new(&d), 0);
  assert_int_equal(gsample_best(NULL), INVALID);
  assert_int_equal(gsample_row_check(NULL, &report), INVALID);
  assert_int_equal(gsample_row_check(&row, NULL), INVALID);
  assert_int_equal(gsample_logprobs(NULL, &item, 1), INVALID);
  assert_int_equal(gsample_logprobs(&row, NULL, 1), INVALID);
  assert_int_equal(gsample_logprobs(&row, NULL, 0), 0);
  assert_int_equal(gsample_new(NULL, &out, NULL), INVALID);
  assert_int_equal(gsample_new(&params, NULL, NULL), INVALID);
  gsample_free(NULL);
  assert_int_equal(gsample_clone(NULL, &out), INVALID);
  assert_int_equal(gsample_clone(s, NULL), INVALID);
  assert_int_equal(gsample_assign(NULL, s), INVALID);
  assert_int_equal(gsample_assign(s, NULL), INVALID);
  assert_int_equal(gsample_reset(NULL), INVALID);
  assert_int_equal(gsample_reserve(NULL, 1, 1), INVALID);
  assert_int_equal(gsample_memory(NULL), INVALID);
  assert_int_equal(gsample_set_params(NULL, &params, NULL), INVALID);
  assert_int_equal(gsample_set_params(s, NULL, NULL), INVALID);
  assert_int_equal(gsample_rng_seed(NULL, 1), INVALID);
  assert_true(gsample_uniform(NULL) < 0);
  assert_int_equal(gsample_seed(NULL, &token, 1), INVALID);
  assert_int_equal(gsample_seed(s, NULL, 1), INVALID);
  assert_int_equal(gsample_seed(s, NULL, 0), 0);
  assert_int_equal(gsample_accept(NULL, 1), INVALID);
  assert_int_equal(gsample_bias(NULL, &token, logits, 1), INVALID);
  assert_int_equal(gsample_bias(s, NULL, logits, 1), INVALID);
  assert_int_equal(gsample_bias(s, &token, NULL, 1), INVALID);
  assert_int_equal(gsample_stop(NULL, &token, 1), INVALID);
  assert_int_equal(gsample_stop(s, NULL, 1), INVALID);
  assert_int_equal(gsample_dry_breaker(NULL, &token, 1), INVALID);
  assert_int_equal(gsample_dry_breaker(s, NULL, 1), INVALID);
  assert_int_equal(gsample_set_custom(NULL, NULL), INVALID);
  assert_int_equal(gsample_constrain(NULL, NULL), INVALID);
  assert_int_equal(gsample_shaped(NULL), INVALID);
  assert_int_equal(gsample_candidates_needed(NULL), INVALID);
  assert_int_equal(gsample_save(NULL, NULL, 0), INVALID);
  assert_int_equal(gsample_save(s, NULL, 100000), INVALID);
  assert_int_equal(gsample_load(NULL, &byte, 0, NULL), INVALID);
  assert_int_equal(gsample_load(&out, NULL, 1, NULL), INVALID);
  assert_int_equal(gsample_load(&out, NULL, 0, NULL), GSAMPLE_ERROR_FORMAT);
  assert_int_equal(gsample_pick(NULL, logits, 3), INVALID);
  assert_int_equal(gsample_pick(s, NULL, 3), INVALID);
  assert_int_equal(gsample_pick_row(NULL, &row, NULL), INVALID);
  assert_int_equal(gsample_pick_row(s, NULL, NULL), INVALID);
  assert_int_equal(gsample_workspace_new(1, NULL), INVALID);
  gsample_workspace_free(NULL);
  assert_int_equal(gsample_dist_new(NULL), INVALID);
  assert_int_equal(gsample_dist_set(NULL, &token, &w, 1), INVALID);
  assert_int_equal(gsample_dist_set(d, NULL, &w, 1), INVALID);
  assert_int_equal(gsample_dist_set(d, &token, NULL, 1), INVALID);
  assert_int_equal(gsample_dist_from_row(NULL, s, &row), INVALID);
  assert_int_equal(gsample_dist_from_row(d, NULL, &row), INVALID);
  assert_int_equal(gsample_dist_from_row(d, s, NULL), INVALID);
  assert_int_equal(gsample_dist_from_candidates(NULL, s, &token, logits, 1, 3, 0), INVALID);
  assert_int_equal(gsample_dist_from_candidates(d, NULL, &token, logits, 1, 3, 0), INVALID);
  assert_int_equal(gsample_dist_size(NULL), 0);
  assert_null(gsample_dist_ids(NULL));
  assert_null(gsample_dist_weights(NULL));
  assert_true(gsample_dist_total(NULL) == 0 && gsample_dist_chance(NULL, 1) == 0);
  assert_int_equal(gsample_dist_draw(NULL, s), INVALID);
  assert_int_equal(gsample_dist_draw(d, NULL), INVALID);
  assert_int_equal(gsample_dist_residual(NULL, d, d), INVALID);
  assert_int_equal(gsample_dist_residual(d, NULL, d), INVALID);
  assert_int_equal(gsample_dist_residual(d, d, NULL), INVALID);
  assert_null(out);
  expect_unmoved(s, before);
  free(before.bytes);
  gsample_free(s);
  gsample_dist_free(d);
}

/* Numbers that no array has: nothing is read by them. */
static void impossible_numbers(void** state) {
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4, (size_t)1 << (sizeof(size_t) * 8 - 3)};
  const float logits[] = {0, 1, 2};
  const double w[] = {1, 1, 1};
  const int32_t tokens[] = {0, 1, 2};
  gsample_params params = plain_params();
  gsample_sampler *s = make(&params), *out = NULL;
  gsample_dist* d = NULL;
  const gsample_row row = row_of(logits, 3);
  gsample_logprob item = {0, 0, 0};
  saved before;
  size_t i;
  int full;
  (void)state;
  assert_int_equal(gsample_dist_new(&d), 0);
  for (full = 0; full < 2; full++) {
    if (full) assert_int_equal(gsample_seed(s, tokens, 3), 0);
    before = save_of(s);
    for (i = 0; i < COUNT(sizes); i++) {
      const size_t n = sizes[i];
      assert_true(gsample_seed(s, tokens, n) < 0);
      assert_true(gsample_bias(s, tokens, logits, n) < 0);
      assert_true(gsample_stop(s, tokens, n) < 0);
      assert_true(gsample_dry_breaker(s, tokens, n) < 0);
      assert_true(gsample_reserve(s, 3, n) < 0);
      assert_true(gsample_pick(s, logits, n) < 0);
      assert_true(gsample_dist_set(d, tokens, w, n) < 0);
      assert_true(gsample_dist_from_candidates(d, s, tokens, logits, n, 3, 0) < 0);
      assert_true(gsample_dist_from_candidates(d, s, tokens, logits, n, 3, 1) < 0);
      assert_true(gsample_logprobs(&row, &item, n) < 0);
      assert_true(gsample_decide((gsample_sequence*)(void*)&item, n, NULL, NULL) < 0);
    }
    assert_int_equal(gsample_reserve(s, UINT32_MAX, 0), INVALID);
    assert_int_equal(gsample_workspace_new(0, NULL), INVALID);
    expect_unmoved(s, before);
    free(before.bytes);
  }
  assert_null(out);
  gsample_free(s);
  gsample_dist_free(d);
}

static void rows_that_are_none(void** state) {
  static float logits[8];
  static uint32_t mask[2] = {~0u, ~0u};
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  gsample_row_report report = {.size = sizeof report};
  saved before = save_of(s);
  int what;
  (void)state;
  for (what = 0; what < 11; what++) {
    struct {
      gsample_row row;
      unsigned char tail[16];
    } longer;
    gsample_row* row = &longer.row;
    memset(&longer, 0, sizeof longer);
    *row = row_of(logits, 4);
    switch (what) {
      case 0: row->size = 0; break;
      case 1: row->size = 4; break;
      case 2: row->size = (uint32_t)sizeof *row + 16, longer.tail[15] = 1; break;
      case 3: row->reserved = 1; break;
      case 4: row->dtype = 3; break;
      case 5: row->n_vocab = 0; break;
      case 6: row->n_vocab = 0x80000000u; break;
      case 7: row->logits = NULL; break;
      case 8: row->logits = (const char*)logits + 2; break;
      case 9: row->mask = (const uint32_t*)(const void*)((const char*)mask + 1); break;
      default: row->logits = (const char*)logits + 1, row->dtype = GSAMPLE_F16;
    }
    if (gsample_pick_row(s, row, NULL) != INVALID) fail_msg("row %d is taken", what);
    assert_int_equal(gsample_best(row), INVALID);
    assert_int_equal(gsample_row_check(row, &report), INVALID);
    expect_unmoved(s, before);
  }
  {
    struct {
      gsample_row row;
      unsigned char tail[16];
    } longer;
    memset(&longer, 0, sizeof longer);
    longer.row = row_of(logits, 4);
    longer.row.size += 16; /* of a newer library, and zero: fine */
    assert_in_range(gsample_pick_row(s, &longer.row, NULL), 0, 3);
  }
  free(before.bytes);
  gsample_free(s);
}

static void structs_of_other_sizes(void** state) {
  static const float logits[] = {0, 5, 2};
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  const gsample_row row = row_of(logits, 3);
  asked log;
  uint32_t size;
  struct {
    gsample_choice choice;
    uint32_t tail[4];
  } choice;
  struct {
    gsample_constraint constraint;
    uint32_t tail[4];
  } constraint;
  (void)state;
  asked_nothing(&log);
  for (size = 0; size < 8; size++) {
    memset(&choice, 0, sizeof choice);
    choice.choice.size = size;
    assert_int_equal(gsample_pick_row(s, &row, &choice.choice), INVALID);
  }
  memset(&choice, 0, sizeof choice);
  choice.choice.size = sizeof choice, choice.tail[3] = 1;
  assert_int_equal(gsample_pick_row(s, &row, &choice.choice), INVALID);
  choice.tail[3] = 0;
  assert_in_range(gsample_pick_row(s, &row, &choice.choice), 0, 2);
  choice.choice.logprob_mode = 4;
  assert_int_equal(gsample_pick_row(s, &row, &choice.choice), INVALID);
  choice.choice.logprob_mode = 1, choice.choice.n_top = 2; /* and no top */
  assert_int_equal(gsample_pick_row(s, &row, &choice.choice), INVALID);
  /* A constraint of which the last fields are missing: they are 0. */
  memset(&constraint, 0, sizeof constraint);
  constraint.constraint = constraint_of(rule_new(&log, 2, 1));
  constraint.constraint.size = offsetof(gsample_constraint, first_bytes);
  assert_int_equal(gsample_constrain(s, &constraint.constraint), 0);
  assert_int_equal(gsample_pick(s, logits, 3), 1);
  assert_int_equal(gsample_clone(s, &(gsample_sampler*){NULL}), GSAMPLE_ERROR_UNSUPPORTED);
  free(constraint.constraint.user);
  gsample_free(s);
  assert_int_equal(log.destroyed, 0);
}

static void tokens_out_of_range(void** state) {
  static const float logits[] = {0, 5, 2};
  const gsample_row row = row_of(logits, 3);
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_logprob items[] = {{0, 1, 0}, {0, 3, 0}};
  (void)state;
  params.penalty_repeat = 1.5f, params.dry_multiplier = 1, params.dry_allowed_length = 0, params.penalty_last_n = -1;
  s = make(&params);
  assert_int_equal(gsample_seed(s, TOKENS(INT32_MAX, 1000000, 3, INT32_MAX, 1000000, 3)), 0);
  assert_int_equal(gsample_accept(s, INT32_MAX), 0);
  assert_int_equal(gsample_dry_breaker(s, TOKENS(INT32_MAX)), 0);
  assert_int_equal(gsample_stop(s, TOKENS(INT32_MAX)), 0);
  assert_in_range(gsample_pick(s, logits, 3), 0, 2);
  expect_kept(s, logits, 3, TOKENS(1, 2, 0));
  assert_int_equal(gsample_logprobs(&row, items, 2), INVALID);
  assert_true(items[0].rank == 0); /* nothing was written */
  items[1].token = -1;
  assert_int_equal(gsample_logprobs(&row, items, 2), INVALID);
  gsample_free(s);
}

/* A size that ends inside a field is no size that any caller's struct has. */
static void sizes_end_between_fields(void** state) {
  static const float logits[] = {1, 2, 3};
  const gsample_row whole = row_of(logits, 3);
  const gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  uint32_t size;
  (void)state;
  for (size = 12; size < 80; size += 4) {
    gsample_row row = whole;
    gsample_choice choice = {.size = size};
    gsample_constraint constraint = {.size = size, .allows = rule_allows, .accept = rule_accept};
    gsample_vocab_desc desc = {.size = size};
    gsample_executor executor = {.size = size};
    gsample_sequence sequence = {.size = sizeof sequence};
    gsample_vocab* vocab = NULL;
    row.size = size;
    if (size % 8 == 0) continue;
    assert_int_equal(gsample_best(&row), INVALID);
    assert_int_equal(gsample_pick_row(s, &whole, &choice), INVALID);
    assert_int_equal(gsample_constrain(s, &constraint), INVALID);
    assert_int_equal(gsample_vocab_new(&desc, &vocab, NULL), INVALID);
    assert_int_equal(gsample_decide(&sequence, 1, &executor, NULL), INVALID);
  }
  gsample_free(s);
}

static void errors_are_as_long_as_their_size(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s = NULL;
  uint32_t size;
  (void)state;
  params.min_p = 7;
  for (size = 0; size <= sizeof(gsample_error); size += 4) {
    struct {
      gsample_error error;
      unsigned char tail[16];
    } e;
    size_t i;
    memset(&e, 0xee, sizeof e);
    e.error.size = size;
    assert_int_equal(gsample_new(&params, &s, &e.error), INVALID);
    for (i = size < 4 ? 4 : size; i < sizeof e; i++)
      if (((unsigned char*)&e)[i] != 0xee) fail_msg("size %u: byte %zu was written", size, i);
    if (size >= 8) assert_int_equal(e.error.status, INVALID);
    if (size == sizeof(gsample_error)) {
      assert_names(e.error, "min_p");
      assert_names(e.error, "7");
      assert_int_equal(e.error.status, INVALID);
      assert_int_equal(e.error.line, 0);
    }
  }
  assert_null(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_everywhere),       cmocka_unit_test(rows_that_are_none),
      cmocka_unit_test(structs_of_other_sizes), cmocka_unit_test(tokens_out_of_range),
      cmocka_unit_test(sizes_end_between_fields), cmocka_unit_test(errors_are_as_long_as_their_size), cmocka_unit_test(impossible_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
