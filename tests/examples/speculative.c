/* Speculative decoding: a small draft model guesses the next DRAFTS tokens, the large target model reads all of them in one pass, and
   gsample_decide says which stand. The text is that of the target model alone, in fewer of its passes:

     drafts with their distributions   the tokens follow exactly the law of plain picks, and most drafts stand
     certain drafts                    the tokens are those of plain picks with the same seed, to the last one

   Prints how many drafts stood, and fails where the second or the statistics of the first do not hold. */
#include <gsample/gsample.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { N_VOCAB = 4096, DRAFTS = 4, CONTEXT = 2, MOST = 600 };

/* The models: made up, their next row depends on the last two tokens. The draft model knows what the target model knows, but for some
   tokens it thinks too much of. */
static void target_model(const int32_t* end_of_text, float* logits) {
  const uint64_t context = (uint64_t)end_of_text[-2] * N_VOCAB + (uint64_t)end_of_text[-1];
  rows_fill(logits, N_VOCAB, "peaked", 1, context);
}

static void draft_model(const int32_t* end_of_text, float* logits) {
  static float noise[N_VOCAB];
  int i;
  if (noise[0] == 0) rows_fill(noise, N_VOCAB, "flat", 2, 0);
  target_model(end_of_text, logits);
  for (i = 0; i < N_VOCAB; i++) logits[i] += 2 * noise[i];
}

static int32_t check(int32_t result, const char* what) {
  if (result >= 0) return result;
  fprintf(stderr, "%s: %s\n", what, gsample_status_name(result));
  exit(1);
}

/* All that is done for one sequence. */
typedef struct engine {
  gsample_sampler *target, *draft;
  gsample_dist* q[DRAFTS]; /* what each draft was drawn from */
  int certain;             /* each draft is the draft model's best token, and is sent without q */
  int32_t text[CONTEXT + MOST + DRAFTS + 1];
  size_t n_text;
  size_t passes, stood; /* of the target model; drafts that stood */
} engine;

/* The draft model continues the text by itself. Its sampler is one of its own: its chain may be any, as q says what came of it, but its
   seed must not be the target's, or the drafts would know the numbers that judge them. It accepts nothing, as nothing in its chain reads
   the history. (One that does goes back to the accepted text by gsample_assign, and then must not draw the same numbers again.) */
static void propose(engine* e) {
  static float logits[N_VOCAB];
  const gsample_row row = {.size = sizeof row, .n_vocab = N_VOCAB, .logits = logits};
  int32_t* end = e->text + e->n_text;
  int i;
  for (i = 0; i < DRAFTS; i++) {
    draft_model(end + i, logits);
    /* Where the engine has the draft's probabilities already, gsample_dist_set takes them. */
    check(gsample_dist_from_row(e->q[i], e->draft, &row), "gsample_dist_from_row");
    end[i] = e->certain ? gsample_dist_ids(e->q[i])[0] : check(gsample_dist_draw(e->q[i], e->draft), "gsample_dist_draw");
  }
}

/* One pass of the target model: 1 to DRAFTS + 1 tokens more. */
static void speculate(engine* e) {
  static float logits[DRAFTS + 1][N_VOCAB];
  int32_t *end = e->text + e->n_text, tokens[DRAFTS + 1];
  gsample_sequence sequence = {.size = sizeof sequence, .n_vocab = N_VOCAB, .sampler = e->target};
  uint32_t i;
  propose(e);
  for (i = 0; i <= DRAFTS; i++) target_model(end + i, logits[i]); /* row i has drafts 0 .. i - 1 in place; one batch in a real engine */
  sequence.n_rows = DRAFTS + 1;
  sequence.logits = logits;
  sequence.row_stride = sizeof logits[0];
  sequence.n_drafts = DRAFTS;
  sequence.drafts = end;
  sequence.draft_dists = e->certain ? NULL : (const gsample_dist* const*)e->q;
  sequence.tokens = tokens;
  check(gsample_decide(&sequence, 1, NULL, NULL), "gsample_decide");
  check(sequence.status, "gsample_decide");
  /* The sampler has accepted these tokens. What the models hold of drafts that did not stand (a real one's key-value cache) is cut off. */
  for (i = 0; i < sequence.n_tokens; i++) end[i] = tokens[i];
  e->n_text += sequence.n_tokens;
  e->stood += sequence.n_tokens - 1;
  e->passes++;
}

