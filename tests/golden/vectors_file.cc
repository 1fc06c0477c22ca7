// See vectors_file.h.
#include "vectors_file.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fields.h"
#include "oracle.h"
#include "rows.h"

namespace {

struct Word {
  const char *key, *word;
  int number;
};
constexpr Word kWords[] = {
    {"penalty_style", "window", GSAMPLE_PENALTY_WINDOW},
    {"penalty_style", "answer", GSAMPLE_PENALTY_ANSWER},
    {"nan_policy", "error", GSAMPLE_NAN_ERROR},
    {"nan_policy", "banned", GSAMPLE_NAN_BANNED},
    {"constraint_mode", "lazy", GSAMPLE_CONSTRAINT_LAZY},
    {"constraint_mode", "mask_first", GSAMPLE_CONSTRAINT_MASK_FIRST},
    {"constraint_mode", "mask_last", GSAMPLE_CONSTRAINT_MASK_LAST},
    {"order", "penalties", GSAMPLE_STAGE_PENALTIES},
    {"order", "dry", GSAMPLE_STAGE_DRY},
    {"order", "top_n_sigma", GSAMPLE_STAGE_TOP_N_SIGMA},
    {"order", "top_k", GSAMPLE_STAGE_TOP_K},
    {"order", "typical_p", GSAMPLE_STAGE_TYPICAL_P},
    {"order", "top_p", GSAMPLE_STAGE_TOP_P},
    {"order", "min_p", GSAMPLE_STAGE_MIN_P},
    {"order", "xtc", GSAMPLE_STAGE_XTC},
    {"order", "temperature", GSAMPLE_STAGE_TEMPERATURE},
    {"order", "mirostat", GSAMPLE_STAGE_MIROSTAT},
    {"order", "adaptive_p", GSAMPLE_STAGE_ADAPTIVE_P},
};

std::string word_of(const std::string& key, int number) {
  for (const Word& w : kWords)
    if (key == w.key && number == w.number) return w.word;
  return "";
}
int number_of(const std::string& key, const std::string& word) {
  for (const Word& w : kWords)
    if (key == w.key && word == w.word) return w.number;
  return -1;
}

RowData make_row(const Vector& v, uint64_t pick) {
  RowData row;
  if (v.kind == "raw") {
    uint64_t seed = rows_splitmix64(v.row_seed + pick);
    for (uint32_t i = 0; i < v.n_vocab; i++)
      row.half.push_back(static_cast<uint16_t>(rows_splitmix64(seed + i) >> 48 & (v.dtype == GSAMPLE_F16 ? 0xcfff : 0xc1ff)));
  } else {
    row = recipe_row(v.kind, v.n_vocab, v.row_seed, pick);
  }
  row.dtype = v.dtype;
  for (auto& [column, bits] : v.patch) {
    if (v.dtype == GSAMPLE_F32) row.values[column] = std::bit_cast<float>(bits);
    else row.half[column] = static_cast<uint16_t>(bits);
  }
  if (v.dtype != GSAMPLE_F32)
    for (uint16_t h : row.half) row.values.push_back(v.dtype == GSAMPLE_F16 ? f16_value(h) : bf16_value(h));
  if (v.mask_seed) {
    row.mask.assign((v.n_vocab + 31) / 32, 0);
    for (uint32_t i = 0; i < v.n_vocab; i++)
      if (rows_splitmix64(v.mask_seed + i) & 3) row.mask[i / 32] |= uint32_t{1} << i % 32;
  }
  return row;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> params_to_pairs(const gsample_params& params) {
  std::vector<std::pair<std::string, std::string>> out;
  if (params.mirostat) out.push_back({"mirostat", std::to_string(params.mirostat)});  // first, as it rewrites others
  gsample_params init = default_params();
  for (const Field& f : kFields) {
    std::string name = f.name, value = field_text(f, params);
    bool always = name == "top_k" || name == "top_p";
    if (name == "mirostat" || (value == field_text(f, init) && !always)) continue;
    std::string word = word_of(name, std::atoi(value.c_str()));
    out.push_back({name, word.empty() ? value : word});
  }
  std::string order;
  for (int32_t stage : params.order)
    if (stage) order += order.empty() ? word_of("order", stage) : std::string(",").append(word_of("order", stage));
  out.push_back({"order", order});
  return out;
}

bool pairs_to_params(const std::vector<std::pair<std::string, std::string>>& pairs, gsample_params* params) {
  *params = default_params();
  for (auto& [key, value] : pairs) {
    int number = number_of(key, value);
    if (key == "order") {
      std::fill(std::begin(params->order), std::end(params->order), 0);
      std::istringstream words(value);
      size_t n = 0;
      for (std::string word; std::getline(words, word, ',');) params->order[n++] = number_of(key, word);
    } else if (!field_set(key.c_str(), number >= 0 ? std::to_string(number) : value, params)) {
      return false;
    }
  }
  return true;
}

void finish(Vector* v) {
  v->c.rule.on = !v->rule.empty();
  if (v->c.rule.on) {
    v->c.rule.modulus = v->rule[0];
    v->c.rule.list.clear();
    for (int64_t r = 0; r < v->rule[1]; r++) v->c.rule.list.push_back(static_cast<int32_t>(r));
  }
  Vector recipe = *v;
  recipe.c = {};
  v->c.row = [recipe](size_t pick) { return make_row(recipe, pick); };
}

VectorFile read_vectors(const char* path) {
  VectorFile out;
  std::ifstream file(path);
  nlohmann::json all = nlohmann::json::parse(file);
  out.semantics = all["semantics"];
  out.fold = std::strtoull(all["fold64"].get<std::string>().c_str(), nullptr, 16);
  for (const auto& j : all["vectors"]) {
    Vector v;
    v.c.name = j["name"];
    for (const auto& pair : j["params"]) v.params.push_back({pair[0], pair[1]});
    pairs_to_params(v.params, &v.c.params);
    v.n_vocab = j["n_vocab"], v.dtype = j["dtype"], v.kind = j["kind"], v.row_seed = j["row_seed"], v.mask_seed = j["mask_seed"];
    for (const auto& p : j["patch"]) v.patch.push_back({p[0], p[1]});
    v.c.prompt = j["prompt"].get<std::vector<int32_t>>();
    for (const auto& b : j["bias"]) v.c.bias.push_back({b[0].get<int32_t>(), std::bit_cast<float>(b[1].get<uint32_t>())});
    v.c.breakers = j["breakers"].get<std::vector<std::vector<int32_t>>>();
    v.rule = j["rule"].get<std::vector<int64_t>>();
    v.c.rule.after = j["after"].get<std::vector<int32_t>>();
    v.c.forced = j["forced"].get<std::vector<int32_t>>();
    v.tokens = j["tokens"].get<std::vector<int32_t>>();
    v.next = j["next"];
    v.c.n_picks = v.tokens.size();
    finish(&v);
    out.vectors.push_back(v);
  }
  return out;
}
