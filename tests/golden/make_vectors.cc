// Writes tests/golden/vectors.json from the plain reference: `make_vectors > tests/golden/vectors.json`. Run it so only when vectors are
// added or GSAMPLE_SEMANTICS changes; vectors_file.h says what the file holds. With the file as argument it compares instead.
#include <bit>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <limits>

#include "vectors_file.h"

namespace {

std::vector<Vector> vectors;
std::string out;

template <class... Values>
void put(const char* format, Values... values) {
  char text[300];
  std::snprintf(text, sizeof text, format, values...);
  out += text;
}

// Adds a case: `settings` is "key=value key=value", on top of no truncation at all.
Vector& add(const std::string& name, const std::string& settings, const char* kind = "cubic", uint32_t n_vocab = 257, size_t n_picks = 6) {
  Vector v;
  v.c.name = name;
  std::vector<std::pair<std::string, std::string>> pairs = {{"top_k", "0"}, {"top_p", "1"}};
  for (size_t i = 0; i < settings.size();) {
    size_t equals = settings.find('=', i), end = std::min(settings.find(' ', i), settings.size());
    pairs.push_back({settings.substr(i, equals - i), settings.substr(equals + 1, end - equals - 1)});
    i = end + 1;
  }
  if (!pairs_to_params(pairs, &v.c.params)) std::fprintf(stderr, "%s: bad settings\n", name.c_str());
  v.c.params.seed = 1000 + vectors.size();
  v.kind = kind, v.n_vocab = n_vocab, v.row_seed = 7000 + vectors.size();
  if (v.kind == "raw") v.dtype = GSAMPLE_F16;
  v.c.n_picks = n_picks;
  vectors.push_back(v);
  return vectors.back();
}

const std::vector<int32_t> kLoop = {3, 4, 5, 6, 3, 4, 5, 7, 3, 4, 5, 6, 3, 4};

constexpr const char* kKinds[] = {"cubic", "flat", "ties16", "peaked"};

void single_stages() {
  for (const char* settings : {"temperature=0",
                               "temperature=1",
                               "temperature=0.3",
                               "temperature=1e-38",
                               "top_k=1",
                               "top_k=5",
                               "top_k=40 temperature=0.8",
                               "top_p=0.5",
                               "top_p=0",
                               "min_p=0.1",
                               "min_p=1",
                               "typical_p=0.5",
                               "typical_p=0",
                               "top_n_sigma=1",
                               "top_n_sigma=0.1",
                               "xtc_probability=0.5 xtc_threshold=0.02",
                               "xtc_probability=1 xtc_threshold=0.001",
                               "dynatemp_range=0.5",
                               "dynatemp_range=2 dynatemp_exponent=0.5",
                               "mirostat=1 order=penalties,dry,temperature,mirostat",
                               "mirostat=2 mirostat_tau=3 order=penalties,dry,temperature,mirostat",
                               "adaptive_target=0.3 order=penalties,temperature,adaptive_p",
                               "adaptive_target=0.05 adaptive_decay=0.5 order=top_k,adaptive_p top_k=20"})
    for (const char* kind : kKinds) add(std::string("stage ") + settings + " " + kind, settings, kind);
}

void widths() {
  for (uint32_t n : {1u, 2u, 31u, 33u, 1023u, 1024u, 1025u, 2049u, 5000u, 32000u})
    for (const char* settings : {"temperature=0", "temperature=1", "top_k=64 top_p=0.95", "top_p=0.9", "min_p=0.05 temperature=1.5",
                                 "typical_p=0.7", "top_n_sigma=1.5", "dynatemp_range=0.7", "mirostat=2 order=temperature,mirostat"})
      add("width " + std::to_string(n) + " " + settings, settings, n % 2 ? "cubic" : "flat", n, 3);
}

void orders() {
  for (const char* order : {"penalties,top_k,top_p,min_p,temperature", "penalties,temperature,min_p,top_k,top_p",
                            "penalties,temperature,top_k,top_p,min_p,typical_p", "top_k,temperature,top_p,min_p,penalties",
                            "min_p,typical_p,penalties,temperature,xtc,top_k", "temperature,dry,top_n_sigma,top_p",
                            "xtc,top_p,temperature,top_k,dry,penalties"})
    for (const char* kind : kKinds) {
      std::string settings = "order=" + std::string(order), names = order;
      for (auto [stage, setting] :
           std::initializer_list<std::pair<const char*, const char*>>{{"penalties", "penalty_repeat=1.2 penalty_freq=0.1"},
                                                                      {"dry", "dry_multiplier=0.8"},
                                                                      {"top_n_sigma", "top_n_sigma=2"},
                                                                      {"top_k", "top_k=50"},
                                                                      {"typical_p", "typical_p=0.9"},
                                                                      {"top_p", "top_p=0.9"},
                                                                      {"min_p", "min_p=0.02"},
                                                                      {"xtc", "xtc_probability=0.5 xtc_threshold=0.03"},
                                                                      {"temperature", "temperature=1.3"}})
        if (names.find(stage) != names.npos) settings.append(" ").append(setting);
      add("order " + names + " " + kind, settings, kind, 257, 8).c.prompt = kLoop;
    }
}

void history() {
  for (const char* style : {"window", "answer"})
    for (const char* settings :
         {"penalty_repeat=1.3", "penalty_repeat=0.7 penalty_last_n=5", "penalty_freq=0.5 penalty_present=0.2 penalty_last_n=-1",
          "penalty_repeat=-0.5", "penalty_repeat=1.1 penalty_last_n=0", "penalty_freq=-0.4 top_k=5"})
      add(std::string("penalties ") + style + " " + settings, std::string("penalty_style=") + style + " " + settings, "ties16", 16, 12)
          .c.prompt = kLoop;
  for (const char* settings : {"dry_multiplier=0.8", "dry_multiplier=2 dry_base=1.2 dry_allowed_length=1",
                               "dry_multiplier=3 dry_last_n=6 top_k=3", "dry_multiplier=1 dry_allowed_length=0"}) {
    add(std::string("dry ") + settings, settings, "ties16", 16, 12).c.prompt = kLoop;
    Vector& v = add(std::string("dry with breakers ") + settings, settings, "ties16", 16, 12);
    v.c.prompt = kLoop, v.c.breakers = {{7}, {5, 6}};
  }
  add("tokens outside the row", "penalty_repeat=2 dry_multiplier=1", "flat", 16).c.prompt = {15, 16, 1000000, 15, 16};
  add("accepted tokens", "penalty_repeat=5 penalty_style=answer", "ties16", 16, 8).c.forced = {1, -1, 2, 2, -1, 3};
}

void rows() {
  for (uint32_t dtype : {GSAMPLE_F16, GSAMPLE_BF16})
    for (uint32_t n : {16u, 257u, 3000u})
      for (const char* settings : {"temperature=0", "top_k=40 top_p=0.95 temperature=0.8", "min_p=0.1", "typical_p=0.8", "top_p=0.7"})
        add((dtype == GSAMPLE_F16 ? "f16 " : "bf16 ") + std::to_string(n) + " " + settings, settings, "raw", n).dtype = dtype;
  for (const char* settings : {"temperature=0", "temperature=1", "top_k=40 top_p=0.9", "top_n_sigma=1"})
    add(std::string("mask ") + settings, settings, "ties16").mask_seed = 99;
  auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  constexpr float inf = std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::max();
  add("NaN", "temperature=1", "flat", 16, 2).patch = {{3, 0x7fc00000}};
  add("NaN banned", "nan_policy=banned temperature=1", "flat", 16).patch = {{3, 0x7fc00000}, {4, 0xffc00000}};
  add("f16 NaN", "temperature=0", "raw", 16, 2).patch = {{5, 0x7e00}};
  add("NaN under a ban", "temperature=1", "flat", 16).patch = {{3, 0x7fc00000}};
  vectors.back().c.bias = {{3, -inf}};
  add("+inf", "temperature=1 penalty_repeat=3", "flat", 16).patch = {{3, bits(inf)}, {9, bits(inf)}};
  add("one +inf", "temperature=1", "flat", 16).patch = {{9, bits(inf)}};
  add("+inf greedy", "temperature=0", "flat", 16).patch = {{9, bits(inf)}, {11, bits(inf)}};
  add("-inf", "temperature=1", "flat", 4).patch = {{0, bits(-inf)}, {2, bits(-inf)}};
  add("only -inf", "temperature=1", "flat", 2, 2).patch = {{0, bits(-inf)}, {1, bits(-inf)}};
  add("huge", "temperature=0.5 top_p=0.9", "flat", 8).patch = {{0, bits(max)}, {1, bits(max)}, {2, bits(-max)}};
  add("denormals", "temperature=1e-44", "flat", 8).patch = {{0, 1}, {1, 2}, {2, 0x80000001}, {3, 3}};
  add("zeros of both signs", "temperature=0", "flat", 4).patch = {{0, 0x80000000}, {1, 0}, {2, 0x80000000}, {3, 0}};
  for (const char* settings : {"temperature=0", "temperature=1", "top_k=4 temperature=0.7"})
    add(std::string("bias ") + settings, settings, "ties16", 16).c.bias = {{0, 3}, {1, -inf}, {2, -2}, {15, 0.5f}, {99, 4}};
  add("bias of the largest float", "temperature=1", "flat", 16).c.bias = {{5, max}, {7, max}, {8, -max}};
}

void constraints() {
  for (const char* mode : {"lazy", "mask_first", "mask_last"})
    for (const char* settings :
         {"temperature=0", "temperature=1", "top_k=20 top_p=0.9", "top_k=2", "xtc_probability=0.5 xtc_threshold=0.01",
          "mirostat=2 mirostat_tau=2 order=mirostat", "adaptive_target=0.2 order=adaptive_p"})
      for (const char* kind : {"cubic", "ties16"})
        add(std::string(mode) + " " + settings + " " + kind, std::string("constraint_mode=") + mode + " " + settings, kind).rule = {7, 2};
  for (const char* mode : {"lazy", "mask_first", "mask_last"}) {
    add(std::string(mode) + ", nothing allowed", std::string("constraint_mode=") + mode, "cubic", 16, 2).rule = {2, 0};
    Vector& v = add(std::string(mode) + " after two tokens", std::string("constraint_mode=") + mode, "flat", 16, 8);
    v.rule = {5, 1}, v.c.rule.after = {3, 4}, v.c.forced = {-1, 3, 4};
  }
  add("a forced token is refused", "constraint_mode=mask_first", "flat", 16, 4).rule = {5, 1};
  vectors.back().c.forced = {1, 5, 2};
}

void least() {
  for (const char* settings : {"top_p=0.1", "min_p=0.9", "typical_p=0.1", "xtc_probability=1 xtc_threshold=0.01"})
    for (const char* keep : {"2", "5"})
      add(std::string("min_keep ") + keep + " " + settings, std::string("min_keep=") + keep + " " + settings, "cubic", 16);
}

template <class List, class Print>
void list(const char* key, const List& items, Print print) {
  put(",\"%s\":[", key);
  const char* comma = "";
  for (auto& item : items) put("%s", comma), print(item), comma = ",";
  put("]");
}
void number(int64_t x) { put("%lld", static_cast<long long>(x)); }

void write(const Vector& v) {
  put("{\"name\":\"%s\"", v.c.name.c_str());
  list("params", params_to_pairs(v.c.params), [](auto& p) { put("[\"%s\",\"%s\"]", p.first.c_str(), p.second.c_str()); });
  put(",\"n_vocab\":%u,\"dtype\":%u,\"kind\":\"%s\",\"row_seed\":%d,\"mask_seed\":%d", v.n_vocab, v.dtype, v.kind.c_str(),
      static_cast<int>(v.row_seed), static_cast<int>(v.mask_seed));
  list("patch", v.patch, [](auto& p) { put("[%u,%u]", p.first, p.second); });
  list("prompt", v.c.prompt, number);
  list("bias", v.c.bias, [](auto& b) { put("[%d,%u]", b.first, std::bit_cast<uint32_t>(b.second)); });
  list("breakers", v.c.breakers, [](auto& b) {
    put("[");
    for (size_t i = 0; i < b.size(); i++) put(i ? ",%d" : "%d", b[i]);
    put("]");
  });
  list("rule", v.rule, number);
  list("after", v.c.rule.after, number);
  list("forced", v.c.forced, number);
  list("tokens", v.tokens, number);
  put(",\"next\":%llu}", static_cast<unsigned long long>(v.next));
}

}  // namespace

int main(int argc, char** argv) {
  single_stages();
  widths();
  orders();
  history();
  rows();
  constraints();
  least();
  uint64_t fold = kFoldStart;
  for (Vector& v : vectors) {
    finish(&v);
    Trace trace = play(v.c, *reference_engine(v.c.params), Detail::PICKS);
    for (auto& step : trace.steps) v.tokens.push_back(step.token), fold = fold64(fold, static_cast<uint32_t>(step.token));
    v.next = static_cast<uint64_t>(trace.next * 9007199254740992.0);
  }
  put("{\"format\":1,\"semantics\":%d,\"fold64\":\"0x%016llx\",\"vectors\":[\n", GSAMPLE_SEMANTICS, static_cast<unsigned long long>(fold));
  for (size_t i = 0; i < vectors.size(); i++) write(vectors[i]), put(i + 1 < vectors.size() ? ",\n" : "\n");
  put("]}\n");
  if (argc < 2) return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
  std::ifstream file(argv[1]);
  if (std::string(std::istreambuf_iterator<char>(file), {}) == out) return 0;
  std::fprintf(stderr, "%s is not what the reference gives\n", argv[1]);
  return 1;
}
