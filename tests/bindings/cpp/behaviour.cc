// What the C++ binding adds to the C ABI: owners, results, callbacks that throw, threads; and every function once.
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <gsample/gsample.hpp>
#include <thread>

#include "check.h"
#include "rows.h"

namespace {

using gsample::Params;
using gsample::Sampler;

constexpr std::array<float, 4> kRow = {1, 3, 2, 0};

Params greedy() {
  Params params;
  params.temperature = 0;
  return params;
}
Sampler make(const Params& params) { return Sampler::make(params).value(); }

// ---- Errors, ownership

void params_and_errors() {
  Params params;
  CHECK(params.size == sizeof(gsample_params) && params.top_k == 64);
  auto bad = params.set("top_k", "a lot");
  CHECK(!bad && bad.status() == GSAMPLE_ERROR_INVALID_ARGUMENT && bad.error().message.find("top_k") != std::string::npos);
  params.top_p = -1;
  try {
    make(params);
    CHECK(false);
  } catch (const gsample::Exception& e) {
    CHECK(e.error().status == GSAMPLE_ERROR_INVALID_ARGUMENT && std::strstr(e.what(), "top_p"));
  }
  Params hf = Params::named("hf").value();
  CHECK(hf.top_k == 50 && !Params::named("nobody"));
  std::string text = hf.describe().value();
  CHECK(text.find("top_k=50") != std::string::npos && text.back() != '\0');
  gsample::Report report = params.from_generation_config(R"({"do_sample": true, "top_k": 7, "num_beams": 4})").value();
  CHECK(params.top_k == 7 && report.left_out == 1 && report.message.find("num_beams") != std::string::npos);
  auto syntax = params.from_generation_config("{\n  nothing");
  CHECK(syntax.status() == GSAMPLE_ERROR_FORMAT && syntax.error().line == 2);
  CHECK(params.from_gguf({}).status() < 0 && params.from_gguf_file("/nowhere").status() == GSAMPLE_ERROR_IO);
  CHECK(gsample::version() == GSAMPLE_VERSION_NUMBER && gsample::api() && *gsample::target() && *gsample::version_string());
}

void moved_from_is_an_error() {
  Sampler sampler = make(greedy()), other = std::move(sampler);
  CHECK(other.pick(kRow).value() == 1);
  CHECK(sampler.pick(kRow).status() == GSAMPLE_ERROR_INVALID_ARGUMENT);
  CHECK(sampler.uniform().status() == GSAMPLE_ERROR_INVALID_ARGUMENT && sampler.clone().status() == GSAMPLE_ERROR_INVALID_ARGUMENT);
  auto dist = gsample::Dist::make().value(), taken = std::move(dist);
  CHECK(dist.ids().empty() && dist.weights().empty() && dist.draw(other).status() == GSAMPLE_ERROR_INVALID_ARGUMENT);
}

void state() {
  Params params;
  params.seed = 7;
  Sampler sampler = make(params), loaded = Sampler::load(sampler.save().value()).value(), copy = sampler.clone().value();
  sampler.reserve(4, 100).value();
  for (int i = 0; i < 20; i++) {
    int32_t token = sampler.pick(kRow).value();
    CHECK(loaded.pick(kRow).value() == token && copy.pick(kRow).value() == token);
  }
  double u = sampler.uniform().value();
  CHECK(u == copy.uniform().value());
  sampler.rng_seed(1).value(), copy.assign(sampler).value();
  CHECK(sampler.uniform().value() == copy.uniform().value());
  sampler.reset().value(), sampler.set_params(greedy()).value();
  sampler.stop(std::array{2}).value(), sampler.dry_breaker(std::array{1, 2}).value(), sampler.seed(std::array{1, 2, 3}).value();
  CHECK(!sampler.shaped().value() && sampler.memory().value() > 0 && sampler.candidates_needed());
  sampler.bias(std::array{1}, std::array{-INFINITY}).value();
  CHECK(sampler.shaped().value() && sampler.pick(kRow).value() == 2);
  CHECK(sampler.bias(std::array{1, 2}, std::array{1.0f}).status() == GSAMPLE_ERROR_INVALID_ARGUMENT);
  CHECK(!Sampler::load({}));
}

void rows() {
  gsample::Row row(kRow);
  std::array<uint32_t, 1> mask = {0b1100};
  CHECK(row.best().value() == 1 && row.masked(mask).best().value() == 2);
  CHECK(row.masked({}).best().status() == GSAMPLE_ERROR_INVALID_ARGUMENT);
  CHECK(row.check().value().max == 3);
  std::array<uint16_t, 2> halves = {0x3c00, 0x4000};
  CHECK(gsample::Row::f16(halves).check().value().max == 2 && gsample::Row::bf16(halves).best().value() == 1);
  std::array<gsample_logprob, 1> items = {{{0, 2, 0}}};
  row.logprobs(items).value();
  CHECK(items[0].rank == 2 && items[0].logprob < 0);
  gsample::Choice choice = make(greedy()).pick(row, GSAMPLE_LOGPROB_RAW, 9).value();
  CHECK(choice.token == 1 && choice.rank == 1 && choice.top.size() == 4 && choice.top[1].logprob == items[0].logprob);
}

// ---- Callbacks

struct Even {
  static inline int alive = 0;
  int* accepted;
  explicit Even(int* count) : accepted(count) { alive++; }
  Even(const Even& other) : accepted(other.accepted) { alive++; }
  ~Even() { alive--; }
  bool allows(int32_t token) { return token % 2 == 0; }
  void accept(int32_t) { ++*accepted; }
  void first_bytes(std::span<uint8_t, 256> table) { std::fill(table.begin(), table.end(), uint8_t{1}); }
  int32_t first_byte(int32_t token) { return token; }
  void mask(std::span<uint32_t> words) { std::fill(words.begin(), words.end(), 0x55555555u); }
  bool can_stop() { return true; }
};

void constraints() {
  int accepted = 0;
  for (int32_t mode : {GSAMPLE_CONSTRAINT_LAZY, GSAMPLE_CONSTRAINT_MASK_FIRST, GSAMPLE_CONSTRAINT_MASK_LAST}) {
    Params params = greedy();
    params.constraint_mode = mode;
    Sampler sampler = make(params);
    sampler.constrain(Even(&accepted), std::array{1}).value();
    CHECK(sampler.pick(kRow).value() == 1);  // asleep until then
    Sampler copy = sampler.clone().value();
    CHECK(sampler.pick(kRow).value() == 2 && copy.pick(kRow).value() == 2 && Even::alive == 2);
    CHECK(sampler.accept(3).status() == GSAMPLE_ERROR_REFUSED);
    sampler.unconstrain().value();
    CHECK(Even::alive == 1 && sampler.pick(kRow).value() == 1);
  }
  CHECK(Even::alive == 0 && accepted == 6);
  Sampler nobody = make(greedy()), other = std::move(nobody);
  CHECK(!nobody.constrain(Even(&accepted)));
  CHECK(Even::alive == 0);  // also where the call fails
}

struct Throws {
  int how;
  std::unique_ptr<int> not_copyable;
  bool allows(int32_t) {
    if (how == 0) throw 1;
    if (how == 1) throw std::bad_alloc();
    if (how == 2) throw gsample::Exception({GSAMPLE_ERROR_LIMIT, 0, 0, "enough"});
    return true;
  }
  int32_t accept(int32_t) { return GSAMPLE_ERROR_IO; }
};

void callbacks_that_throw() {
  constexpr int32_t kStatus[] = {GSAMPLE_ERROR_CALLBACK, GSAMPLE_ERROR_OUT_OF_MEMORY, GSAMPLE_ERROR_LIMIT, GSAMPLE_ERROR_IO};
  for (int how = 0; how < 4; how++) {
    Sampler sampler = make(greedy());
    sampler.constrain(Throws{how, nullptr}).value();
    CHECK(sampler.pick(kRow).status() == kStatus[how]);
    CHECK(sampler.clone().status() == GSAMPLE_ERROR_UNSUPPORTED);
    sampler.unconstrain().value();
    CHECK(sampler.pick(kRow).value() == 1);
  }
}

void custom_stage() {
  Params params;
  params.set("order", "custom,temperature").value();
  params.set("top_p", "1").value(), params.set("top_k", "0").value();
  Sampler sampler = make(params);
  sampler
      .set_custom([](std::span<const int32_t> tokens, std::span<float> logits) {
        for (size_t i = 0; i < tokens.size(); i++)
          if (tokens[i] != 3) logits[i] = -INFINITY;
      })
      .value();
  CHECK(sampler.pick(kRow).value() == 3 && sampler.clone().value().pick(kRow).value() == 3);
  sampler.set_custom([](auto, auto) { throw 1; }).value();
  CHECK(sampler.pick(kRow).status() == GSAMPLE_ERROR_CALLBACK);
  sampler.unset_custom().value();
}

// ---- Grammar, distribution, step

void grammars() {
  std::string_view text = "abc";
  std::vector<uint64_t> offsets = {0, 1, 2, 3, 3};
  std::vector<uint8_t> kinds = {GSAMPLE_TOKEN_TEXT, GSAMPLE_TOKEN_TEXT, GSAMPLE_TOKEN_TEXT, GSAMPLE_TOKEN_STOP};
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  gsample::Vocab vocab = gsample::Vocab::make(bytes, offsets, kinds).value(), shared = vocab;
  CHECK(!gsample::Vocab::make(bytes.first(1), offsets, kinds));
  CHECK(vocab.bytes(1).value() == "b" && shared.stops().value() == std::vector<int32_t>{3});
  vocab.set_stop(std::array{3}).value();
  auto syntax = gsample::Grammar::from_gbnf(vocab, "root ::=\n \"a");
  CHECK(syntax.status() == GSAMPLE_ERROR_SYNTAX && syntax.error().line == 2);
  gsample::Grammar gbnf = gsample::Grammar::from_gbnf(vocab, "root ::= \"ab\" \"c\"*").value(), same = gbnf;
  same.warm().value();
  gsample::Matcher matcher = gsample::Matcher::make(gsample::Grammar::from_regex(vocab, "b+a").value()).value();
  std::array<uint32_t, 1> mask;
  matcher.mask(mask).value();
  CHECK(mask[0] == 0b10 && matcher.allows(1).value() && !matcher.allows(0).value() && !matcher.can_stop().value());
  matcher.accept(1).value();
  gsample::Matcher copy = matcher.clone().value();
  copy.accept(0).value();
  CHECK(copy.can_stop().value() && copy.accept(1).status() == GSAMPLE_ERROR_REFUSED);
  copy.rollback(1).value(), copy.reset().value();
  CHECK(copy.rollback(9).status() == GSAMPLE_ERROR_INVALID_ARGUMENT);
  Sampler sampler = make(greedy());
  sampler.constrain(gsample::Matcher::make(gbnf).value()).value();
  std::vector<int32_t> picked;
  for (std::array<float, 4> row = {1, 3, 2, 0}; picked.size() < 5;) {
    if (picked.size() == 4) row[3] = 9;  // now the stop token is the best
    picked.push_back(sampler.pick(row).value());
  }
  CHECK((picked == std::vector<int32_t>{0, 1, 2, 2, 3}));
  CHECK(!gsample::Vocab::from_gguf({}) && !gsample::Vocab::from_gguf_file("/nowhere") && !gsample::Vocab::from_tokenizer_json("{"));
}

void distributions() {
  Sampler sampler = make(Params());
  auto p = gsample::Dist::make().value(), q = gsample::Dist::make().value();
  p.from_row(sampler, gsample::Row(kRow)).value();
  CHECK(p.ids()[0] == 1 && p.weights().size() == p.ids().size() && std::fabs(p.chance(1) - p.weights()[0] / p.total()) < 1e-12);
  q.from_candidates(sampler, std::array{0, 1, 2, 3}, kRow, 4).value();
  CHECK(q.ids().size() == p.ids().size() && q.weights()[0] == p.weights()[0]);
  Sampler copy = sampler.clone().value();
  CHECK(p.draw(sampler).value() == copy.pick(kRow).value());
  q.set(std::array{1}, std::array{1.0}).value();
  p.residual(q, q).value();
  CHECK(q.chance(1) == 0 && q.chance(2) > 0);
  CHECK(q.set(std::array{1, 2}, std::array{1.0}).status() == GSAMPLE_ERROR_INVALID_ARGUMENT);
}

void step_on_threads() {
  constexpr uint32_t kVocab = 1000, kSequences = 16;
  std::vector<float> logits(kVocab * kSequences);
  for (uint32_t i = 0; i < kSequences; i++) rows_fill(&logits[i * kVocab], kVocab, "cubic", 3, i);
  auto pool = [](size_t n, auto body) {
    std::vector<std::thread> threads;
    for (uint32_t worker = 0; worker < 4; worker++)
      threads.emplace_back([=] {
        for (size_t i = worker; i < n; i += 4) body(worker, i);
      });
    for (auto& thread : threads) thread.join();
  };
  gsample::Executor executor(4, pool);
  auto workspace = gsample::Workspace::make(4).value();
  std::vector<int32_t> tokens[2] = {std::vector<int32_t>(kSequences), std::vector<int32_t>(kSequences)};
  for (int threads = 0; threads < 2; threads++) {
    std::vector<Sampler> samplers;
    std::vector<gsample::Sequence> sequences(kSequences);
    for (uint32_t i = 0; i < kSequences; i++) {
      samplers.push_back(make(Params()));
      sequences[i].n_vocab = kVocab, sequences[i].n_rows = 1, sequences[i].sampler = samplers[i].get();
      sequences[i].logits = &logits[i * kVocab], sequences[i].tokens = &tokens[threads][i];
    }
    CHECK(gsample::decide(sequences, threads ? &executor : nullptr, threads ? &workspace : nullptr).value() == 0);
  }
  CHECK(tokens[0] == tokens[1]);
  auto broken = [](size_t, auto) { throw 1; };
  gsample::Executor fails(1, broken);
  Sampler sampler = make(Params());
  std::vector<gsample::Sequence> one(1);
  one[0].n_vocab = 4, one[0].n_rows = 1, one[0].sampler = sampler.get(), one[0].logits = kRow.data(), one[0].tokens = tokens[0].data();
  auto result = gsample::decide(one, &fails);
  CHECK((!result || *result == 1) && (!result || one[0].status == GSAMPLE_ERROR_CALLBACK));
}

void call_cost() {
  using clock = std::chrono::steady_clock;
  Sampler sampler = make(greedy());
  double best[2] = {1e9, 1e9};
  for (int round = 0; round < 200; round++) {
    for (int wrapped = 0; wrapped < 2; wrapped++) {
      sampler.reset().value();
      auto start = clock::now();
      for (int i = 0; i < 500; i++) {
        if (wrapped) CHECK(*sampler.pick(kRow) == 1);
        else CHECK(gsample_pick(sampler.get(), kRow.data(), kRow.size()) == 1);
      }
      best[wrapped] = std::min(best[wrapped], std::chrono::duration<double, std::nano>(clock::now() - start).count() / 500);
    }
  }
  std::printf("cpp: a pick from 4 logits takes %.0f ns in C and %.0f ns here\n", best[0], best[1]);
  CHECK(best[1] - best[0] < 100);
}

}  // namespace

int main() {
  constexpr Test kTests[] = {{"parameters and errors", params_and_errors},
                             {"moved from is an error", moved_from_is_an_error},
                             {"state", state},
                             {"rows", rows},
                             {"constraints", constraints},
                             {"callbacks that throw", callbacks_that_throw},
                             {"custom stage", custom_stage},
                             {"grammars", grammars},
                             {"distributions", distributions},
                             {"step on threads", step_on_threads},
                             {"call cost", call_cost}};
  return run_tests(kTests);
}
