// The oracle files (facts from other systems, outside this repository) as cases that either engine can play.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "play.h"

// The file's path from the project's root; empty where the oracle is absent.
std::string oracle_file(const std::string& name);

struct GolemCase {
  Case c;
  std::vector<int32_t> tokens;
  uint64_t rng_draws = 0, next_u64 = 0;
  bool defect = false;  // golem picks something where nothing may be picked: expect NO_CANDIDATE
};
std::vector<GolemCase> golem_cases(const std::string& name);  // sampler.jsonl or constrained.jsonl

struct GolemBits {
  Case c;
  std::vector<int32_t> ids;
  std::vector<uint32_t> probability_bits;
};
std::vector<GolemBits> golem_bits();

struct GolemPcg {
  uint64_t seed;
  std::vector<uint64_t> outputs;
  std::vector<double> numbers;
};
std::vector<GolemPcg> golem_pcg();

struct GolemRow {
  std::string kind;
  uint64_t row_seed, r, fold;
  size_t n;
  std::vector<uint32_t> first_bits;
};
std::vector<GolemRow> golem_rows();

// A row of the golem recipe (rows.h).
RowData recipe_row(const std::string& kind, size_t n, uint64_t row_seed, uint64_t r);

// One step of llama.cpp's sampler: what it leaves after the chain, and what it selected.
struct LlamaStep {
  std::vector<float> logits;
  std::vector<std::pair<int32_t, double>> out;
  int32_t selected = -1;
};
struct LlamaCase {
  Case c;  // without rows and picks: the steps have them
  std::string group;
  std::vector<LlamaStep> steps;
  bool tie_cut = false, quirk = false, dynamic_temperature = false;
  bool at_margin = false;     // one token more or less is rounding
  bool refused = false;       // gsample refuses these parameters or this bias
  std::string inexpressible;  // why no gsample_params says this chain
};
std::vector<LlamaCase> llama_cases(const std::string& name);  // golden.jsonl or golden_steps.jsonl
