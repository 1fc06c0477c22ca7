#include "chain/saved.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "params/params.h"

namespace gsample {

namespace {

constexpr uint32_t kMagic = 0x706d7367;  // "gsmp"
// Format 2 ends with how much of `after` has been accepted. A state of which none has is written in format 1, which knew of none.
constexpr uint32_t kFormat = 1, kFormatWaiting = 2;

uint64_t checksum(std::span<const uint8_t> bytes) {  // FNV-1a
  uint64_t h = 0xcbf29ce484222325u;
  for (uint8_t byte : bytes) h = (h ^ byte) * 0x100000001b3u;
  return h;
}

// The fields of gsample_params, in the order of the struct.
template <class Params, class Visit>
void each_param(Params& p, Visit&& visit) {
  visit(p.top_k), visit(p.seed), visit(p.temperature), visit(p.top_p), visit(p.min_p), visit(p.typical_p), visit(p.top_n_sigma);
  visit(p.xtc_probability), visit(p.xtc_threshold), visit(p.dynatemp_range), visit(p.dynatemp_exponent), visit(p.mirostat_tau);
  visit(p.mirostat_eta), visit(p.adaptive_target), visit(p.adaptive_decay), visit(p.penalty_repeat), visit(p.penalty_freq);
  visit(p.penalty_present), visit(p.dry_multiplier), visit(p.dry_base), visit(p.mirostat), visit(p.penalty_style), visit(p.penalty_last_n);
  visit(p.dry_allowed_length), visit(p.dry_last_n), visit(p.min_keep), visit(p.nan_policy), visit(p.constraint_mode);
  for (auto& stage : p.order) visit(stage);
}

class Writer {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(const T& value) {
    if constexpr (std::is_same_v<T, float>) return (*this)(std::bit_cast<uint32_t>(value));
    else
      for (size_t i = 0; i < sizeof(T); i++) out.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
  }
  void operator()(const gsample_params& params) { each_param(params, *this); }
  void operator()(const Pcg& rng) { (*this)(rng.high), (*this)(rng.low); }
  void operator()(const History& history) {
    list(history.entries(), [this](History::Entry entry) { (*this)(entry.token), (*this)(entry.answer); });
  }
  void operator()(const Bias& bias) {
    list(bias.items(), [this](Bias::Item item) { (*this)(item.token), (*this)(item.bias); });
  }
  void operator()(const std::vector<uint32_t>& tokens) { list(tokens, *this); }
  void operator()(const Breakers& breakers) { list(breakers.encoded(), *this); }
  void operator()(Waited waited) {
    if (waited.tokens) (*this)(waited.tokens);
  }

  std::vector<uint8_t> out;

