// What constraining costs, with percentiles: the first mask of every state met and a later one, the check of one token, compiling. Over a
// real vocabulary of 128,256 tokens and one of 262,144 that is made from it. Beside each stands its goal.
//   bench_grammar [--slow] TOKENIZER_JSON       --slow names the states whose first mask took more than 25 us
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unordered_set>

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

constexpr size_t n_text = 128000;  // of the real vocabulary; the rest are control tokens, which write nothing

std::vector<std::string> texts_of(const matching::Vocab& vocab, size_t n) {
  std::vector<std::string> out(n);
  for (size_t i = 0; i < n_text; i++) {
    const uint8_t* bytes;
    size_t size;
    if (gsample_vocab_bytes(vocab.get(), static_cast<int32_t>(i), &bytes, &size) == 0) out[i].assign(bytes, bytes + size);
  }
  return out;
}

uint64_t splitmix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

bool whole_characters(const std::string& text) {
  int lacks = 0;
  for (char c : text) {
    int byte = static_cast<uint8_t>(c);
    if ((byte & 0xc0) == 0x80 ? lacks-- == 0 : lacks != 0) return false;
    if (byte >= 0xc0) lacks = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
  }
  return lacks == 0;
}

// The real tokens, and pairs of them that join inside a word, no longer than 20 bytes: what larger vocabularies have more of.
std::vector<std::string> enlarged(const std::vector<std::string>& real, size_t n) {
  std::vector<std::string> out(real.begin(), real.begin() + n_text);
  out.reserve(n);  // the set below looks into the strings
  std::unordered_set<std::string_view> have(out.begin(), out.end());
  for (uint64_t i = 0; out.size() < n; i++) {
    const std::string &first = real[splitmix(2 * i) % n_text], &second = real[splitmix(2 * i + 1) % n_text];
    auto in_word = [](char c) { return (c & 0x80) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::string pair = first + second;
    if (pair.size() > 20 || !in_word(first.back()) || !in_word(second[0]) || !whole_characters(first) || !whole_characters(second) ||
        have.count(pair))
      continue;
    out.push_back(std::move(pair));
    have.insert(out.back());
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
        int32_t wrong = static_cast<int32_t>((noise >> 33) % n_text);
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

// All but the vocabulary's own times.
void measure(const matching::Vocab& vocab, const std::vector<std::string>& tokens, bool name_slow) {
  std::vector<uint32_t> words((tokens.size() + 31) / 32);
  Times first_all, later_all, check_all, refused_all, compile_all, accept_all;
  auto print = [](Times& compile, Times& first, Times& later, Times& check, Times& refused, Times& accept) {
    compile.print("compile", "goal p50 100, p99 3000");
    first.print("mask, first visit", "goal p50 1, p99 25, max 2000");
    later.print("mask, again", "");
    check.print("check of the next token", "goal p50 0.060, p99 1");
    refused.print("check of another", "goal p50 0.060, p99 1");
    accept.print("accept", "");
  };
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
          if (name_slow && !round && first.ns.back() > 25e3)
            printf("    %9.1f us before \"%s\"\n", first.ns.back() / 1e3, tokens[static_cast<size_t>(token)].c_str());
          Clock::time_point begin;
          if (round) {
            begin = Clock::now();
            for (int k = 0; k < 8; k++)
              if (gsample_matcher_allows(matcher.get(), token) != 1) matching::die("not allowed", language.texts[t], token);
            check.ns.push_back(ns_since(begin) / 8);
            int32_t other = static_cast<int32_t>(static_cast<uint32_t>(token) * 2654435761u % n_text);
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
    print(compile, first, later, check, refused, accept);
    first_all.add(first), later_all.add(later), check_all.add(check), refused_all.add(refused), compile_all.add(compile),
        accept_all.add(accept);
  }
  pick_ratio(vocab, tokens, corpus::languages()[0]);
  printf("all, %zu tokens\n", tokens.size());
  print(compile_all, first_all, later_all, check_all, refused_all, accept_all);
}

}  // namespace

int main(int argc, char** argv) {
  bool name_slow = argc > 2 && std::string_view(argv[1]) == "--slow";
  if (argc != (name_slow ? 3 : 2)) return 2;
  std::ifstream file(argv[argc - 1], std::ios::binary);
  std::string json{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> real = texts_of(load(json), 128256);
  for (const std::vector<std::string>& tokens : {real, enlarged(real, 262144)}) {
    std::vector<uint8_t> kinds;
    matching::Vocab vocab;
    double ns = once([&] { vocab = matching::make_vocab(tokens, kinds, static_cast<uint32_t>(tokens.size())); });
    printf("\nvocabulary of %zu tokens from memory: %.1f ms (goal for 128k: 25)\n", tokens.size(), ns / 1e6);
    measure(vocab, tokens, name_slow);
  }
  return 0;
}
