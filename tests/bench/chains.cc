// A pick, as an engine pays for it: from the row to the accepted token, by chain, kind of row and vocabulary. Every pick is preceded by
// a plain scan of another row, the floor, so that both are timed in the same state of the same machine; "x_floor" is the ratio of the
// medians. The letters are those of the table in the README.
#include <benchmark/benchmark.h>
#include <gsample/gsample.h>

#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clock.h"
#include "rows.h"

namespace {

struct Chain {
  const char* letter;
  const char* what;
  std::vector<std::pair<const char*, const char*>> params;
  size_t prompt = 0;
  bool half = false;
  bool constrained = false;
};

using Params = std::vector<std::pair<const char*, const char*>>;

Params with(Params base, Params more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

const Params kB = {{"top_k", "40"}, {"top_p", "0.95"}, {"min_p", "0.05"}, {"temperature", "0.8"}};
const Params kOpen = {{"top_k", "0"}, {"top_p", "1"}};
const Params kPenalties = {{"penalty_last_n", "64"}, {"penalty_repeat", "1.1"}};

const std::vector<Chain> kChains = {
    {"a", "greedy", {{"temperature", "0"}}},
    {"b", "top_k 40, top_p 0.95, min_p 0.05, T 0.8", kB},
    {"c", "top_k 64, top_p 0.95, T 1", {{"top_k", "64"}, {"top_p", "0.95"}}},
    {"d", "penalties (64, 1.1) + b", with(kB, kPenalties), 64},
    {"e", "top_p 0.95, T 1", {{"top_k", "0"}, {"top_p", "0.95"}}},
    {"f", "min_p 0.05, T 1", with(kOpen, {{"min_p", "0.05"}})},
    {"g", "T 1 only", kOpen},
    {"h", "typical 0.95", with(kOpen, {{"typical_p", "0.95"}})},
    {"i", "top_n_sigma 1", with(kOpen, {{"top_n_sigma", "1"}})},
    {"j", "DRY (2048 tokens) + b", with(kB, {{"dry_multiplier", "0.8"}}), 2048},
    {"k", "mirostat 2", with({{"mirostat", "2"}}, kOpen)},
    {"l", "XTC on the whole row", with(kOpen, {{"xtc_probability", "0.5"}})},
    {"m", "top_k 1000, top_p 0.95", {{"top_k", "1000"}, {"top_p", "0.95"}}},
    {"n", "penalties + DRY + b", with(with(kB, kPenalties), {{"dry_multiplier", "0.8"}}), 2048},
    {"o", "b under a constraint that allows the token", kB, 0, false, true},
    {"p", "b on f16 rows", kB, 0, true},
    {"q", "penalties in answer style (1.1), 32k prompt, + b", with(kB, {{"penalty_style", "answer"}, {"penalty_repeat", "1.1"}}), 32768},
    {"bv", "b in the order of vLLM", with({{"order", "penalties,temperature,min_p,top_k,top_p"}}, kB)},
    {"et", "T 0.8 before top_p 0.95", {{"order", "temperature,top_p"}, {"top_k", "0"}, {"top_p", "0.95"}, {"temperature", "0.8"}}},
};

gsample_sampler* sampler_for(const Chain& chain, size_t n_vocab) {
  gsample_params params;
  params.size = sizeof params;
  gsample_error error{};
  error.size = sizeof error;
  gsample_params_init(&params);
  for (const auto& [key, value] : chain.params)
    if (gsample_params_set(&params, key, value, &error) < 0) return std::fprintf(stderr, "%s\n", error.message), nullptr;
  gsample_sampler* sampler = nullptr;
  if (gsample_new(&params, &sampler, &error) < 0) return std::fprintf(stderr, "%s\n", error.message), nullptr;
  std::mt19937_64 random(5);
  std::vector<int32_t> prompt(chain.prompt);
  for (int32_t& token : prompt) token = static_cast<int32_t>(random() % n_vocab);
  gsample_seed(sampler, prompt.data(), prompt.size());
  if (chain.constrained) {
    gsample_constraint constraint{};
    constraint.size = sizeof constraint;
    constraint.allows = [](void*, int32_t) -> int32_t { return 1; };
    gsample_constrain(sampler, &constraint);
  }
  gsample_reserve(sampler, static_cast<uint32_t>(n_vocab), chain.prompt + 1 << 16);
  return sampler;
}

void pick(benchmark::State& state, const Chain& chain, const std::string& kind, size_t n_vocab) {
  const Rows& rows = rows_of(kind, n_vocab);
  gsample_sampler* sampler = rows.size() ? sampler_for(chain, n_vocab) : nullptr;
  if (!sampler) return state.SkipWithError("no rows, or no such chain");
  Times floors, picks;
  size_t i = 0;
  for (auto _ : state) {
    const size_t here = i % rows.size(), other = (i + rows.size() / 2) % rows.size();
    floors.take([&] { benchmark::DoNotOptimize(floor_scan(rows.rows[other].data(), n_vocab)); });
    int32_t token = 0;
    gsample_row row{};
    row.size = sizeof row;
    row.dtype = chain.half ? GSAMPLE_F16 : GSAMPLE_F32;
    row.n_vocab = static_cast<uint32_t>(n_vocab);
    row.logits = chain.half ? static_cast<const void*>(rows.halves[here].data()) : rows.rows[here].data();
    state.SetIterationTime(1e-9 * picks.take([&] { token = gsample_pick_row(sampler, &row, nullptr); }));
    if (token < 0) {
      state.SkipWithError(gsample_status_name(token));
      break;
    }
    i++;
  }
  state.counters["ns"] = picks.median();
  state.counters["floor_ns"] = floors.median();
  state.counters["x_floor"] = picks.median() / floors.median();
  gsample_free(sampler);
}

}  // namespace

int main(int argc, char** argv) {
  for (size_t n_vocab : {size_t{32000}, size_t{128256}, size_t{262144}})
    for (const char* kind : {"model", "real", "flat", "ascending", "equal"}) {
      const bool usual = kind == std::string("model") || kind == std::string("real");
      for (const Chain& chain : kChains) {
        // Rows that are hard for a search are picked from by the chains that search; a sort of a whole row is what it is.
        if (!usual && std::string("abcefgm").find(chain.letter) == std::string::npos) continue;
        const std::string name = std::string("pick/") + chain.letter + "/" + kind + "/" + std::to_string(n_vocab);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { pick(state, chain, kind, n_vocab); })
            ->UseManualTime()
            ->Iterations(usual ? 2000 : 200)
            ->Unit(benchmark::kMicrosecond);
      }
    }
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("target", gsample_target());
  benchmark::RunSpecifiedBenchmarks();
}
