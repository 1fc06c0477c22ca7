// Reads the oracle files made by llama.cpp's samplers, and says each chain in gsample's parameters: see oracle.h.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle.h"

using nlohmann::json;

namespace {

float number(const json& j) { return j.is_string() ? -INFINITY : static_cast<float>(j.get<double>()); }

// One stage of the other chain; appends to the order.
void add_stage(const json& s, std::vector<int32_t>* order, LlamaCase* out) {
  gsample_params& p = out->c.params;
  std::string name = s["name"];
  auto stage = [&](int32_t id) {
    if (std::count(order->begin(), order->end(), id)) out->inexpressible = "a stage stands twice";
    order->push_back(id);
  };
  if (s.contains("min_keep")) {
    int32_t least = s["min_keep"];
    if (p.min_keep != 0 && p.min_keep != least) out->inexpressible = "stages differ in min_keep";
    p.min_keep = least;
  }
  if (name == "top_k") stage(GSAMPLE_STAGE_TOP_K), p.top_k = s["k"];
  if (name == "top_p") stage(GSAMPLE_STAGE_TOP_P), p.top_p = number(s["p"]);
  if (name == "min_p") stage(GSAMPLE_STAGE_MIN_P), p.min_p = number(s["p"]), out->refused |= p.min_p > 1;
  if (name == "typical") stage(GSAMPLE_STAGE_TYPICAL_P), p.typical_p = number(s["p"]);
  if (name == "top_n_sigma") stage(GSAMPLE_STAGE_TOP_N_SIGMA), p.top_n_sigma = number(s["n"]);
  if (name == "temp" || name == "temp_ext") stage(GSAMPLE_STAGE_TEMPERATURE), p.temperature = number(s["t"]);
  if (name == "temp_ext")
    p.dynatemp_range = number(s["delta"]), p.dynatemp_exponent = number(s["exponent"]), out->dynamic_temperature = true;
  if (name == "greedy") stage(GSAMPLE_STAGE_TEMPERATURE), p.temperature = 0;
  if (name == "xtc") {
    stage(GSAMPLE_STAGE_XTC), p.xtc_probability = number(s["p"]), p.xtc_threshold = number(s["t"]);
    out->refused |= p.xtc_threshold <= 0;
  }
  if (name == "logit_bias") {
    if (!order->empty()) out->inexpressible = "a bias in the middle of the chain";
    std::set<int32_t> ids;
    for (const json& b : s["bias"]) {
      out->c.bias.push_back({b[0].get<int32_t>(), number(b[1])});
      out->refused |= b[0].get<int32_t>() < 0 || !ids.insert(b[0].get<int32_t>()).second;
    }
  }
  if (name == "penalties") {
    stage(GSAMPLE_STAGE_PENALTIES);
    p.penalty_last_n = s["last_n"] == -1 ? 0 : s["last_n"].get<int32_t>();
    p.penalty_repeat = number(s["repeat"]), p.penalty_freq = number(s["freq"]), p.penalty_present = number(s["present"]);
  }
  if (name == "dry") {
    stage(GSAMPLE_STAGE_DRY);
    p.dry_multiplier = number(s["multiplier"]), p.dry_base = number(s["base"]), p.dry_allowed_length = s["allowed_length"];
    p.dry_last_n = s["last_n"] == -1 ? s["context_size"].get<int32_t>() : s["last_n"].get<int32_t>();
    out->c.breakers = s["breakers"].get<std::vector<std::vector<int32_t>>>();
  }
  if (name == "mirostat" || name == "mirostat_v2") {
    stage(GSAMPLE_STAGE_MIROSTAT);
    p.mirostat = name == "mirostat" ? 1 : 2, p.mirostat_tau = number(s["tau"]), p.mirostat_eta = number(s["eta"]);
  }
  if (name == "adaptive_p") stage(GSAMPLE_STAGE_ADAPTIVE_P), p.adaptive_target = number(s["target"]), p.adaptive_decay = number(s["decay"]);
}

LlamaStep read_step(const json& j) {
  LlamaStep step;
  for (const json& l : j["logits"]) step.logits.push_back(number(l));
  for (const json& o : j["out"]) step.out.push_back({o[0].get<int32_t>(), o[1].is_string() ? NAN : o[1].get<double>()});
  step.selected = j["selected"];
  return step;
}

// Equal logits whose top-p border falls exactly on a token: an f32 sum there decides otherwise than ours.
bool border_on_a_token(const std::vector<float>& logits, double top_p) {
  double n = static_cast<double>(logits.size() - std::count(logits.begin(), logits.end(), -INFINITY));
  return std::set<float>(logits.begin(), logits.end()).size() <= 2 && std::fabs(top_p * n - std::round(top_p * n)) < 1e-5 * n;
}

}  // namespace

std::vector<LlamaCase> llama_cases(const std::string& name) {
  std::vector<LlamaCase> out;
  std::ifstream file(oracle_file("llama/" + name));
  for (std::string line; std::getline(file, line);) {
    json j = json::parse(line);
    LlamaCase l;
    l.c.name = "llama " + std::to_string(j["id"].get<int>());
    l.group = j["group"];
    l.c.params.top_k = 0, l.c.params.top_p = 1;
    std::vector<int32_t> order;
    for (const json& s : j["chain"]) add_stage(s, &order, &l);
    std::fill(std::begin(l.c.params.order), std::end(l.c.params.order), 0);
    std::copy(order.begin(), order.end(), l.c.params.order);
    if (j.contains("history")) l.c.prompt = j["history"].get<std::vector<int32_t>>();
    if (j.contains("steps"))
      for (const json& s : j["steps"]) l.steps.push_back(read_step(s));
    else l.steps.push_back(read_step(j));
    l.tie_cut = j.contains("tie_cut") && j["tie_cut"] != false;
    l.quirk = j.contains("quirks") && !j["quirks"].empty();
    l.at_margin = j.contains("margin") && j["margin"].get<double>() < 1e-5;
    l.at_margin |= l.c.params.top_p < 1 && border_on_a_token(l.steps[0].logits, l.c.params.top_p);
    for (int id : {509, 510, 1265, 1270, 662, 664, 692, 693}) l.quirk |= name == "golden.jsonl" && j["id"] == id;
    out.push_back(l);
  }
  return out;
}
