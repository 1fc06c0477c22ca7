#include "stages/dry.h"

#include <algorithm>
#include <cmath>

#include "base/real.h"

namespace gsample {

void Breakers::add(std::span<const int32_t> sequence) {
  if (sequence.empty()) return clear();
  encoded_.reserve(encoded_.size() + sequence.size() + 1);
  uint32_t node = 0;
  for (size_t i = sequence.size(); i-- > 0;) {
    const uint32_t token = static_cast<uint32_t>(sequence[i]);
    uint32_t next = child(node, token);
    if (next == 0) {
      ends_.push_back(0);
      next = static_cast<uint32_t>(ends_.size() - 1);
      children_.emplace(uint64_t{node} << 32 | token, next);
    }
    node = next;
  }
  ends_[node] = 1;
  encoded_.push_back(static_cast<int32_t>(sequence.size()));
  encoded_.insert(encoded_.end(), sequence.begin(), sequence.end());
}

void Breakers::clear() {
  encoded_.clear();
  children_.clear();
  ends_.assign(1, 0);
}

bool Breakers::is_breaker(uint32_t token) const { return ends_[child(0, token)]; }

size_t Breakers::tokens_after_last(std::span<const History::Entry> h) const {
  if (encoded_.empty()) return h.size();
  for (size_t end = h.size(); end > 0; end--) {
    uint32_t node = 0;
    for (size_t i = end; i-- > 0 && (node = child(node, static_cast<uint32_t>(h[i].token))) != 0;)
      if (ends_[node]) return h.size() - end;
  }
  return h.size();
}

size_t Breakers::bytes() const {
  return encoded_.capacity() * 4 + ends_.capacity() + children_.size() * (sizeof(*children_.begin()) + 2 * sizeof(void*)) +
         children_.bucket_count() * sizeof(void*);
}

void Dry::reserve(size_t n_tokens, size_t n_vocab) {
  matches_.reserve(n_tokens);
  common_.reserve(n_tokens);
  bits_.words().reserve((n_vocab + 63) / 64);
}

void Dry::match(std::span<const History::Entry> history, const gsample_params& params, const Breakers& breakers) {
  for (const Match& match : matches_)
    if (bits_.covers(match.token)) bits_.unset(match.token);
  matches_.clear();
  multiplier_ = static_cast<double>(params.dry_multiplier);
  base_ = static_cast<double>(params.dry_base);
  allowed_ = static_cast<uint32_t>(params.dry_allowed_length);
  const std::span<const History::Entry> h =
      params.dry_last_n < 0 ? history : history.last(std::min(history.size(), static_cast<size_t>(params.dry_last_n)));
  const size_t n = h.size();
  if (n < 2) return;
  const size_t limit = breakers.tokens_after_last(h);
  if (limit < allowed_) return;

  // common_[i]: how many tokens the ends of h and of h without its last i tokens have in common (Z function of h read backwards).
  common_.resize(n);
  const auto back = [&](size_t i) { return h[n - 1 - i].token; };
  const int32_t last = back(0);
  size_t from = 0, to = 0;  // the known stretch that reaches furthest
  for (size_t i = 1; i < n; i++) {
    size_t common = 0;
    if (i < to) common = std::min<size_t>(common_[i - from], to - i);
    else if (back(i) != last) {
      common_[i] = 0;
      if (allowed_ > 0) continue;
    }
    while (i + common < n && back(common) == back(i + common)) common++;
    common_[i] = static_cast<uint32_t>(common);
    if (i + common > to) from = i, to = i + common;
    const size_t length = std::min(common, limit);
    const int32_t next = back(i - 1);
    if (length >= allowed_ && next >= 0 && !breakers.is_breaker(static_cast<uint32_t>(next)))
      matches_.push_back({static_cast<uint32_t>(next), static_cast<uint32_t>(length)});
  }
  std::sort(matches_.begin(), matches_.end(),
            [](const Match& a, const Match& b) { return a.token != b.token ? a.token < b.token : a.length > b.length; });
  matches_.erase(std::unique(matches_.begin(), matches_.end(), [](const Match& a, const Match& b) { return a.token == b.token; }),
                 matches_.end());
  for (const Match& match : matches_)
    if (bits_.covers(match.token)) bits_.set(match.token);
}

std::span<const uint64_t> Dry::touched(size_t n_vocab) {
  if (bits_.width() < n_vocab) {
    bits_.resize(n_vocab);
    for (const Match& match : matches_)
      if (bits_.covers(match.token)) bits_.set(match.token);
  }
  return bits_.words();
}

float Dry::penalty(uint32_t length) const {
  const double penalty = multiplier_ * pow_f64(base_, static_cast<double>(length - allowed_));
  return static_cast<float>(std::min(penalty, static_cast<double>(kFloatMax)));
}

float Dry::apply(uint32_t id, float logit) const {
  const auto match = std::lower_bound(matches_.begin(), matches_.end(), id, [](const Match& m, uint32_t token) { return m.token < token; });
  if (match == matches_.end() || match->token != id) return logit;
  return limited(logit - penalty(match->length));
}

float Dry::bound(float magnitude) const {
  float most = 0;
  for (const Match& match : matches_) most = std::max(most, penalty(match.length));
  return magnitude + most;
}

size_t Dry::bytes() const { return matches_.capacity() * sizeof(Match) + common_.capacity() * 4 + bits_.words().capacity() * 8; }

}  // namespace gsample
