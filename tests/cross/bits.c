/* The promise of same bits: hashes over tokens, probabilities, logprobs and saved states of many chains and rows, the same on every machine.
   argv[1] names a file with a line "group hash" for each group; without it the lines are printed. Any difference fails: either a target
   computes differently, or the meaning of picks has changed, which only a new GSAMPLE_SEMANTICS may do. */
#include <gsample/gsample.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MOST_VOCAB = 32000 };
static float logits[4 * MOST_VOCAB];
static uint64_t hash;

static void mix(uint64_t value) { hash = (hash ^ value) * 1099511628211u; }

static void mix_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  mix(bits);
}

static void mix_bytes(const uint8_t* bytes, size_t n) {
  size_t i;
  for (i = 0; i < n; i++) mix(bytes[i]);
}

/* Chains as an order of stages and what is set: every stage, and orders in which one reads the whole row. */
typedef struct chain {
  const char* name;
  const char* settings; /* key=value, separated by blanks; "preset=" goes first */
} chain;

static const chain chains[] = {
    {"greedy", "preset=greedy"},
    {"golem", "preset=golem"},
    {"llama.cpp", "preset=llama.cpp top_k=40 penalty_repeat=1.2 penalty_freq=0.1"},
    {"vllm", "preset=vllm temperature=0.7 top_p=0.9 min_p=0.02 penalty_repeat=1.1 penalty_present=0.5"},
    {"hf", "preset=hf top_k=0 temperature=1.3 top_p=0.8 typical_p=0.9"},
    {"ollama", "preset=ollama top_k=100"},
    {"openai", "preset=openai temperature=1.1 penalty_freq=0.7"},
    {"temperature", "order=temperature temperature=0.9 top_k=0 top_p=1"},
    {"top_p", "top_k=0 top_p=0.7 temperature=1.2"},
    {"min_p", "top_k=0 top_p=1 min_p=0.3"},
    {"typical_p", "top_k=0 top_p=1 typical_p=0.6"},
    {"top_n_sigma", "top_k=0 top_p=1 top_n_sigma=1.5"},
    {"xtc", "top_k=0 top_p=1 xtc_probability=0.6 xtc_threshold=0.01"},
    {"dynatemp", "top_k=200 top_p=1 dynatemp_range=0.8 dynatemp_exponent=1.7"},
    {"dry", "top_k=50 dry_multiplier=0.9 dry_base=1.6 dry_allowed_length=1"},
    {"mirostat 1", "top_k=0 top_p=1 mirostat=1 mirostat_tau=4"},
    {"mirostat 2", "top_k=0 top_p=1 mirostat=2 mirostat_tau=3"},
    {"adaptive_p", "order=penalties,temperature,adaptive_p top_k=0 top_p=1 adaptive_target=0.4"},
};

static gsample_sampler* make(const char* settings, uint64_t seed) {
  gsample_error error = {.size = sizeof error};
  gsample_params params = {.size = sizeof params};
  gsample_sampler* sampler = NULL;
  char text[256], *word;
  CHECK(strlen(settings) < sizeof text);
  strcpy(text, settings);
  CHECK(gsample_params_init(&params) == 0);
  for (word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    char* value = strchr(word, '=');
    int32_t result;
    *value++ = '\0';
    result = strcmp(word, "preset") ? gsample_params_set(&params, word, value, &error) : gsample_params_preset(&params, value, &error);
    if (result < 0) fprintf(stderr, "%s=%s: %s\n", word, value, error.message), exit(1);
  }
  params.seed = seed;
  if (gsample_new(&params, &sampler, &error) < 0) fprintf(stderr, "%s: %s\n", settings, error.message), exit(1);
  return sampler;
}

static void hash_generator(void) {
  uint64_t seed;
  int i;
  for (seed = 0; seed < 4; seed++) {
    gsample_sampler* sampler = make("", seed << 40 | seed);
    for (i = 0; i < 1000; i++) mix_double(gsample_uniform(sampler));
    gsample_free(sampler);
  }
}

