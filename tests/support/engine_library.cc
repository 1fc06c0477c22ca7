// The engine made of the library, through the public header alone.
#include <cstring>

#include "engine.h"

namespace {

// What the constraint's callbacks get as `user`.
struct RuleUser {
  Rule rule;
  int64_t fed = 0;
  uint32_t width = 0;  // no token above it is asked about
};

int32_t rule_allows(void* user, int32_t token) {
  auto* u = static_cast<RuleUser*>(user);
  return u->rule.allows(token, u->fed);
}
int32_t rule_accept(void* user, int32_t) {
  static_cast<RuleUser*>(user)->fed++;
  return GSAMPLE_OK;
}
int32_t rule_first_byte(void*, int32_t token) { return token * 7 & 255; }
int32_t rule_first_bytes(void* user, uint8_t table[256]) {
  auto* u = static_cast<RuleUser*>(user);
  std::memset(table, 0, 256);
  for (uint32_t id = 0; id < u->width; id++)
    if (u->rule.allows(static_cast<int32_t>(id), u->fed)) table[rule_first_byte(user, static_cast<int32_t>(id))] = 1;
  return GSAMPLE_OK;
}
int32_t rule_mask(void* user, uint32_t* words, size_t n_words) {
  auto* u = static_cast<RuleUser*>(user);
  std::memset(words, 0, n_words * sizeof *words);
  for (size_t id = 0; id < n_words * 32; id++)
    if (u->rule.allows(static_cast<int32_t>(id), u->fed)) words[id / 32] |= uint32_t{1} << id % 32;
  return GSAMPLE_OK;
}
int32_t rule_clone(void* user, void** out) {
  *out = new RuleUser(*static_cast<RuleUser*>(user));
  return GSAMPLE_OK;
}
void rule_destroy(void* user) { delete static_cast<RuleUser*>(user); }

int32_t custom_apply(void* user, const int32_t* tokens, float* logits, size_t n) {
  for (size_t i = 0; i < n; i++) logits[i] = custom_logit(*static_cast<int*>(user), tokens[i], logits[i]);
  return GSAMPLE_OK;
}
int32_t custom_clone(void* user, void** out) {
  *out = new int(*static_cast<int*>(user));
  return GSAMPLE_OK;
}
void custom_destroy(void* user) { delete static_cast<int*>(user); }

struct FreeDist {
  void operator()(gsample_dist* d) const { gsample_dist_free(d); }
};
using Dist = std::unique_ptr<gsample_dist, FreeDist>;

class LibraryEngine final : public Engine {
 public:
  explicit LibraryEngine(gsample_sampler* sampler) : sampler_(sampler) {}
  ~LibraryEngine() override { gsample_free(sampler_); }
  LibraryEngine(const LibraryEngine&) = delete;
  LibraryEngine& operator=(const LibraryEngine&) = delete;

