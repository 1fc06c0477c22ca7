/* A grammar that begins after the model has thought: until the token that ends its thinking nothing is constrained, from there on the
   answer is one of three words. */
#include "rows.h"
#include "small_vocab.h"

int main(void) {
  static const char answer[] = "root ::= \"true\" | \"false\" | \"null\"";
  static const int32_t after[] = {END_THINK};
  gsample_error error = {.size = sizeof error};
  gsample_params params = {.size = sizeof params};
  gsample_constraint constraint = {.size = sizeof constraint};
  gsample_vocab* vocab = small_vocab();
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  gsample_sampler* sampler = NULL;
  static float logits[N_VOCAB];
  int32_t token = 0, i, thought = 0;

  gsample_params_init(&params);
  params.seed = 5;
  if (gsample_grammar_from_gbnf(vocab, answer, sizeof answer - 1, NULL, &grammar, &error) < 0 ||
      gsample_new(&params, &sampler, &error) < 0) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (gsample_matcher_new(grammar, &matcher) < 0 || gsample_matcher_constraint(matcher, &constraint) < 0) return 1;
  constraint.after = after;
  constraint.n_after = 1;
  if (gsample_constrain(sampler, &constraint) < 0) return 1;
  for (i = 0; i < 1000 && token != END_OF_TEXT; i++) {
    rows_fill(logits, N_VOCAB, "cubic", 11, (uint64_t)i);
    if (i == 20) logits[END_THINK] = 100; /* the model has thought enough */
    if (i < 20) logits[END_THINK] = logits[END_OF_TEXT] = -100;
    token = gsample_pick(sampler, logits, N_VOCAB);
    if (token < 0) {
      fprintf(stderr, "%s\n", gsample_status_name(token));
      return 1;
    }
    if (token == END_THINK) thought = 1;
    else if (thought && token != END_OF_TEXT) put_token(vocab, token);
  }
  printf("\n");
  gsample_free(sampler);
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);
  return token == END_OF_TEXT ? 0 : 1;
}
