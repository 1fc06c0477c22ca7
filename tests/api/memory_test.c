/* What a sampler allocates: nothing within what was reserved, whatever the chain, and little with top-k. Linked statically with an operator
   new that counts. */
#include "memory_support.h"

static void a_reserved_pick_allocates_nothing(void** state) {
  size_t c;
  int wrong = 0;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_sampler* s = set_up(&chains[c]);
    const int32_t prompt[] = {1, 2, 3, 1, 2, 5, 1, 2};
    size_t before;
    int step;
    assert_int_equal(gsample_reserve(s, N, 200), 0);
    before = allocations_made();
    assert_int_equal(gsample_seed(s, prompt, COUNT(prompt)), 0);
    for (step = 0; step < 60; step++) {
      gsample_row row = next_row(&chains[c], step);
      const int32_t token = gsample_pick_row(s, &row, NULL);
      if (token < 0) fail_msg("%s: %s", chains[c].name, gsample_status_name(token));
      if (step % 5 == 0) assert_int_equal(gsample_accept(s, chains[c].constrain ? 3 : step), 0);
    }
    if (allocations_made() != before) {
      print_message("%s: %zu allocations\n", chains[c].name, allocations_made() - before);
      wrong++;
    }
    gsample_free(s);
  }
  assert_int_equal(wrong, 0);
}

/* What was reserved holds, whatever is set afterwards. */
static void a_reservation_outlives_what_is_set_after_it(void** state) {
  const char* const names[] = {"set_params", "bias", "breaker", "assign", "reset", "constrain", "custom"};
  const float biases[] = {3, -2};
  size_t what;
  int wrong = 0;
  (void)state;
  for (what = 0; what < COUNT(names); what++) {
    const chain plain = {.name = names[what], .set = top_k};
    const chain shaped = {.name = names[what], .set = dry_and_penalties};
    gsample_params params = plain_params();
    gsample_sampler *s, *other = NULL;
    size_t before;
    int step;
    if (what == 6) order_with(&params, GSAMPLE_STAGE_CUSTOM);
    else (what == 2 || what == 4 ? shaped : plain).set(&params);
    s = make(&params);
    asked_nothing(&log_);
    assert_int_equal(gsample_reserve(s, N, 200), 0);
    switch (what) {
      case 0: dry_and_penalties(&params), assert_int_equal(gsample_set_params(s, &params, NULL), 0); break;
      case 1: assert_int_equal(gsample_bias(s, (const int32_t[]){5, 70}, biases, 2), 0); break;
      case 2: assert_int_equal(gsample_dry_breaker(s, TOKENS(4, 5)), 0); break;
      case 3:
        other = make(&params);
        assert_int_equal(gsample_seed(other, TOKENS(1, 2, 3)), 0);
        assert_int_equal(gsample_assign(s, other), 0);
        break;
      case 4: assert_int_equal(gsample_reset(s), 0); break;
      case 5: {
        const gsample_constraint constraint = constraint_of(rule_new(&log_, 7, 3));
        assert_int_equal(gsample_constrain(s, &constraint), 0);
        break;
      }
      default: {
        const gsample_custom stage = custom_of(rule_new(&log_, 1, 0));
        assert_int_equal(gsample_set_custom(s, &stage), 0);
      }
    }
    before = allocations_made();
    for (step = 0; step < 60; step++) {
      gsample_row row = next_row(&plain, step);
      assert_in_range(gsample_pick_row(s, &row, NULL), 0, N - 1);
    }
    if (allocations_made() != before) {
      print_message("after %s: %zu allocations\n", names[what], allocations_made() - before);
      wrong++;
    }
    gsample_free(s), gsample_free(other);
  }
  assert_int_equal(wrong, 0);
}

/* Without a reservation memory grows with what the draws ask for, and then no more. */
static void a_warm_pick_allocates_nothing(void** state) {
  size_t c;
  int wrong = 0;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_sampler* s = set_up(&chains[c]);
    gsample_row row = next_row(&chains[c], 1);
    size_t before;
    int step;
    assert_int_equal(gsample_reserve(s, 0, 400), 0); /* the history */
    for (step = 0; step < 250; step++) assert_in_range(gsample_pick_row(s, &row, NULL), 0, N - 1);
    before = allocations_made();
    for (step = 0; step < 50; step++) assert_in_range(gsample_pick_row(s, &row, NULL), 0, N - 1);
    if (allocations_made() > before + 2) { /* the history grows, and what is touched with it */
      print_message("%s: %zu allocations\n", chains[c].name, allocations_made() - before);
      wrong++;
    }
    gsample_free(s);
  }
  assert_int_equal(wrong, 0);
}

/* With top-k: less than 64 KiB and the history, the scratch of the row being a workspace's. */
static void top_k_samplers_are_small(void** state) {
  static float row[BIG];
  size_t c;
  int i, wrong = 0;
  (void)state;
  for (i = 0; i < BIG; i++) row[i] = (float)((uint32_t)i * 2654435761u >> 20) * .003f;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_params params = plain_params();
    gsample_workspace* workspace = NULL;
    gsample_sampler* s;
    int32_t token;
    chains[c].set(&params);
    if (params.top_k == 0 && params.temperature > 0) continue;
    s = set_up(&chains[c]);
    assert_int_equal(gsample_workspace_new(1, &workspace), 0);
    for (i = 0; i < 50; i++) {
      gsample_sequence one = {.size = sizeof one, .n_vocab = BIG, .n_rows = 1, .sampler = s, .logits = row, .tokens = &token};
      assert_int_equal(gsample_decide(&one, 1, NULL, workspace), 0);
    }
    if (gsample_memory(s) >= 64 * 1024 + 50 * 64) {
      print_message("%s: %lld bytes\n", chains[c].name, (long long)gsample_memory(s));
      wrong++;
    }
    gsample_free(s);
    gsample_workspace_free(workspace);
  }
  assert_int_equal(wrong, 0);
}

static void memory_is_what_is_held(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  int64_t small, large;
  (void)state;
  s = make(&params);
  small = gsample_memory(s);
  assert_true(small > 0 && small < 8192);
  assert_int_equal(gsample_reserve(s, BIG, 100000), 0);
  large = gsample_memory(s);
  assert_true(large > 100000 * 4);
  assert_int_equal(gsample_memory(NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reserved_pick_allocates_nothing),
      cmocka_unit_test(a_reservation_outlives_what_is_set_after_it),
      cmocka_unit_test(a_warm_pick_allocates_nothing),
      cmocka_unit_test(top_k_samplers_are_small),
      cmocka_unit_test(memory_is_what_is_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
