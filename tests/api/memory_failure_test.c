/* An allocation that fails moves nothing and leaks nothing, whichever it is. Linked statically with an operator new that fails. */
#include "memory_support.h"

/* One thing that may fail for want of memory, done to a sampler that was set up; 0 or the status it gave. */
typedef struct action {
  const char* name;
  int32_t (*run)(gsample_sampler* s, const gsample_row* row);
} action;

static gsample_params others_; /* made before anything fails */

static int32_t do_new(gsample_sampler* s, const gsample_row* row) {
  gsample_sampler* made = NULL;
  const int32_t status = gsample_new(&others_, &made, NULL);
  (void)s, (void)row;
  if (status) assert_null(made);
  gsample_free(made);
  return status;
}
static int32_t do_pick(gsample_sampler* s, const gsample_row* row) {
  const int32_t token = gsample_pick_row(s, row, NULL);
  return token < 0 ? token : 0;
}
static int32_t do_pick_with_logprobs(gsample_sampler* s, const gsample_row* row) {
  gsample_logprob top[8];
  gsample_choice choice = {.size = sizeof choice, .logprob_mode = GSAMPLE_LOGPROB_RAW, .n_top = 8, .top = top, .token = -5};
  const int32_t token = gsample_pick_row(s, row, &choice);
  if (token < 0) assert_int_equal(choice.token, -5);
  return token < 0 ? token : 0;
}
static int32_t do_clone(gsample_sampler* s, const gsample_row* row) {
  gsample_sampler* copy = NULL;
  const int32_t status = gsample_clone(s, &copy);
  (void)row;
  if (status) assert_null(copy);
  gsample_free(copy);
  return status;
}
static int32_t do_assign(gsample_sampler* s, const gsample_row* row) {
  gsample_sampler* from = NULL;
  int32_t status = gsample_new(&others_, &from, NULL);
  (void)row;
  if (!status) status = gsample_seed(from, TOKENS(4, 5, 6));
  if (!status) status = gsample_assign(s, from);
  gsample_free(from);
  return status;
}
static int32_t do_bias(gsample_sampler* s, const gsample_row* row) {
  const float biases[] = {1, 2, -1};
  (void)row;
  return gsample_bias(s, (const int32_t[]){9, 8, 7}, biases, 3);
}
static int32_t do_stop(gsample_sampler* s, const gsample_row* row) { return (void)row, gsample_stop(s, TOKENS(3, 2, 1)); }
static int32_t do_breaker(gsample_sampler* s, const gsample_row* row) { return (void)row, gsample_dry_breaker(s, TOKENS(3, 2, 1)); }
static int32_t do_seed(gsample_sampler* s, const gsample_row* row) {
  int32_t tokens[600];
  int i;
  (void)row;
  for (i = 0; i < 600; i++) tokens[i] = i * 5;
  return gsample_seed(s, tokens, 600);
}
static int32_t do_accept(gsample_sampler* s, const gsample_row* row) { return (void)row, gsample_accept(s, 3); }
static int32_t do_reserve(gsample_sampler* s, const gsample_row* row) { return (void)row, gsample_reserve(s, N, 5000); }
static int32_t do_set_params(gsample_sampler* s, const gsample_row* row) {
  gsample_params params = others_;
  (void)row;
  answer(&params);
  params.penalty_last_n = 7;
  return gsample_set_params(s, &params, NULL);
}
static int32_t do_constrain(gsample_sampler* s, const gsample_row* row) {
  const int before = log_.destroyed;
  const int32_t after[] = {1, 2, 1, 2, 3};
  gsample_constraint c = constraint_of(rule_new(&log_, 5, 1));
  int32_t status;
  (void)row;
  c.after = after, c.n_after = 5;
  status = gsample_constrain(s, &c);
  if (status) assert_int_equal(log_.destroyed, before + 1);
  return status;
}
static int32_t do_custom(gsample_sampler* s, const gsample_row* row) {
  const int before = log_.destroyed;
  const gsample_custom c = custom_of(rule_new(&log_, 5, 1));
  const int32_t status = gsample_set_custom(s, &c);
  (void)row;
  if (status) assert_int_equal(log_.destroyed, before + 1);
  return status;
}
static int32_t do_decide(gsample_sampler* s, const gsample_row* row) {
  const int32_t drafts[] = {3, 10};
  int32_t tokens[3];
  gsample_sequence one = {.size = sizeof one, .dtype = row->dtype, .n_vocab = N, .n_rows = 1, .sampler = s, .logits = row->logits,
                          .masks = row->mask, .drafts = drafts, .tokens = tokens};
  gsample_workspace* workspace = NULL;
  int32_t status = gsample_workspace_new(2, &workspace);
  if (!status) status = gsample_decide(&one, 1, NULL, workspace);
  if (status > 0) status = one.status;
  gsample_workspace_free(workspace);
  return status;
}
static int32_t do_save(gsample_sampler* s, const gsample_row* row) {
  static unsigned char bytes[20000];
  const int64_t size = gsample_save(s, bytes, sizeof bytes);
  (void)row;
  return size < 0 ? (int32_t)size : 0;
}
static int32_t do_load(gsample_sampler* s, const gsample_row* row) {
  static unsigned char bytes[20000];
  gsample_sampler* loaded = NULL;
  const int64_t size = gsample_save(s, bytes, sizeof bytes);
  int32_t status;
  (void)row;
  if (size < 0) return (int32_t)size;
  status = gsample_load(&loaded, bytes, (size_t)size, NULL);
  if (status) assert_null(loaded);
  gsample_free(loaded);
  return status;
}
static int32_t do_dist(gsample_sampler* s, const gsample_row* row) {
  const double weights[] = {1, 2};
  gsample_dist *p = NULL, *q = NULL;
  int32_t status = gsample_dist_new(&p);
  if (!status) status = gsample_dist_new(&q);
  if (!status) status = gsample_dist_set(q, (const int32_t[]){3, 10}, weights, 2);
  if (!status) status = gsample_dist_residual(q, p, p);
  if (!status) {
    status = gsample_dist_from_row(q, s, row); /* moves the generator where XTC takes a number */
    if (status) assert_int_equal(gsample_dist_size(q), 2);
  }
  gsample_dist_free(p), gsample_dist_free(q);
  return status;
}
static int32_t do_candidates(gsample_sampler* s, const gsample_row* row) {
  const double weights[] = {1, 2};
  const float logits[] = {1, 2, 3};
  gsample_dist* out = NULL;
  int32_t status = gsample_dist_new(&out);
  (void)row;
  if (!status) status = gsample_dist_set(out, (const int32_t[]){3, 10}, weights, 2);
  if (!status) {
    status = gsample_dist_from_candidates(out, s, (const int32_t[]){3, 10, 17}, logits, 3, N, 0);
    if (status) assert_int_equal(gsample_dist_size(out), 2);
  }
  gsample_dist_free(out);
  return status;
}
static int32_t do_row(gsample_sampler* s, const gsample_row* row) {
  gsample_logprob items[] = {{.token = 1}, {.token = 5}, {.token = 70}};
  const int32_t best = gsample_best(row);
  (void)s;
  return best < 0 ? best : gsample_logprobs(row, items, 3);
}

