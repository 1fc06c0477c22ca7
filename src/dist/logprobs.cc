#include "dist/logprobs.h"

#include <algorithm>
#include <cmath>

#include "base/real.h"

namespace gsample {

RowLogprobs::RowLogprobs(const Row& row, Scratch& scratch, const Head* known) : scratch_(scratch), head_(scratch) {
  source_.row = row;
  source_.row.mask = nullptr;
  Want want;
  want.sums = true;
  if (!known || !head_.open_as_given(*known)) head_.open(source_, want, nullptr);
  infinite_ = head_.maxima().max == kInfinity && head_.open_infinite();
  if (!head_.reach(0)) return;
  max_ = head_.max();
  log_total_ = log_f64(head_.total());
}

double RowLogprobs::logprob(uint32_t id) const {
  const float logit = row_at(source_.row, id);
  if (infinite_) return logit == kInfinity ? -log_total_ : -static_cast<double>(kInfinity);
  if (!(logit > -kInfinity)) return -static_cast<double>(kInfinity);
  return (static_cast<double>(logit) - static_cast<double>(max_)) - log_total_;
}

void RowLogprobs::rank(std::span<gsample_logprob> items) const {
  // Every token of the row that comes before some item is counted at the first one it comes before.
  std::vector<std::pair<Key, uint32_t>> keys;
  keys.reserve(items.size());
  bool banned = false;  // an item has no finite logit: then every column comes before it, or has its place among those like it
  for (size_t i = 0; i < items.size(); i++) {
    const float logit = row_at(source_.row, static_cast<uint32_t>(items[i].token));
    const float finite = logit == logit ? logit : -kInfinity;
    banned |= !(finite > -kInfinity);
    keys.push_back({key_of(finite, static_cast<uint32_t>(items[i].token)), static_cast<uint32_t>(i)});
  }
  std::sort(keys.begin(), keys.end(), std::greater<>());
  std::vector<int32_t> before(keys.size() + 1, 0);
  const auto count = [&](uint32_t id, float logit) {
    const Key key = key_of(logit, id);
    const auto at = std::upper_bound(keys.begin(), keys.end(), key, [](Key k, const auto& item) { return k > item.first; });
    before[static_cast<size_t>(at - keys.begin())]++;
  };
  const float least = keys.empty() ? 0 : logit_of_key(keys.back().first);
  if (banned) {
    for (uint32_t id = 0; id < source_.row.n; id++) {
      const float logit = row_at(source_.row, id);
      if (logit == logit) count(id, logit);
    }
  } else if (!keys.empty()) {
    visit(source_, scratch_.maxima, least, scratch_.chunks, [&](uint32_t id, float logit) {
      count(id, logit);
      return least;
    });
  }
  int32_t sum = 0;
  for (size_t i = 0; i < keys.size(); i++) {
    sum += before[i];
    gsample_logprob& item = items[keys[i].second];
    const float logit = row_at(source_.row, static_cast<uint32_t>(item.token));
    item.rank = logit == logit ? sum + 1 : 0;
  }
}

size_t RowLogprobs::top(std::span<gsample_logprob> out) {
  head_.keep(std::max<size_t>(1, out.size()));
  size_t n = 0;
  for (; n < out.size() && head_.reach(n); n++) {
    const uint32_t id = head_.id(n);
    out[n] = {logprob(id), static_cast<int32_t>(id), static_cast<int32_t>(n + 1)};
  }
  return n;
}

}  // namespace gsample