  std::unique_ptr<Engine> clone() const override {
    gsample_sampler* copy = nullptr;
    if (gsample_clone(sampler_, &copy) < 0) return nullptr;
    return std::make_unique<LibraryEngine>(copy);
  }
  int32_t seed(const std::vector<int32_t>& tokens) override { return gsample_seed(sampler_, tokens.data(), tokens.size()); }
  int32_t bias(const std::vector<std::pair<int32_t, float>>& table) override {
    std::vector<int32_t> tokens;
    std::vector<float> biases;
    for (auto& [token, bias] : table) tokens.push_back(token), biases.push_back(bias);
    return gsample_bias(sampler_, tokens.data(), biases.data(), tokens.size());
  }
  int32_t breaker(const std::vector<int32_t>& tokens) override { return gsample_dry_breaker(sampler_, tokens.data(), tokens.size()); }
  int32_t constrain(const Rule& rule) override {
    if (!rule.on) return gsample_constrain(sampler_, nullptr);
    gsample_constraint c = {};
    c.size = sizeof c;
    c.user = new RuleUser{rule, 0, 1 << 16};
    c.after = rule.after.data();
    c.n_after = static_cast<uint32_t>(rule.after.size());
    c.allows = rule_allows, c.accept = rule_accept, c.clone = rule_clone, c.destroy = rule_destroy;
    if (rule.with_mask) c.mask = rule_mask;
    if (rule.with_lead_bytes) c.first_bytes = rule_first_bytes, c.first_byte = rule_first_byte;
    return gsample_constrain(sampler_, &c);
  }
  int32_t custom(int kind) override {
    if (!kind) return gsample_set_custom(sampler_, nullptr);
    gsample_custom c = {};
    c.size = sizeof c;
    c.user = new int(kind);
    c.apply = custom_apply, c.clone = custom_clone, c.destroy = custom_destroy;
    return gsample_set_custom(sampler_, &c);
  }
  int32_t rng_seed(uint64_t seed) override { return gsample_rng_seed(sampler_, seed); }
  int32_t accept(int32_t token) override { return gsample_accept(sampler_, token); }
  int32_t set_params(const gsample_params& params) override { return gsample_set_params(sampler_, &params, nullptr); }
  int32_t reset() override { return gsample_reset(sampler_); }
  int32_t reload() override {
    int64_t size = gsample_save(sampler_, nullptr, 0);
    if (size < 0) return static_cast<int32_t>(size);
    std::vector<uint8_t> bytes(static_cast<size_t>(size));
    size = gsample_save(sampler_, bytes.data(), bytes.size());
    if (size < 0) return static_cast<int32_t>(size);
    gsample_sampler* loaded = nullptr;
    if (int32_t status = gsample_load(&loaded, bytes.data(), bytes.size(), nullptr); status < 0) return status;
    gsample_free(sampler_);
    sampler_ = loaded;
    return GSAMPLE_OK;
  }
  int32_t pick(const RowData& row) override {
    if (row.dtype == GSAMPLE_F32 && row.mask.empty()) return gsample_pick(sampler_, row.values.data(), row.values.size());
    gsample_row view = row.view();
    return gsample_pick_row(sampler_, &view, nullptr);
  }
  int32_t draw(const RowData& row) override {
    Dist dist;
    int32_t status = fill(row, &dist);
    return status < 0 ? status : gsample_dist_draw(dist.get(), sampler_);
  }
  int32_t distribution(const RowData& row, Distribution* out) override {
    Dist dist;
    int32_t status = fill(row, &dist);
    if (status < 0) return status;
    size_t n = gsample_dist_size(dist.get());
    out->ids.assign(gsample_dist_ids(dist.get()), gsample_dist_ids(dist.get()) + n);
    out->weights.assign(gsample_dist_weights(dist.get()), gsample_dist_weights(dist.get()) + n);
    return GSAMPLE_OK;
  }
  double uniform() override { return gsample_uniform(sampler_); }

  Decided decide(const std::vector<RowData>& rows, const std::vector<int32_t>& drafts, const std::vector<Distribution>& q) override {
    const RowData& first = rows[0];
    const size_t row_bytes = first.values.size() * (first.dtype == GSAMPLE_F32 ? 4 : 2);
    std::vector<uint8_t> logits;
    std::vector<uint32_t> masks;
    for (const RowData& row : rows) {
      const auto* from = static_cast<const uint8_t*>(row.view().logits);
      logits.insert(logits.end(), from, from + row_bytes);
      masks.insert(masks.end(), row.mask.begin(), row.mask.end());
    }
    std::vector<Dist> owned;
    std::vector<const gsample_dist*> dists;
    for (const Distribution& d : q) {
      gsample_dist* raw = nullptr;
      int32_t status = gsample_dist_new(&raw);
      owned.emplace_back(raw), dists.push_back(raw);
      if (status == 0) status = gsample_dist_set(raw, d.ids.data(), d.weights.data(), d.ids.size());
      if (status < 0) return {{}, status};
    }
    Decided out;
    out.tokens.resize(rows.size());
    gsample_sequence s = {};
    s.size = sizeof s, s.dtype = first.dtype, s.n_vocab = static_cast<uint32_t>(first.values.size()), s.sampler = sampler_;
    s.n_rows = static_cast<uint32_t>(rows.size()), s.logits = logits.data(), s.row_stride = static_cast<int64_t>(row_bytes);
    if (!masks.empty()) s.masks = masks.data(), s.mask_stride = static_cast<int64_t>(first.mask.size() * 4);
    s.drafts = drafts.data(), s.n_drafts = static_cast<uint32_t>(drafts.size()), s.tokens = out.tokens.data();
    if (!q.empty()) s.draft_dists = dists.data();
    gsample_decide(&s, 1, nullptr, nullptr);
    out.tokens.resize(s.n_tokens);
    out.status = s.status;
    return out;
  }

 private:
  int32_t fill(const RowData& row, Dist* dist) {
    gsample_dist* raw = nullptr;
    if (int32_t status = gsample_dist_new(&raw); status < 0) return status;
    dist->reset(raw);
    gsample_row view = row.view();
    return gsample_dist_from_row(raw, sampler_, &view);
  }

  gsample_sampler* sampler_;
};

}  // namespace

std::unique_ptr<Engine> library_engine(const gsample_params& params, gsample_error* error) {
  gsample_sampler* sampler = nullptr;
  if (gsample_new(&params, &sampler, error) < 0) return nullptr;
  return std::make_unique<LibraryEngine>(sampler);
}