static const action actions[] = {
    {"new", do_new},         {"pick", do_pick},       {"pick with logprobs", do_pick_with_logprobs},
    {"clone", do_clone},     {"assign", do_assign},   {"bias", do_bias},
    {"stop", do_stop},       {"breaker", do_breaker}, {"seed", do_seed},
    {"accept", do_accept},   {"reserve", do_reserve}, {"set_params", do_set_params},
    {"constrain", do_constrain}, {"custom", do_custom}, {"decide", do_decide},
    {"save", do_save},       {"load", do_load},       {"distributions", do_dist}, {"candidates", do_candidates},
    {"rows", do_row},
};

/* Lets the first, second, ... allocation of an action fail, until it gets all it asks for. */
static void failures_of(const chain* c, const action* a) {
  size_t fail;
  for (fail = 0;; fail++) {
    const size_t held = allocations_held();
    gsample_sampler* s = set_up(c);
    const gsample_row row = next_row(c, 3);
    saved before;
    int32_t status, next, expected;
    gsample_sampler* twin;
    int failed;
    assert_int_equal(gsample_seed(s, TOKENS(1, 2, 3, 1, 2, 5, 1, 2)), 0);
    before = save_of(s);
    allocations_fail_after(fail);
    status = a->run(s, &row);
    failed = allocations_stop_failing();
    if (!failed && status != 0) fail_msg("%s of %s: %s", a->name, c->name, gsample_status_name(status));
    if (failed) {
      if (status != GSAMPLE_ERROR_OUT_OF_MEMORY && status != 0) fail_msg("%s of %s, allocation %zu: status %d", a->name, c->name, fail, status);
      if (status) {
        const saved now = save_of(s);
        if (now.n != before.n || memcmp(now.bytes, before.bytes, now.n)) fail_msg("%s of %s, allocation %zu: state moved", a->name, c->name, fail);
        free(now.bytes);
        /* What the state does not show, the next pick does. */
        twin = set_up(c);
        assert_int_equal(gsample_seed(twin, TOKENS(1, 2, 3, 1, 2, 5, 1, 2)), 0);
        next = gsample_pick_row(s, &row, NULL), expected = gsample_pick_row(twin, &row, NULL);
        if (next != expected) fail_msg("%s of %s, allocation %zu: the next token is %d, not %d", a->name, c->name, fail, next, expected);
        gsample_free(twin);
      }
    }
    gsample_free(s);
    free(before.bytes);
    if (allocations_held() != held) fail_msg("%s of %s, allocation %zu: %zu leaked", a->name, c->name, fail, allocations_held() - held);
    if (!failed) break;
    if (fail > 5000) fail_msg("%s of %s never ends", a->name, c->name);
  }
}

