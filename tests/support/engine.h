// One sampler as the tests see it, with two implementations: the library through its public header, and the plain reference. A case
// is written once and played on both.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gsample/gsample.h"

// A row of logits in the dtype that the library is given. `values` are the same logits as floats.
struct RowData {
  uint32_t dtype = GSAMPLE_F32;
  std::vector<float> values;
  std::vector<uint16_t> half;  // f16 and bf16: the bits
  std::vector<uint32_t> mask;  // empty: no mask
  gsample_row view() const;
};
float f16_value(uint16_t bits);
float bf16_value(uint16_t bits);
uint16_t f16_bits(float value);   // rounds towards 0, and to the largest finite f16
uint16_t bf16_bits(float value);  // rounds towards 0

// A constraint: token `id` is allowed iff (id + shift * accepted) % modulus is in `list`, or, with modulus 0, iff id is in `list`.
// `accepted` counts the tokens that it was fed, so a constraint that was fed too much or too little is seen.
struct Rule {
  bool on = false;
  int64_t modulus = 0, shift = 0;
  std::vector<int32_t> list;
  std::vector<int32_t> after;
  bool with_mask = false, with_lead_bytes = false;  // which of the optional callbacks the library gets
  bool allows(int32_t id, int64_t accepted) const;
};

// The custom stages of the tests. 0: none; 1: adds 0.75 to odd ids; 2: drops every third id; 3: makes NaN; 4: makes all logits equal; 5:
// +inf for every fifth id.
float custom_logit(int kind, int32_t id, float logit);

struct Distribution {
  std::vector<int32_t> ids;
  std::vector<double> weights;
};

// What a step gave: the tokens that came, and 0 or the status that stopped it.
struct Decided {
  std::vector<int32_t> tokens;
  int32_t status = 0;
  bool operator==(const Decided&) const = default;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Engine> clone() const = 0;
  // Each returns a status.
  virtual int32_t seed(const std::vector<int32_t>& tokens) = 0;
  virtual int32_t bias(const std::vector<std::pair<int32_t, float>>& table) = 0;
  virtual int32_t breaker(const std::vector<int32_t>& tokens) = 0;
  virtual int32_t constrain(const Rule& rule) = 0;
  virtual int32_t custom(int kind) = 0;
  virtual int32_t rng_seed(uint64_t seed) = 0;
  virtual int32_t accept(int32_t token) = 0;
  virtual int32_t set_params(const gsample_params& params) = 0;
  virtual int32_t reset() = 0;
  virtual int32_t reload() = 0;  // through save and load; not for a constrained or custom sampler
  // Each returns a token or a status.
  virtual int32_t pick(const RowData& row) = 0;
  virtual int32_t draw(const RowData& row) = 0;  // from the distribution, committing nothing but the generator
  virtual int32_t distribution(const RowData& row, Distribution* out) = 0;
  virtual double uniform() = 0;
  // A step over rows of one width and type, each with a mask or none: draft i is the guess for row i, the last row has none. q: what each
  // draft was drawn from, or empty: the drafts are certain. The reference's mu and averages do not move by a q.
  virtual Decided decide(const std::vector<RowData>& rows, const std::vector<int32_t>& drafts, const std::vector<Distribution>& q) = 0;
};

std::unique_ptr<Engine> library_engine(const gsample_params& params, gsample_error* error);  // NULL where the library refuses
std::unique_ptr<Engine> reference_engine(const gsample_params& params);

// The parameters after gsample_params_init, as semantics has them.
gsample_params default_params();
