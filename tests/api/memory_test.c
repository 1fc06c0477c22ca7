/* What a sampler allocates: nothing within what was reserved, whatever the chain; little with top-k; and an allocation that fails moves
   nothing and leaks nothing, whichever it is. Linked statically with an operator new that counts and fails. */
#include "allocations.h"
#include "constraint_support.h"

enum { N = 4000, BIG = 262144 };

typedef struct chain {
  const char* name;
  void (*set)(gsample_params*);
  int constrain; /* 1: most draws are refused */
  int custom, bias;
  uint32_t dtype;
  int masked;
} chain;

static void top_k(gsample_params* p) { p->top_k = 40, p->top_p = .95f, p->min_p = .05f, p->temperature = .8f; }
static void greedy(gsample_params* p) { p->temperature = 0; }
static void nothing(gsample_params* p) { (void)p; }
static void top_p(gsample_params* p) { p->top_p = .95f; }
static void min_p(gsample_params* p) { p->min_p = .01f; }
static void typical(gsample_params* p) { p->typical_p = .9f; }
static void sigma(gsample_params* p) { p->top_n_sigma = 1; }
static void xtc(gsample_params* p) { p->xtc_probability = .5f, p->xtc_threshold = .001f; }
static void dynamic(gsample_params* p) { p->dynatemp_range = .5f; }
static void window(gsample_params* p) { top_k(p), p->penalty_repeat = 1.1f, p->penalty_freq = .1f; }
static void window_raising(gsample_params* p) { top_k(p), p->penalty_repeat = .9f, p->penalty_freq = -.1f, p->penalty_last_n = -1; }
static void answer(gsample_params* p) { window(p), p->penalty_style = GSAMPLE_PENALTY_ANSWER; }
static void answer_whole(gsample_params* p) { answer(p), p->top_k = 0, p->min_p = 0; }
static void dry(gsample_params* p) { top_k(p), p->dry_multiplier = .8f; }
static void dry_and_penalties(gsample_params* p) { answer(p), p->dry_multiplier = .8f, p->dry_allowed_length = 1; }
static void order_with(gsample_params* p, int32_t last) {
  const int32_t order[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_TEMPERATURE, last};
  set_order(p, order, 3);
}
static void mirostat_1(gsample_params* p) { order_with(p, GSAMPLE_STAGE_MIROSTAT), p->mirostat = 1; }
static void mirostat_2(gsample_params* p) { order_with(p, GSAMPLE_STAGE_MIROSTAT), p->mirostat = 2; }
static void adaptive(gsample_params* p) { order_with(p, GSAMPLE_STAGE_ADAPTIVE_P), p->adaptive_target = .1f; }
static void custom(gsample_params* p) { order_with(p, GSAMPLE_STAGE_CUSTOM); }
static void mask_first(gsample_params* p) { top_k(p), p->constraint_mode = GSAMPLE_CONSTRAINT_MASK_FIRST; }
static void mask_last(gsample_params* p) { top_p(p), p->constraint_mode = GSAMPLE_CONSTRAINT_MASK_LAST; }
static void late_penalties(gsample_params* p) {
  const int32_t order[] = {GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_DRY, GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_TEMPERATURE};
  p->top_k = 100, p->penalty_repeat = 1.2f, p->dry_multiplier = .5f, p->top_p = .9f;
  set_order(p, order, 5);
}

static const chain chains[] = {
    {.name = "top-k", .set = top_k},
    {.name = "greedy", .set = greedy},
    {.name = "the whole row", .set = nothing},
    {.name = "top-p", .set = top_p},
    {.name = "min-p", .set = min_p},
    {.name = "typical-p", .set = typical},
    {.name = "top-n-sigma", .set = sigma},
    {.name = "xtc", .set = xtc},
    {.name = "dynamic temperature", .set = dynamic},
    {.name = "penalties, window", .set = window},
    {.name = "penalties that raise", .set = window_raising},
    {.name = "penalties, answer", .set = answer},
    {.name = "penalties, answer, whole row", .set = answer_whole},
    {.name = "dry", .set = dry},
    {.name = "dry and penalties", .set = dry_and_penalties},
    {.name = "mirostat 1", .set = mirostat_1},
    {.name = "mirostat 2", .set = mirostat_2},
    {.name = "adaptive-p", .set = adaptive},
    {.name = "penalties in the middle", .set = late_penalties},
    {.name = "custom", .set = custom, .custom = 1},
    {.name = "bias", .set = top_k, .bias = 1},
    {.name = "bias and penalties, whole row", .set = answer_whole, .bias = 1},
    {.name = "lazy, refused", .set = top_k, .constrain = 1},
    {.name = "lazy, refused, whole row", .set = nothing, .constrain = 1},
    {.name = "lazy, refused, greedy", .set = greedy, .constrain = 1},
    {.name = "mask first", .set = mask_first, .constrain = 1},
    {.name = "mask last", .set = mask_last, .constrain = 1},
    {.name = "f16", .set = top_k, .dtype = GSAMPLE_F16},
    {.name = "f16, whole row", .set = nothing, .dtype = GSAMPLE_F16},
    {.name = "bf16, masked", .set = top_k, .dtype = GSAMPLE_BF16, .masked = 1},
    {.name = "masked, whole row", .set = top_p, .masked = 1},
};

static asked log_;

static gsample_sampler* set_up(const chain* c) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  c->set(&params);
  s = make(&params);
  asked_nothing(&log_);
  if (c->bias) {
    const float biases[] = {3, -2, -INFINITY};
    assert_int_equal(gsample_bias(s, (const int32_t[]){5, 70, 4}, biases, 3), 0);
  }
  if (c->constrain) {
    gsample_constraint constraint = constraint_of(rule_new(&log_, 7, 3));
    constraint.first_bytes = rule_first_bytes, constraint.first_byte = rule_first_byte;
    assert_int_equal(gsample_constrain(s, &constraint), 0);
  }
  if (c->custom) {
    const gsample_custom stage = custom_of(rule_new(&log_, 1, 0));
    assert_int_equal(gsample_set_custom(s, &stage), 0);
  }
  return s;
}

static float row_[N];
static uint16_t halves_[N];
static uint32_t mask_[(N + 31) / 32];

/* Another row each time; what is best moves about, and equal logits are common. */
static gsample_row next_row(const chain* c, int step) {
  gsample_row row = row_of(row_, N);
  int i;
  for (i = 0; i < N; i++) {
    const uint32_t x = ((uint32_t)i * 2654435761u + (uint32_t)step * 40503u) >> 16;
    row_[i] = (float)(x % 997) * (x % 13 ? .002f : .012f);
    halves_[i] = (uint16_t)(c->dtype == GSAMPLE_F16 ? 0x3000 + x % 0x1800 : 0x3f00 + x % 0x180);
  }
  for (i = 0; i < (N + 31) / 32; i++) mask_[i] = 0x5a5a0ff0u ^ (uint32_t)(i * step);
  if (c->dtype) row.dtype = c->dtype, row.logits = halves_;
  if (c->masked) row.mask = mask_;
  return row;
}

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
      cmocka_unit_test(a_reserved_pick_allocates_nothing), cmocka_unit_test(a_reservation_outlives_what_is_set_after_it),
      cmocka_unit_test(a_warm_pick_allocates_nothing),     cmocka_unit_test(top_k_samplers_are_small),
      cmocka_unit_test(memory_is_what_is_held),            cmocka_unit_test(a_failed_allocation_moves_nothing),
      cmocka_unit_test(a_failed_allocation_after_reserve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
