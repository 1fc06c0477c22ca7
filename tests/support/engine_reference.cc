// The engine made of the plain reference: history, the constraint's sleep and feeding are kept here, the pick itself is reference.cc.
#include <algorithm>

#include "engine.h"
#include "reference.h"

namespace {

class ReferenceEngine final : public Engine {
 public:
  explicit ReferenceEngine(const gsample_params& params) : state_(params) {}
  std::unique_ptr<Engine> clone() const override { return std::make_unique<ReferenceEngine>(*this); }

  int32_t seed(const std::vector<int32_t>& tokens) override {
    for (int32_t t : tokens) state_.history.push_back({t, false});
    return GSAMPLE_OK;
  }
  int32_t bias(const std::vector<std::pair<int32_t, float>>& table) override {
    state_.bias = {table.begin(), table.end()};
    return GSAMPLE_OK;
  }
  int32_t breaker(const std::vector<int32_t>& tokens) override {
    state_.breakers.push_back(tokens);
    return GSAMPLE_OK;
  }
  int32_t constrain(const Rule& rule) override {
    rule_ = rule, fed_ = 0, waited_.clear();
    awake_ = rule.on && rule.after.empty();
    return GSAMPLE_OK;
  }
  int32_t custom(int kind) override {
    custom_ = kind;
    return GSAMPLE_OK;
  }
  int32_t rng_seed(uint64_t seed) override {
    state_.generator = reference::Generator(seed);
    return GSAMPLE_OK;
  }
  int32_t accept(int32_t token) override {
    if (awake_ && !rule_.allows(token, fed_)) return GSAMPLE_ERROR_REFUSED;
    commit(token);
    return GSAMPLE_OK;
  }
  int32_t set_params(const gsample_params& params) override {
    state_.params = params;
    return GSAMPLE_OK;
  }
  int32_t reset() override {
    reference::State anew(state_.params);
    anew.bias = state_.bias, anew.breakers = state_.breakers;
    state_ = anew;
    return constrain({});
  }
  int32_t reload() override { return GSAMPLE_OK; }

  int32_t pick(const RowData& row) override {
    reference::Outcome out = outcome(row);
    if (out.status < 0) return out.status;
    state_.generator = out.generator, state_.mu = out.mu, state_.average = out.average;
    commit(out.token);
    return out.token;
  }
  int32_t draw(const RowData& row) override {
    reference::Outcome out = outcome(row);
    if (out.status < 0) return out.status;
    state_.generator = out.generator;
    return out.token;
  }
  int32_t distribution(const RowData& row, Distribution* out) override {
    reference::Law law = reference::law(state_, {row.values, row.mask}, allows(), stage());
    if (law.status < 0) return law.status;
    state_.generator = law.generator;
    *out = {law.ids, law.weights};
    return GSAMPLE_OK;
  }
  double uniform() override { return state_.generator.uniform(); }

 private:
  reference::Allows allows() const {
    if (!awake_) return {};
    return [this](int32_t id) { return rule_.allows(id, fed_); };
  }
  reference::Custom stage() const {
    if (!custom_) return {};
    return [this](const int32_t* ids, float* logits, size_t n) {
      for (size_t i = 0; i < n; i++) logits[i] = custom_logit(custom_, ids[i], logits[i]);
    };
  }
  reference::Outcome outcome(const RowData& row) const { return reference::pick(state_, {row.values, row.mask}, allows(), stage()); }

  void commit(int32_t token) {
    state_.history.push_back({token, true});
    if (awake_) {
      fed_++;
    } else if (rule_.on) {
      waited_.push_back(token);
      awake_ = waited_.size() >= rule_.after.size() && std::equal(rule_.after.rbegin(), rule_.after.rend(), waited_.rbegin());
    }
  }

  reference::State state_;
  Rule rule_;
  bool awake_ = false;
  int64_t fed_ = 0;
  std::vector<int32_t> waited_;
  int custom_ = 0;
};

}  // namespace

std::unique_ptr<Engine> reference_engine(const gsample_params& params) { return std::make_unique<ReferenceEngine>(params); }
