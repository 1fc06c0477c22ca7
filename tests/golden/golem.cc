// Every fact of the golem oracle (tokens, probability bits, generator outputs, the row recipe itself) on one engine: `golem library`
// or `golem reference`.
#include <algorithm>
#include <bit>
#include <cstring>

#include "checks.h"
#include "oracle.h"
#include "reference.h"

namespace {

void check_picks(const char* file) {
  size_t picks = 0;
  for (GolemCase& g : golem_cases(file)) {
    if (g.c.params.top_p < 0) {  // golem takes it for 0; here it is out of range
      require(!on_library || !make_engine(g.c.params), g.c.name, "a negative top_p was taken");
      g.c.params.top_p = 0;
    }
    auto engine = make_engine(g.c.params);
    require(engine != nullptr, g.c.name, "the parameters were refused");
    Trace trace = play(g.c, *engine, Detail::PICKS);
    require(trace.setup == 0, g.c.name, "a call failed while the sampler was set up");
    for (size_t p = 0; p < g.tokens.size(); p++) {
      int32_t expected = g.defect ? GSAMPLE_ERROR_NO_CANDIDATE : g.tokens[p];
      if (trace.steps[p].token != expected) fail_case(g.c.name, "pick %zu: token %d expected, got %d", p, expected, trace.steps[p].token);
      picks++;
    }
    // A pick that fails moves nothing; golem's defective one has drawn.
    reference::Generator generator(g.c.params.seed), next(g.c.params.seed);
    for (uint64_t i = 0; i < g.rng_draws; i++) generator.next();
    reference::Generator copy = generator;
    require(copy.next() == g.next_u64, g.c.name, "the oracle's next_u64 is not what follows its rng_draws");
    double expected = g.defect ? next.uniform() : generator.uniform();
    require(trace.next == expected, g.c.name, "the number of generator outputs consumed differs");
  }
  print_message("%s: %zu picks equal\n", file, picks);
}

void sampler(void**) { check_picks("sampler.jsonl"); }
void constrained(void**) { check_picks("constrained.jsonl"); }

void bits(void**) {
  for (GolemBits& b : golem_bits()) {
    auto engine = make_engine(b.c.params);
    require(engine != nullptr && engine->seed(b.c.prompt) == 0, b.c.name, "set-up failed");
    Distribution got;
    require(engine->distribution(b.c.row(0), &got) == 0, b.c.name, "no distribution");
    require(got.ids == b.ids, b.c.name, "the ids differ");
    for (size_t i = 0; i < b.ids.size(); i++)
      require(std::bit_cast<uint64_t>(got.weights[i]) ==
                  std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(b.probability_bits[i]))),
              b.c.name, "a probability differs");
  }
}

void pcg(void**) {
  for (GolemPcg& g : golem_pcg()) {
    gsample_params params = default_params();
    params.seed = g.seed;
    auto engine = make_engine(params);
    reference::Generator generator(g.seed);
    for (uint64_t u : g.outputs) require(generator.next() == u, "pcg", "a raw output differs");
    for (double r : g.numbers) require(engine->uniform() == r, "pcg", "a number differs");
    require(engine->rng_seed(g.seed) == 0 && engine->uniform() == g.numbers[0], "pcg", "rng_seed does not start anew");
  }
}

void rows(void**) {
  for (GolemRow& g : golem_rows()) {
    RowData row = recipe_row(g.kind, g.n, g.row_seed, g.r);
    uint64_t fold = kFoldStart;
    for (float v : row.values) fold = fold64(fold, std::bit_cast<uint32_t>(v));
    require(fold == g.fold && row.values.size() == g.n, g.kind, "the recipe's row differs");
    for (size_t i = 0; i < g.first_bits.size(); i++)
      require(std::bit_cast<uint32_t>(row.values[i]) == g.first_bits[i], g.kind, "a logit differs");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!choose_engine(argc, argv)) return 2;
  if (oracle_file("golem/sampler.jsonl").empty()) return skip_all("../shared/oracle/golem is absent");
  const CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(pcg), cmocka_unit_test(sampler), cmocka_unit_test(constrained),
                              cmocka_unit_test(bits)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