 private:
  template <class List, class Each>
  void list(const List& items, Each&& each) {
    (*this)(static_cast<uint64_t>(items.size()));
    for (const auto& item : items) each(item);
  }
};

[[noreturn]] void malformed(const char* what) { fail(GSAMPLE_ERROR_FORMAT, "the saved state is malformed: %s", what); }

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes, uint32_t format = kFormat) : left_(bytes), format_(format) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, float>) {
      uint32_t bits;
      (*this)(bits);
      value = std::bit_cast<float>(bits);
    } else {
      if (left_.size() < sizeof(T)) malformed("it ends early");
      uint64_t bits = 0;
      for (size_t i = 0; i < sizeof(T); i++) bits |= uint64_t{left_[i]} << (8 * i);
      if (std::is_same_v<T, bool> && bits > 1) malformed("a flag is neither 0 nor 1");
      value = static_cast<T>(bits);
      left_ = left_.subspan(sizeof(T));
    }
  }
  void operator()(gsample_params& params) {
    params = {};
    params.size = sizeof params;
    each_param(params, *this);
    try {
      validate_params(params);
    } catch (const Failure& failure) {
      malformed(failure.message);
    }
  }
  void operator()(Pcg& rng) { (*this)(rng.high), (*this)(rng.low); }
  void operator()(History& history) {
    std::vector<History::Entry> entries(count(5));
    for (History::Entry& entry : entries) (*this)(entry.token), (*this)(entry.answer);
    history.assign(std::move(entries));
  }
  void operator()(Bias& bias) {
    std::vector<Bias::Item> items(count(8));
    for (Bias::Item& item : items) {
      (*this)(item.token), (*this)(item.bias);
      if (item.token > INT32_MAX || !(item.bias < kInfinity)) malformed("a bias is out of range");
    }
    for (size_t i = 1; i < items.size(); i++)
      if (items[i].token <= items[i - 1].token) malformed("the biases are out of order");
    bias.assign(std::move(items));
  }
  void operator()(std::vector<uint32_t>& tokens) {
    tokens.resize(count(4));
    for (uint32_t& token : tokens) {
      (*this)(token);
      if (token > INT32_MAX) malformed("a stop token is out of range");
    }
    if (!std::is_sorted(tokens.begin(), tokens.end())) malformed("the stop tokens are out of order");
  }
  void operator()(Breakers& breakers) {
    std::vector<int32_t> encoded(count(4));
    for (int32_t& token : encoded) {
      (*this)(token);
      if (token < 0) malformed("a breaker is out of range");
    }
    for (size_t at = 0; at < encoded.size();) {
      const size_t n = static_cast<size_t>(encoded[at++]);
      if (n == 0 || n > encoded.size() - at) malformed("a breaker has no such length");
      breakers.add({encoded.data() + at, n});
      at += n;
    }
  }
  void operator()(Waited& waited) {
    if (format_ < kFormatWaiting) return;
    (*this)(waited.tokens);
    if (waited.tokens == 0) malformed("it waits for an `after` of which nothing came");
  }
  bool at_end() const { return left_.empty(); }

 private:
  size_t count(size_t item_size) {
    uint64_t n;
    (*this)(n);
    if (n > left_.size() / item_size) malformed("a list is longer than the bytes");
    return static_cast<size_t>(n);
  }

  std::span<const uint8_t> left_;
  uint32_t format_;
};

}  // namespace

std::vector<uint8_t> save(const Sampler& sampler) {
  Writer writer;
  writer(kMagic), writer(sampler.state().waited.tokens ? kFormatWaiting : kFormat), writer(uint32_t{GSAMPLE_SEMANTICS});
  State::each(sampler.state(), [&](const auto& field, State::AtReset) { writer(field); });
  writer(checksum(writer.out));
  return std::move(writer.out);
}

State load(std::span<const uint8_t> bytes) {
  if (bytes.size() < 20) malformed("it ends early");
  Reader header(bytes);
  uint32_t magic, format, semantics;
  header(magic), header(format), header(semantics);
  if (magic != kMagic) malformed("it is not a saved sampler");
  if (format < kFormat || format > kFormatWaiting)
    fail(GSAMPLE_ERROR_UNSUPPORTED, "the saved state has format %u, this library reads %u to %u", format, kFormat, kFormatWaiting);
  if (semantics != GSAMPLE_SEMANTICS)
    fail(GSAMPLE_ERROR_UNSUPPORTED, "the saved state has semantics %u, this library %d", semantics, GSAMPLE_SEMANTICS);
  uint64_t sum;
  Reader(bytes.last(8))(sum);
  if (sum != checksum(bytes.first(bytes.size() - 8))) malformed("its checksum differs");
  Reader reader(bytes.subspan(12, bytes.size() - 20), format);
  State state;
  State::each(state, [&](auto& field, State::AtReset) { reader(field); });
  if (!reader.at_end()) malformed("it has more than its fields");
  if (!(std::abs(state.mu) <= kFloatMax && std::abs(state.average) <= kFloatMax)) malformed("mu or the average is not finite");
  if (state.passed && state.waited.tokens) malformed("its `after` has passed and is waited for");
  const std::span<const History::Entry> entries = state.history.entries();
  if (state.waited.tokens > std::count_if(entries.begin(), entries.end(), [](History::Entry entry) { return entry.answer; }))
    malformed("more of `after` came than there are answers");
  state.history.configure(state.params.penalty_style, state.params.penalty_last_n);
  return state;
}

}  // namespace gsample
