// The engine made of the plain reference: history, the constraint's sleep and feeding are kept here, the pick itself is reference.cc.
#include <algorithm>
#include <map>

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

  Decided decide(const std::vector<RowData>& rows, const std::vector<int32_t>& drafts, const std::vector<Distribution>& q) override {
    Decided out;
    for (size_t i = 0; i < rows.size(); i++) {
      int32_t token = i < q.size() ? verify(rows[i], drafts[i], q[i]) : pick(rows[i]);
      if (token < 0) {
        out.status = token;
        break;
      }
      out.tokens.push_back(token);
      if (i < drafts.size() && drafts[i] != token) break;
    }
    return out;
  }

 private:
  // Contract C10: the token in the place of a draft that was drawn from q.
  int32_t verify(const RowData& row, int32_t draft, const Distribution& q) {
    Distribution p;
    if (int32_t status = distribution(row, &p); status < 0) return status;
    int32_t token = p.ids[0];
    if (p.ids.size() > 1) {
      auto p_of = normalised(p), q_of = normalised(q);
      if (state_.generator.uniform() * q_of[draft] < p_of[draft]) {
        token = draft;
      } else {
        Distribution rest;
        double total = 0;
        for (int32_t id : p.ids)
          if (double w = p_of[id] - q_of[id]; w > 0) rest.ids.push_back(id), rest.weights.push_back(w), total += w;
        if (rest.ids.empty()) rest = p, total = 1;
        token = rest.ids[0];
        double target = rest.ids.size() > 1 ? state_.generator.uniform() * total : 0, sum = 0;
        for (size_t i = 0; rest.ids.size() > 1 && i < rest.ids.size(); i++) {
          sum += rest.weights[i];
          if (rest.weights[i] > 0) token = rest.ids[i];
          if (target < sum) break;
        }
      }
    }
    commit(token);
    return token;
  }
  // By id, absent ones 0. The sum is taken from the largest weight down, equal ones by id, or in the order of the row.
  static std::map<int32_t, double> normalised(const Distribution& d) {
    std::map<int32_t, double> out;
    double total = 0;
    for (double w : d.weights) total += w;
    for (size_t i = 0; i < d.ids.size(); i++) out[d.ids[i]] = d.weights[i] / total;
    return out;
  }

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