/* The same without a draft model: a pass for every token. */
static void plain(engine* e) {
  static float logits[N_VOCAB];
  target_model(e->text + e->n_text, logits);
  e->text[e->n_text] = check(gsample_pick(e->target, logits, N_VOCAB), "gsample_pick");
  e->n_text++;
  e->passes++;
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

static void engine_new(engine* e, int certain) {
  gsample_params params = {.size = sizeof params};
  int i;
  gsample_params_init(&params);
  params.temperature = 0.5f, params.top_k = 40, params.top_p = 0.9f, params.penalty_repeat = 1.1f;
  e->target = new_sampler(&params);
  params.penalty_repeat = 1;
  e->draft = new_sampler(&params);
  e->certain = certain;
  for (i = 0; i < DRAFTS; i++) check(gsample_dist_new(&e->q[i]), "gsample_dist_new");
}

static void engine_free(engine* e) {
  int i;
  gsample_free(e->target);
  gsample_free(e->draft);
  for (i = 0; i < DRAFTS; i++) gsample_dist_free(e->q[i]);
}

/* A new text; the prompt is two tokens. */
static void begin(engine* e, uint64_t seed) {
  e->text[0] = 17, e->text[1] = 4;
  e->n_text = CONTEXT;
  e->passes = e->stood = 0;
  check(gsample_reset(e->target), "gsample_reset");
  check(gsample_rng_seed(e->target, seed), "gsample_rng_seed");
  check(gsample_rng_seed(e->draft, ~seed), "gsample_rng_seed");
  check(gsample_seed(e->target, e->text, CONTEXT), "gsample_seed");
}

static void write_text(engine* e, uint64_t seed, size_t n, void (*go_on)(engine*)) {
  begin(e, seed);
  while (e->n_text < CONTEXT + n) go_on(e);
}

static void show(const engine* e, const char* drafts) {
  const double passes = (double)e->passes;
  printf("%-33s %.2f of %d drafts stood in a pass, %.2f tokens for a pass of the target model\n", drafts, (double)e->stood / passes,
         DRAFTS, (double)(e->n_text - CONTEXT) / passes);
}

/* The joint law of the first three tokens, in RUNS texts of each kind. Equal laws give a chi-square whose deviation from its mean (in
   standard deviations, Wilson and Hilferty 1931) is above 5 once in three million times, and a total variation distance between the two
   counts above sqrt(cells / 2 / RUNS) + sqrt(15 / RUNS) at most as seldom (its mean's bound, and McDiarmid's inequality). The seeds are
   fixed: what holds once holds always, on every machine. */
enum { RUNS = 20000, FEW = 20 };

static uint64_t first_three(const engine* e) {
  const int32_t* text = e->text + CONTEXT;
  return ((uint64_t)text[0] * N_VOCAB + (uint64_t)text[1]) * N_VOCAB + (uint64_t)text[2];
}

static int by_value(const void* a, const void* b) {
  return (*(const uint64_t*)a > *(const uint64_t*)b) - (*(const uint64_t*)a < *(const uint64_t*)b);
}

typedef struct comparison {
  double chi, distance;
  int cells;
} comparison;

static void compare_cell(comparison* c, size_t in_a, size_t in_b) {
  const double difference = (double)in_a - (double)in_b;
  if (in_a + in_b == 0) return;
  c->chi += difference * difference / (double)(in_a + in_b);
  c->distance += fabs(difference) / 2 / RUNS;
  c->cells++;
}

static int same_law(uint64_t* a, uint64_t* b) {
  comparison c = {0, 0, 0};
  size_t i = 0, k = 0, rest_a = 0, rest_b = 0;
  double spread, deviation, bound;
  qsort(a, RUNS, sizeof *a, by_value);
  qsort(b, RUNS, sizeof *b, by_value);
  while (i < RUNS || k < RUNS) {
    const uint64_t cell = k == RUNS || (i < RUNS && a[i] < b[k]) ? a[i] : b[k];
    size_t in_a = 0, in_b = 0;
    for (; i < RUNS && a[i] == cell; i++) in_a++;
    for (; k < RUNS && b[k] == cell; k++) in_b++;
    if (in_a + in_b >= FEW) compare_cell(&c, in_a, in_b);
    else rest_a += in_a, rest_b += in_b; /* the rare ones together */
  }
  compare_cell(&c, rest_a, rest_b);
  spread = 2. / 9 / (c.cells - 1);
  deviation = (cbrt(c.chi / (c.cells - 1)) - (1 - spread)) / sqrt(spread);
  bound = sqrt(c.cells / 2. / RUNS) + sqrt(15. / RUNS);
  printf("drafts with their distributions and plain picks, the first three tokens of %d texts each, %d cells:\n", RUNS, c.cells);
  printf("  chi-square %+.2f standard deviations off its mean, at most 5; total variation distance %.4f, at most %.4f\n", deviation, c.distance,
         bound);
  return deviation <= 5 && c.distance <= bound;
}

int main(void) {
  static engine with_q, certain, alone;
  static uint64_t drafted[RUNS], picked[RUNS];
  size_t i, same = 0;
  int equal;
  uint64_t run;
  engine_new(&with_q, 0), engine_new(&certain, 1), engine_new(&alone, 1);

  write_text(&with_q, 1, MOST, speculate);
  show(&with_q, "drafts with their distributions:");
  write_text(&certain, 1, MOST, speculate);
  show(&certain, "certain drafts:");
  write_text(&alone, 1, MOST, plain);
  for (i = CONTEXT; i < CONTEXT + MOST; i++) same += certain.text[i] == alone.text[i];
  printf("certain drafts and plain picks: %zu of %d tokens are the same\n", same, MOST);

  for (run = 0; run < RUNS; run++) {
    write_text(&with_q, 2 * run, 3, speculate);
    write_text(&alone, 2 * run + 1, 3, plain);
    drafted[run] = first_three(&with_q), picked[run] = first_three(&alone);
  }
  equal = same_law(drafted, picked);
  engine_free(&with_q), engine_free(&certain), engine_free(&alone);
  return same == MOST && equal ? 0 : 1;
}