/* Tokens of some picks, and what the last pick but one would have drawn from. */
static void hash_chain(const char* settings) {
  static const char* const kinds[] = {"cubic", "flat", "ties16", "peaked", "masked"};
  static const uint32_t widths[] = {5, 1000, 4097, MOST_VOCAB};
  static const int32_t prompt[] = {1, 2, 3, 4, 900, 1, 2, 3};
  gsample_dist* dist = NULL;
  size_t k, w, i;
  CHECK(gsample_dist_new(&dist) == 0);
  for (k = 0; k < COUNT(kinds); k++)
    for (w = 0; w < COUNT(widths); w++) {
      gsample_row row = {.size = sizeof row, .dtype = GSAMPLE_F32, .n_vocab = widths[w], .logits = logits};
      gsample_sampler* sampler = make(settings, k * 100 + w);
      CHECK(gsample_seed(sampler, prompt, COUNT(prompt)) == 0);
      for (i = 0; i < 8; i++) {
        int32_t token;
        CHECK(rows_fill(logits, widths[w], kinds[k], 99 + k, i / 2) == 0);
        token = gsample_pick(sampler, logits, widths[w]);
        mix((uint64_t)(uint32_t)token);
      }
      if (gsample_dist_from_row(dist, sampler, &row) >= 0)
        for (i = 0; i < gsample_dist_size(dist); i++) {
          mix((uint64_t)(uint32_t)gsample_dist_ids(dist)[i]);
          mix_double(gsample_dist_weights(dist)[i]);
        }
      mix_double(gsample_uniform(sampler));
      gsample_free(sampler);
    }
  gsample_dist_free(dist);
}

/* Rows of 16-bit logits: bit patterns of finite halves, all of them and all signs. */
static void hash_halves(void) {
  static uint16_t halves[MOST_VOCAB];
  static uint32_t mask[(MOST_VOCAB + 31) / 32];
  uint32_t dtype, i;
  for (dtype = GSAMPLE_F16; dtype <= GSAMPLE_BF16; dtype++) {
    gsample_row row = {.size = sizeof row, .dtype = dtype, .n_vocab = MOST_VOCAB, .logits = halves, .mask = mask};
    gsample_sampler* sampler = make("top_k=0 top_p=0.9 temperature=1.5", dtype);
    uint64_t step;
    for (step = 0; step < 8; step++) {
      for (i = 0; i < MOST_VOCAB; i++) {
        uint64_t x = rows_splitmix64(step * MOST_VOCAB + i);
        halves[i] = (uint16_t)(dtype == GSAMPLE_F16 ? (x & 0x8000) | x % 0x4a00 : (x & 0x8000) | x % 0x4140);
      }
      for (i = 0; i < COUNT(mask); i++) mask[i] = (uint32_t)(rows_splitmix64(step + i) >> 32);
      mix((uint64_t)(uint32_t)gsample_pick_row(sampler, &row, NULL));
    }
    mix_double(gsample_uniform(sampler));
    gsample_free(sampler);
  }
}

static void hash_logprobs(void) {
  static const uint32_t modes[] = {GSAMPLE_LOGPROB_RAW, GSAMPLE_LOGPROB_RAW_LOGIT, GSAMPLE_LOGPROB_PROCESSED};
  gsample_sampler* sampler = make("top_k=20 temperature=0.8 penalty_repeat=1.3", 5);
  gsample_row row = {.size = sizeof row, .dtype = GSAMPLE_F32, .n_vocab = MOST_VOCAB, .logits = logits};
  size_t m, i, step;
  for (m = 0; m < COUNT(modes); m++)
    for (step = 0; step < 6; step++) {
      gsample_logprob top[10];
      gsample_choice choice = {.size = sizeof choice, .logprob_mode = modes[m], .n_top = COUNT(top), .top = top};
      CHECK(rows_fill(logits, MOST_VOCAB, step % 2 ? "cubic" : "ties16", 7, step) == 0);
      CHECK(gsample_pick_row(sampler, &row, &choice) >= 0);
      mix((uint64_t)(uint32_t)choice.token);
      mix((uint64_t)(uint32_t)choice.rank);
      mix_double(choice.logprob);
      for (i = 0; i < choice.n_written; i++) {
        mix((uint64_t)(uint32_t)top[i].token);
        mix((uint64_t)(uint32_t)top[i].rank);
        mix_double(top[i].logprob);
      }
    }
  gsample_free(sampler);
}

