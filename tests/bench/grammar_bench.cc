// What constraining costs over a real vocabulary, with percentiles: the first mask of every state met and a later one, the check of one
// token, compiling. Beside each stands its goal.
//   grammar_bench TOKENIZER_JSON
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "corpus.h"
#include "matching.h"

namespace {

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point begin) { return std::chrono::duration<double, std::nano>(Clock::now() - begin).count(); }

double cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// The time of a call that cannot be repeated: on a shared machine the clock also counts others, the thread's own time its reading.
template <class Call>
double once(const Call& call) {
  double cpu = cpu_ns();
  auto begin = Clock::now();
  call();
  double wall = ns_since(begin);
  return std::min(wall, cpu_ns() - cpu);
}

struct Times {
  std::vector<double> ns;
  double at(double share) {
    std::sort(ns.begin(), ns.end());
    return ns.empty() ? 0 : ns[std::min(ns.size() - 1, static_cast<size_t>(share * static_cast<double>(ns.size())))];
  }
  void print(const char* what, const char* goal) {
    printf("  %-28s n %6zu   p50 %9.3f us   p90 %9.3f   p99 %9.3f   max %9.3f   %s\n", what, ns.size(), at(0.5) / 1e3, at(0.9) / 1e3,
           at(0.99) / 1e3, at(1) / 1e3, goal);
  }
  void add(const Times& other) { ns.insert(ns.end(), other.ns.begin(), other.ns.end()); }
};

matching::Vocab load(const std::string& json) {
  gsample_vocab* vocab = nullptr;
  gsample_error error = matching::fresh_error();
  auto begin = Clock::now();
  if (int32_t status = gsample_vocab_from_tokenizer_json(json.data(), json.size(), 0, &vocab, &error))
    matching::die("vocabulary", "", status, &error);
  printf("vocabulary from tokenizer.json: %.1f ms\n", ns_since(begin) / 1e6);
  return matching::Vocab(vocab);
}

std::vector<std::string> texts_of(const matching::Vocab& vocab, size_t n) {
  std::vector<std::string> out(n);
  for (size_t i = 0; i < n; i++) {
    const uint8_t* bytes;
    size_t size;
    if (gsample_vocab_bytes(vocab.get(), static_cast<int32_t>(i), &bytes, &size) == 0 && i < 128000) out[i].assign(bytes, bytes + size);
  }
  return out;
}

