// Reads the oracle files made by golem's sampler: see oracle.h.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "oracle.h"
#include "rows.h"

using nlohmann::json;

std::string oracle_file(const std::string& name) {
  std::string path = "../shared/oracle/" + name;
  return std::ifstream(path) ? path : "";
}

RowData recipe_row(const std::string& kind, size_t n, uint64_t row_seed, uint64_t r) {
  RowData row;
  row.values.resize(n);
  if (rows_fill(row.values.data(), n, kind.c_str(), row_seed, r) < 0) row.values.clear();
  return row;
}

namespace {

std::vector<json> read_lines(const std::string& name) {
  std::vector<json> out;
  std::ifstream file(oracle_file(name));
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) out.push_back(json::parse(line));
  return out;
}

uint64_t hex(const json& text) { return std::strtoull(text.get<std::string>().c_str(), nullptr, 16); }

Case golem_case(const json& j) {
  Case c;
  c.name = j["id"];
  gsample_params& p = c.params;
  const int32_t order[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_MIN_P,
                           GSAMPLE_STAGE_TEMPERATURE};
  std::fill(std::begin(p.order), std::end(p.order), 0);
  std::copy(std::begin(order), std::end(order), p.order);
  auto number = [&](const char* name) { return std::bit_cast<float>(static_cast<uint32_t>(hex(j["params_f32bits"][name]))); };
  p.temperature = number("temperature"), p.top_p = number("top_p"), p.min_p = number("min_p");
  p.penalty_repeat = number("penalty_repeat"), p.penalty_freq = number("penalty_freq"), p.penalty_present = number("penalty_present");
  p.top_k = j["params"]["top_k"], p.penalty_last_n = j["params"]["penalty_last_n"];
  if (j["params"].contains("seed")) p.seed = hex(j["params"]["seed"]);
  c.prompt = j["prompt"].get<std::vector<int32_t>>();
  if (j.contains("constraint") && !j["constraint"].is_null()) {
    const json& rule = j["constraint"];
    c.rule.on = true;
    c.rule.modulus = rule["kind"] == "mod" ? rule["m"].get<int64_t>() : 0;
    if (const char* list = c.rule.modulus ? "r" : "ids"; rule.contains(list) && !rule[list].is_null())
      c.rule.list = rule[list].get<std::vector<int32_t>>();
  }
  std::string kind = j["rows"]["kind"];
  size_t n = j["n_vocab"];
  uint64_t row_seed = j["rows"]["row_seed"], r = j["rows"].value("r", 0);
  bool fresh = j["rows"].value("fresh", false);
  c.row = [=](size_t pick) { return recipe_row(kind, n, row_seed, fresh ? pick : r); };
  return c;
}

}  // namespace

std::vector<GolemCase> golem_cases(const std::string& name) {
  std::vector<GolemCase> out;
  for (const json& j : read_lines("golem/" + name)) {
    GolemCase g;
    g.c = golem_case(j);
    g.tokens = j["tokens"].get<std::vector<int32_t>>();
    g.c.n_picks = g.tokens.size();
    g.rng_draws = j["rng_draws"], g.next_u64 = hex(j["next_u64"]);
    g.defect = j["rows"]["kind"] == "allneginf" || (g.c.rule.on && g.c.rule.list.empty());
    out.push_back(g);
  }
  return out;
}

std::vector<GolemBits> golem_bits() {
  std::vector<GolemBits> out;
  for (const json& j : read_lines("golem/bits.jsonl")) {
    GolemBits b = {golem_case(j), j["ids"].get<std::vector<int32_t>>(), {}};
    for (const json& bits : j["probability_bits"]) b.probability_bits.push_back(static_cast<uint32_t>(hex(bits)));
    out.push_back(b);
  }
  return out;
}

std::vector<GolemPcg> golem_pcg() {
  std::vector<GolemPcg> out;
  for (const json& j : read_lines("golem/pcg.jsonl")) {
    GolemPcg g = {hex(j["seed"]), {}, j["f64"].get<std::vector<double>>()};
    for (const json& u : j["u64"]) g.outputs.push_back(hex(u));
    out.push_back(g);
  }
  return out;
}

std::vector<GolemRow> golem_rows() {
  std::vector<GolemRow> out;
  for (const json& j : read_lines("golem/rows_check.jsonl")) {
    GolemRow g = {j["kind"], j["row_seed"], j["r"], hex(j["fold64"]), j["n"], {}};
    for (const json& bits : j["first8_f32bits"]) g.first_bits.push_back(static_cast<uint32_t>(hex(bits)));
    out.push_back(g);
  }
  return out;
}