/* A step of sequences with certain drafts, and with drafts drawn from a distribution of their own. */
static void hash_decide(void) {
  enum { SEQUENCES = 8, DRAFTS = 3, WIDTH = 1000 };
  static float rows[SEQUENCES][DRAFTS + 1][WIDTH];
  gsample_sequence sequences[SEQUENCES];
  const gsample_dist* dists[DRAFTS];
  int32_t tokens[SEQUENCES][DRAFTS + 1], drafts[DRAFTS];
  gsample_dist* q = NULL;
  gsample_sampler* drafter = make("top_k=10 temperature=1.4", 77);
  size_t s, d;
  gsample_row row = {.size = sizeof row, .dtype = GSAMPLE_F32, .n_vocab = WIDTH, .logits = rows[0][0]};
  for (s = 0; s < SEQUENCES; s++)
    for (d = 0; d <= DRAFTS; d++) CHECK(rows_fill(rows[s][d], WIDTH, "flat", s / 4, d) == 0);
  CHECK(gsample_dist_new(&q) == 0 && gsample_dist_from_row(q, drafter, &row) == 0);
  for (d = 0; d < DRAFTS; d++) {
    dists[d] = q;
    drafts[d] = gsample_dist_draw(q, drafter);
    CHECK(drafts[d] >= 0);
  }
  memset(sequences, 0, sizeof sequences);
  for (s = 0; s < SEQUENCES; s++) {
    gsample_sequence* sequence = &sequences[s];
    sequence->size = sizeof *sequence;
    sequence->dtype = GSAMPLE_F32;
    sequence->n_vocab = WIDTH;
    sequence->n_rows = DRAFTS + 1;
    sequence->n_drafts = DRAFTS;
    sequence->sampler = make("top_k=12 temperature=1.5 penalty_repeat=1.1", s);
    sequence->logits = rows[s];
    sequence->row_stride = sizeof rows[s][0];
    sequence->drafts = drafts;
    sequence->draft_dists = s % 2 ? dists : NULL;
    sequence->tokens = tokens[s];
  }
  CHECK(gsample_decide(sequences, SEQUENCES, NULL, NULL) == 0);
  for (s = 0; s < SEQUENCES; s++) {
    mix(sequences[s].n_tokens);
    for (d = 0; d < sequences[s].n_tokens; d++) mix((uint64_t)(uint32_t)tokens[s][d]);
    mix_double(gsample_uniform(sequences[s].sampler));
    gsample_free(sequences[s].sampler);
  }
  gsample_free(drafter);
  gsample_dist_free(q);
}

static void hash_saved(void) {
  static const int32_t prompt[] = {5, 6, 7}, breaker[] = {10, 11}, banned[] = {3, 4};
  static const float biases[] = {-1.5f, 0.25f};
  gsample_sampler* sampler = make("mirostat=2 top_k=0 top_p=1 dry_multiplier=0.5 penalty_repeat=1.1", 12345678901234567u);
  uint8_t bytes[4096];
  int64_t n;
  int i;
  CHECK(gsample_seed(sampler, prompt, COUNT(prompt)) == 0 && gsample_dry_breaker(sampler, breaker, COUNT(breaker)) == 0);
  CHECK(gsample_bias(sampler, banned, biases, COUNT(banned)) == 0 && gsample_stop(sampler, banned, 1) == 0);
  for (i = 0; i < 10; i++) {
    CHECK(rows_fill(logits, 1000, "cubic", 3, (uint64_t)i) == 0);
    CHECK(gsample_pick(sampler, logits, 1000) >= 0);
  }
  n = gsample_save(sampler, bytes, sizeof bytes);
  CHECK(n > 0);
  mix_bytes(bytes, (size_t)n);
  gsample_free(sampler);
}