// Picks along a JSON answer, with the grammar and without, a row after the other. The model is sure of the answer's next token; in 2 of
// 100 rows it is surer of one that the grammar refuses.
void pick_ratio(const matching::Vocab& vocab, const std::vector<std::string>& tokens, const corpus::Language& json) {
  matching::Grammar grammar = matching::gbnf(vocab, json.grammar);
  std::vector<float> logits(tokens.size());
  double with = 0, without = 0;
  size_t n = 0, refused = 0;
  for (int round = 0; round < 2; round++) {
    with = without = 0, n = refused = 0;
    for (size_t t = 0; t < json.texts.size(); t++) {
      gsample_params params = {};
      params.size = sizeof params;
      gsample_params_init(&params);
      gsample_sampler *free = nullptr, *constrained = nullptr;
      if (gsample_new(&params, &free, nullptr) || gsample_new(&params, &constrained, nullptr)) matching::die("gsample_new", "", 0);
      gsample_constraint constraint = {};
      constraint.size = sizeof constraint;
      matching::Matcher ahead = matching::start(grammar);
      gsample_matcher_constraint(matching::start(grammar).release(), &constraint);
      gsample_constrain(constrained, &constraint);
      uint64_t noise = t;
      for (int32_t token : corpus::split(tokens, json.texts[t], t, true)) {
        for (float& logit : logits)
          logit = static_cast<float>((noise = noise * 6364136223846793005 + 1442695040888963407) >> 40) * 0x1p-22f;
        logits[static_cast<size_t>(token)] = 30;
        int32_t wrong = static_cast<int32_t>(noise >> 33) % 128000;
        if (n % 50 == 7 && gsample_matcher_allows(ahead.get(), wrong) == 0) logits[static_cast<size_t>(wrong)] = 60, refused++;
        int32_t picked[2];
        for (int which = 0; which < 2; which++) {
          bool bound = (n + static_cast<size_t>(which)) % 2;
          double ns = once([&] { picked[bound] = gsample_pick(bound ? constrained : free, logits.data(), logits.size()); });
          (bound ? with : without) += ns;
        }
        if (picked[1] != token) matching::die("another token", json.texts[t], picked[1]);
        gsample_matcher_accept(ahead.get(), token);
        n++;
      }
      gsample_free(free);
      gsample_free(constrained);
    }
    printf("%s pick inside a JSON grammar, %zu picks, %zu of them refused first: %.1f us, without %.1f us: x %.3f (goal 1.2)\n",
           round ? "warm" : "cold", n, refused, with / static_cast<double>(n) / 1e3, without / static_cast<double>(n) / 1e3,
           with / without);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::string json{std::istreambuf_iterator<char>(file), {}};
  matching::Vocab vocab = load(json);
  constexpr size_t n_vocab = 128256;
  std::vector<std::string> tokens = texts_of(vocab, n_vocab);
  {
    std::vector<uint8_t> kinds;
    matching::Vocab again;
    double ns = once([&] { again = matching::make_vocab(tokens, kinds, n_vocab); });
    printf("vocabulary from memory: %.1f ms (goal 25)\n", ns / 1e6);
  }
  std::vector<uint32_t> words((n_vocab + 31) / 32);
  Times first_all, later_all, check_all, refused_all, compile_all, accept_all;
  for (const corpus::Language& language : corpus::languages()) {
    Times first, later, check, refused, compile, accept;
    matching::Grammar grammar;
    for (int i = 0; i < 20; i++) {
      compile.ns.push_back(
          once([&] { grammar = language.is_regex ? matching::regex(vocab, language.grammar) : matching::gbnf(vocab, language.grammar); }));
    }
    for (int round = 0; round < 2; round++) {
      for (size_t t = 0; t < language.texts.size(); t++) {
        matching::Matcher matcher = matching::start(grammar);
        for (int32_t token : corpus::split(tokens, language.texts[t], t, t % 3 != 2)) {
          (round ? later : first).ns.push_back(once([&] { gsample_matcher_mask(matcher.get(), words.data(), words.size()); }));
          if (argc > 2 && !round && first.ns.back() > 5e4)
            printf("    %9.1f us before \"%s\"\n", first.ns.back() / 1e3, tokens[static_cast<size_t>(token)].c_str());
          Clock::time_point begin;
          if (round) {
            begin = Clock::now();
            for (int k = 0; k < 8; k++)
              if (gsample_matcher_allows(matcher.get(), token) != 1) matching::die("not allowed", language.texts[t], token);
            check.ns.push_back(ns_since(begin) / 8);
            int32_t other = static_cast<int32_t>(static_cast<uint32_t>(token) * 2654435761u % 128000);
            begin = Clock::now();
            int32_t allowed = 0;
            for (int k = 0; k < 8; k++) allowed = gsample_matcher_allows(matcher.get(), other);
            refused.ns.push_back(ns_since(begin) / 8);
            if (allowed != static_cast<int32_t>(words[static_cast<size_t>(other) / 32] >> other % 32 & 1))
              matching::die("mask and allows differ", language.texts[t], other);
          }
          begin = Clock::now();
          if (gsample_matcher_accept(matcher.get(), token))
            matching::die("refused", language.texts[t] + "\n" + tokens[static_cast<size_t>(token)], token);
          if (round) accept.ns.push_back(ns_since(begin));
        }
        if (gsample_matcher_can_stop(matcher.get()) != 1) matching::die("cannot stop", language.texts[t], 0);
      }
    }
    printf("%s\n", language.name.c_str());
    compile.print("compile", "goal p50 100, p99 3000");
    first.print("mask, first visit", "goal p50 1, p99 25, max 2000");
    later.print("mask, again", "");
    check.print("check of the next token", "goal p50 0.060, p99 1");
    refused.print("check of another", "");
    accept.print("accept", "");
    first_all.add(first), later_all.add(later), check_all.add(check), refused_all.add(refused), compile_all.add(compile),
        accept_all.add(accept);
  }
  pick_ratio(vocab, tokens, corpus::languages()[0]);
  printf("all\n");
  compile_all.print("compile", "goal p50 100, p99 3000");
  first_all.print("mask, first visit", "goal p50 1, p99 25, max 2000");
  later_all.print("mask, again", "");
  check_all.print("check of the next token", "goal p50 0.060, p99 1");
  refused_all.print("check of another", "");
  accept_all.print("accept", "");
  return 0;
}
