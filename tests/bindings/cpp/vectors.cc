// The project's vectors (tests/golden/vectors.json, described in tests/golden/vectors_file.h) through the C++ binding.
//   vectors tests/golden/vectors.json
#include <bit>
#include <cstdlib>
#include <fstream>
#include <gsample/gsample.hpp>
#include <nlohmann/json.hpp>

#include "check.h"
#include "rows.h"

namespace {

using nlohmann::json;

json file;

// Allows token t iff t % m < r.
struct Rule {
  int32_t m, r;
  bool allows(int32_t token) const { return token % m < r; }
  void accept(int32_t) {}
};

struct Vector {
  const json& j;
  uint32_t n = j["n_vocab"], dtype = j["dtype"];
  std::vector<float> floats = std::vector<float>(n);
  std::vector<uint16_t> halves = std::vector<uint16_t>(n);
  std::vector<uint32_t> mask;

  explicit Vector(const json& vector) : j(vector) {
    uint64_t seed = j["mask_seed"];
    if (!seed) return;
    mask.resize((n + 31) / 32);
    for (uint32_t i = 0; i < n; i++)
      if (rows_splitmix64(seed + i) & 3) mask[i / 32] |= 1u << i % 32;
  }

  gsample::Row row(uint64_t pick) {
    std::string kind = j["kind"];
    uint64_t row_seed = j["row_seed"], seed = rows_splitmix64(row_seed + pick);
    if (kind == "raw") {
      for (uint32_t i = 0; i < n; i++)
        halves[i] = static_cast<uint16_t>(rows_splitmix64(seed + i) >> 48 & (dtype == GSAMPLE_F16 ? 0xcfff : 0xc1ff));
    } else {
      CHECK(rows_fill(floats.data(), n, kind.c_str(), row_seed, pick) == 0);
    }
    for (const auto& patch : j["patch"]) {
      if (dtype == GSAMPLE_F32) floats[patch[0]] = std::bit_cast<float>(patch[1].get<uint32_t>());
      else halves[patch[0]] = patch[1].get<uint16_t>();
    }
    gsample::Row out = dtype == GSAMPLE_F32   ? gsample::Row(floats)
                       : dtype == GSAMPLE_F16 ? gsample::Row::f16(halves)
                                              : gsample::Row::bf16(halves);
    return mask.empty() ? out : out.masked(mask);
  }
};

gsample::Sampler sampler_of(const json& j) {
  gsample::Params params;
  for (const auto& pair : j["params"]) params.set(pair[0].get<std::string>().c_str(), pair[1].get<std::string>().c_str()).value();
  gsample::Sampler sampler = gsample::Sampler::make(params).value();
  std::vector<int32_t> tokens;
  std::vector<float> biases;
  for (const auto& b : j["bias"]) tokens.push_back(b[0]), biases.push_back(std::bit_cast<float>(b[1].get<uint32_t>()));
  sampler.bias(tokens, biases).value();
  for (const auto& b : j["breakers"]) sampler.dry_breaker(b.get<std::vector<int32_t>>()).value();
  sampler.seed(j["prompt"].get<std::vector<int32_t>>()).value();
  if (!j["rule"].empty()) sampler.constrain(Rule{j["rule"][0], j["rule"][1]}, j["after"].get<std::vector<int32_t>>()).value();
  return sampler;
}

void vectors() {
  uint64_t fold = 1469598103934665603u;
  CHECK(file["semantics"] == GSAMPLE_SEMANTICS);
  for (const json& j : file["vectors"]) {
    gsample::Sampler sampler = sampler_of(j);
    Vector vector(j);
    for (size_t p = 0; p < j["tokens"].size(); p++) {
      int32_t forced = p < j["forced"].size() ? j["forced"][p].get<int32_t>() : -1, expected = j["tokens"][p];
      if (forced >= 0) (void)sampler.accept(forced);
      auto picked = sampler.pick(vector.row(p));
      int32_t got = picked ? *picked : picked.status();
      if (got != expected) std::printf("%s, pick %zu: %d expected, got %d\n", j["name"].get<std::string>().c_str(), p, expected, got);
      CHECK(got == expected);
      fold = (fold ^ static_cast<uint32_t>(got)) * 1099511628211u;
    }
    CHECK(static_cast<uint64_t>(*sampler.uniform() * 9007199254740992.0) == j["next"]);
  }
  CHECK(fold == std::strtoull(file["fold64"].get<std::string>().c_str(), nullptr, 16));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream(argv[1]) >> file;
  constexpr Test kTests[] = {{"vectors", vectors}};
  return run_tests(kTests);
}
