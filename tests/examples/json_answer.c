/* A JSON answer from a model that says nothing: logits of pure noise, a grammar, and the text printed is JSON all the same. */
#include "rows.h"
#include "small_vocab.h"

static const char json[] =
    "root   ::= object\n"
    "object ::= \"{\" ws pair (\",\" ws pair){0,4} \"}\"\n"
    "pair   ::= string \":\" ws value\n"
    "value  ::= object | array | string | number | \"true\" | \"false\" | \"null\"\n"
    "array  ::= \"[\" (value (\",\" ws value){0,3})? \"]\"\n"
    "string ::= \"\\\"\" ([^\"\\\\\\x00-\\x1F\\x7F] | \"\\\\\" ([\"\\\\bfnrt/] | \"u\" [0-9a-fA-F]{4})){0,12} \"\\\"\"\n"
    "number ::= \"-\"? (\"0\" | [1-9] [0-9]{0,5}) (\".\" [0-9]{1,3})?\n"
    "ws     ::= \" \"?\n";

int main(int argc, char** argv) {
  gsample_error error = {.size = sizeof error};
  gsample_params params = {.size = sizeof params};
  gsample_constraint constraint = {.size = sizeof constraint};
  gsample_vocab* vocab = small_vocab();
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  gsample_sampler* sampler = NULL;
  static float logits[N_VOCAB];
  int32_t token = 0, i;

  gsample_params_init(&params);
  params.seed = argc > 1 ? (uint64_t)argv[1][0] : 1;
  if (gsample_grammar_from_gbnf(vocab, json, sizeof json - 1, NULL, &grammar, &error) < 0 || gsample_new(&params, &sampler, &error) < 0) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (gsample_matcher_new(grammar, &matcher) < 0 || gsample_matcher_constraint(matcher, &constraint) < 0 ||
      gsample_constrain(sampler, &constraint) < 0)
    return 1;
  for (i = 0; token != END_OF_TEXT && i < 10000; i++) {
    rows_fill(logits, N_VOCAB, "flat", params.seed, (uint64_t)i); /* a model would do this */
    token = gsample_pick(sampler, logits, N_VOCAB);
    if (token < 0) {
      fprintf(stderr, "%s\n", gsample_status_name(token));
      return 1;
    }
    if (token != END_OF_TEXT) put_token(vocab, token);
  }
  gsample_free(sampler); /* and with it the matcher */
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);
  return token == END_OF_TEXT ? 0 : 1;
}