static void a_failed_allocation_moves_nothing(void** state) {
  size_t c, a;
  (void)state;
  others_ = preset_params("llama.cpp");
  for (c = 0; c < COUNT(chains); c++)
    for (a = 0; a < COUNT(actions); a++) {
      if ((!strcmp(actions[a].name, "custom") && chains[c].custom) || (chains[c].constrain && !strcmp(actions[a].name, "assign"))) continue;
      failures_of(&chains[c], &actions[a]);
    }
}

/* The same with memory reserved before, so that what is set grows what is there. */
static void a_failed_allocation_after_reserve(void** state) {
  const action setters[] = {{"constrain", do_constrain}, {"custom", do_custom}, {"set_params", do_set_params}, {"bias", do_bias}};
  size_t a;
  (void)state;
  for (a = 0; a < COUNT(setters); a++) {
    size_t fail;
    for (fail = 0;; fail++) {
      const size_t held = allocations_held();
      const chain c = {.name = "top-k", .set = top_k};
      gsample_sampler *s = set_up(&c), *twin = set_up(&c);
      const gsample_row row = next_row(&c, 3);
      int32_t status;
      int failed, i;
      assert_int_equal(gsample_reserve(s, N, 100), 0);
      allocations_fail_after(fail);
      status = setters[a].run(s, &row);
      failed = allocations_stop_failing();
      if (failed && status != 0) {
        assert_int_equal(status, GSAMPLE_ERROR_OUT_OF_MEMORY);
        for (i = 0; i < 5; i++)
          if (gsample_pick_row(s, &row, NULL) != gsample_pick_row(twin, &row, NULL)) fail_msg("%s, allocation %zu: it took effect", setters[a].name, fail);
      }
      gsample_free(s), gsample_free(twin);
      assert_int_equal(allocations_held(), held);
      if (!failed) break;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failed_allocation_moves_nothing),
      cmocka_unit_test(a_failed_allocation_after_reserve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