/* Masks along a text, by a grammar over a vocabulary of all single bytes and some longer tokens. */
static void hash_grammar(void) {
  static const char* const longer[] = {"{\"", "\":", "name", "true", "12", ", ", "\xe4\xbd", "\xa0"};
  static const char gbnf[] = "root ::= \"{\" pair (\", \" pair)* \"}\"\npair ::= \"\\\"\" [a-z]+ \"\\\":\" (\"true\" | [0-9]{1,3} | root)";
  static const char text[] = "{\"name\":12, \"x\":{\"y\":true}}";
  uint8_t bytes[256 + 64];
  uint64_t offsets[256 + COUNT(longer) + 1];
  gsample_vocab_desc desc = {.size = sizeof desc, .n_vocab = 256 + COUNT(longer), .n_tokens = 256 + COUNT(longer)};
  gsample_error error = {.size = sizeof error};
  gsample_vocab* vocab = NULL;
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  uint32_t words[(256 + COUNT(longer) + 31) / 32];
  size_t i, w, n = 0;
  for (i = 0; i < 256 + COUNT(longer); i++) {
    offsets[i] = n;
    if (i < 256) bytes[n++] = (uint8_t)i;
    if (i >= 256) memcpy(bytes + n, longer[i - 256], strlen(longer[i - 256])), n += strlen(longer[i - 256]);
  }
  offsets[i] = n;
  desc.bytes = bytes;
  desc.offsets = offsets;
  CHECK(gsample_vocab_new(&desc, &vocab, &error) == 0);
  if (gsample_grammar_from_gbnf(vocab, gbnf, sizeof gbnf - 1, NULL, &grammar, &error) < 0) fprintf(stderr, "%s\n", error.message), exit(1);
  CHECK(gsample_matcher_new(grammar, &matcher) == 0);
  for (i = 0; i + 1 < sizeof text; i++) {
    CHECK(gsample_matcher_mask(matcher, words, COUNT(words)) >= 0);
    for (w = 0; w < COUNT(words); w++) mix(words[w]);
    CHECK(gsample_matcher_accept(matcher, (uint8_t)text[i]) >= 0);
  }
  mix((uint64_t)gsample_matcher_can_stop(matcher));
  gsample_matcher_free(matcher);
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);
}

/* Ends a group: prints its line, or compares it with the line of the file. Returns whether they agree. */
static int finish(FILE* expected, const char* group) {
  char name[64];
  unsigned long long value;
  int same = 1;
  if (expected) {
    same = fscanf(expected, " %63[^:]: %llx", name, &value) == 2 && strcmp(name, group) == 0 && value == hash;
    if (!same) printf("%s: %016llx differs\n", group, (unsigned long long)hash);
  } else {
    printf("%s: %016llx\n", group, (unsigned long long)hash);
  }
  hash = 1469598103934665603u;
  return same;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } groups[] = {{"generator", hash_generator}, {"halves", hash_halves}, {"logprobs", hash_logprobs},
                {"decide", hash_decide},       {"saved", hash_saved},   {"grammar", hash_grammar}};
  FILE* expected = argc > 1 ? fopen(argv[1], "r") : NULL;
  size_t i;
  int same = 1;
  CHECK(argc == 1 || expected);
  hash = 1469598103934665603u;
  for (i = 0; i < COUNT(chains); i++) {
    hash_chain(chains[i].settings);
    same &= finish(expected, chains[i].name);
  }
  for (i = 0; i < COUNT(groups); i++) {
    groups[i].run();
    same &= finish(expected, groups[i].name);
  }
  if (expected) fclose(expected);
  printf("%s: semantics %d, %zu groups\n", gsample_target(), GSAMPLE_SEMANTICS, COUNT(chains) + COUNT(groups));
  return same ? 0 : 1;
}
