// A case is everything that decides what a sampler picks; playing it on an engine gives a trace; two traces are equal to the bit or
// the difference is said in words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine.h"

struct Case {
  std::string name;
  gsample_params params = default_params();
  std::vector<int32_t> prompt;
  std::vector<std::pair<int32_t, float>> bias;
  std::vector<std::vector<int32_t>> breakers;
  Rule rule;
  int custom = 0;
  size_t n_picks = 1;
  std::function<RowData(size_t)> row;   // the row of pick p
  std::vector<int32_t> forced;          // forced[p] is accepted before pick p; -1 or absent: nothing is
  std::vector<gsample_params> changes;  // changes[p] is set after pick p
  size_t reset_after = SIZE_MAX;        // the sampler is reset after this pick
  bool reload = false;                  // the sampler goes through save and load after every pick
};

struct Step {
  int32_t forced = 0, token = 0, drawn = 0;  // tokens or statuses: of accept, of pick, of a draw from the distribution
  double next = 0, next_drawn = 0;           // the generator's next number after the pick, after the draw
  int32_t law = 0;                           // the status of the distribution
  Distribution distribution;
};

struct Trace {
  std::vector<Step> steps;
  int32_t setup = 0;  // the first status below 0 while the sampler was set up or reloaded
  double next = 0;    // the generator's next number after the last pick
};

// PICKS: tokens only. ALL: also what a clone's distribution, draw and generator say before and after every pick.
enum class Detail { PICKS, ALL };
Trace play(const Case& c, Engine& engine, Detail detail);

// Empty where the traces are equal. The distribution under LAZY with a constraint is a sum of two runs: compared to 1e-6, as sets.
std::string difference(const Case& c, const Trace& expected, const Trace& got);

// The fields that differ from the defaults, and the rest of the case, on a few lines.
std::string describe(const Case& c);

uint64_t fold64(uint64_t hash, uint32_t bits);
inline constexpr uint64_t kFoldStart = 1469598103934665603u;
