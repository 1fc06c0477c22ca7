/* A date by a regular expression, without a sampler: the matcher's mask goes into the row, as an engine with a sampler of its own does. */
#include "rows.h"
#include "small_vocab.h"

int main(void) {
  static const char date[] = "(19|20)\\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
  gsample_error error = {.size = sizeof error};
  gsample_vocab* vocab = small_vocab();
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  static float logits[N_VOCAB];
  static uint32_t mask[(N_VOCAB + 31) / 32];
  int32_t i;

  if (gsample_grammar_from_regex(vocab, date, sizeof date - 1, &grammar, &error) < 0) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (gsample_matcher_new(grammar, &matcher) < 0) return 1;
  for (i = 0; i < 100; i++) {
    gsample_row row = {.size = sizeof row, .dtype = GSAMPLE_F32, .n_vocab = N_VOCAB, .logits = logits, .mask = mask};
    int32_t token;
    rows_fill(logits, N_VOCAB, "cubic", 3, (uint64_t)i);
    if (gsample_matcher_mask(matcher, mask, sizeof mask / sizeof *mask) < 0) return 1;
    token = gsample_best(&row);
    if (token < 0 || gsample_matcher_accept(matcher, token) < 0) return 1;
    if (token == END_OF_TEXT) break;
    put_token(vocab, token);
  }
  printf("\n");
  gsample_matcher_free(matcher);
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);
  return i < 100 ? 0 : 1;
}
