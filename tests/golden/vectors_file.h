// Reads tests/golden/vectors.json, the project's own vectors, which every binding reads too. The file is one object:
//   format 1; semantics: GSAMPLE_SEMANTICS; fold64: over every element of every `tokens`, in order, as "0x...": h = 1469598103934665603,
//   then h = (h xor (uint32) token) * 1099511628211 (mod 2^64)
//   vectors: a list of cases, each with
//     name      text
//     params    pairs of texts for gsample_params_set, in this order, on what gsample_params_init gives
//     n_vocab   columns of every row
//     dtype     GSAMPLE_F32, _F16 or _BF16
//     kind      the recipe of the logits; row p is for pick p. With splitmix64 as in tests/support/rows.h: seed = splitmix64(row_seed + p),
//               x = splitmix64(seed + i), u = (x >> 40) * 2^-24, then, every step rounded to f32:
//               cubic u*u*u*24 - 6 | flat u * 0.5 | ties16 floor(u * 16) - 8 | peaked u^16 (four squarings) * 60 - 20
//               raw: the 16 bits are (x >> 48) & 0xcfff for f16, & 0xc1ff for bf16
//     row_seed  number
//     patch     [column, bits], ...: after the recipe, the logit of this column has these bits (32 or 16, by dtype)
//     mask_seed 0: no mask; else column i is allowed iff splitmix64(mask_seed + i) & 3 is not 0
//     prompt    gsample_seed before the first pick
//     bias      [token, f32 bits], ... for gsample_bias
//     breakers  token lists for gsample_dry_breaker
//     rule      [m, r]: a constraint that allows token t iff t % m < r (callbacks `allows` and `accept` suffice); empty: none
//     after     of that constraint
//     forced    forced[p] is accepted (gsample_accept) before pick p; -1 or absent: nothing is
//   and what comes out:
//     tokens    of each pick, or its status (below 0; the next pick goes on from the same state)
//     next      gsample_uniform after the last pick, times 2^53
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "play.h"

struct Vector {
  Case c;
  std::vector<std::pair<std::string, std::string>> params;
  std::string kind = "cubic";
  uint32_t n_vocab = 16, dtype = GSAMPLE_F32;
  uint64_t row_seed = 1, mask_seed = 0;
  std::vector<std::pair<uint32_t, uint32_t>> patch;
  std::vector<int64_t> rule;
  std::vector<int32_t> tokens;
  uint64_t next = 0;
};

// Gives c its rows and rule, which the other members say.
void finish(Vector* v);

struct VectorFile {
  int semantics = 0;
  uint64_t fold = 0;
  std::vector<Vector> vectors;
};
VectorFile read_vectors(const char* path);

// Order and words of parameters.
std::vector<std::pair<std::string, std::string>> params_to_pairs(const gsample_params& params);
bool pairs_to_params(const std::vector<std::pair<std::string, std::string>>& pairs, gsample_params* params);
