#include "stages/history.h"

#include <algorithm>

namespace gsample {

void History::configure(int32_t penalty_style, int32_t penalty_last_n) {
  if (penalty_style == style_ && penalty_last_n == last_n_) return;
  const auto distinct_at_most = [&](int32_t style, int32_t last_n) {
    return style == GSAMPLE_PENALTY_WINDOW && last_n >= 0 ? std::min(entries_.size(), static_cast<size_t>(last_n)) : entries_.size();
  };
  counts_.reserve(distinct_at_most(penalty_style, penalty_last_n) + 1);
  style_ = penalty_style;
  last_n_ = penalty_last_n;
  recount();
}

size_t History::window_start() const {
  if (style_ == GSAMPLE_PENALTY_ANSWER || last_n_ < 0) return 0;
  return entries_.size() - std::min(entries_.size(), static_cast<size_t>(last_n_));
}

void History::reserve(size_t n) {
  // Grows by half as much again, so that one token at a time costs a constant.
  if (entries_.capacity() < entries_.size() + n) entries_.reserve(entries_.size() + std::max(n, entries_.size() / 2 + 16));
  const bool bounded = style_ == GSAMPLE_PENALTY_WINDOW && last_n_ >= 0;
  counts_.reserve(counts_.size() + (bounded ? std::min(n, static_cast<size_t>(last_n_)) : n) + 1);
}

void History::add(Entry entry) {
  if (style_ == GSAMPLE_PENALTY_WINDOW && last_n_ == 0) return;
  if (entry.token < 0) return;
  const uint32_t id = static_cast<uint32_t>(entry.token);
  uint32_t& count = counts_.at(id);
  if (style_ == GSAMPLE_PENALTY_WINDOW || entry.answer) count++;
  if (seen_.covers(id)) seen_.set(id);
}

void History::remove(Entry entry) {
  if (entry.token < 0) return;
  const uint32_t id = static_cast<uint32_t>(entry.token);
  if (--counts_.at(id) > 0) return;
  counts_.erase(id);
  if (seen_.covers(id)) seen_.unset(id);
}

void History::append(int32_t token, bool answer) {
  if (style_ == GSAMPLE_PENALTY_WINDOW && last_n_ > 0 && entries_.size() >= static_cast<size_t>(last_n_))
    remove(entries_[entries_.size() - static_cast<size_t>(last_n_)]);
  entries_.push_back({token, answer});
  add(entries_.back());
}

void History::clear() {
  entries_.clear();
  counts_.clear();
  seen_.clear();
}

void History::assign(std::vector<Entry> entries) {
  counts_.reserve(entries.size() + 1);
  entries_ = std::move(entries);
  recount();
}

void History::recount() {
  counts_.clear();
  seen_.clear();
  for (size_t i = window_start(); i < entries_.size(); i++) add(entries_[i]);
}

const TokenBits& History::seen(size_t n_vocab) {
  if (seen_.width() < n_vocab) {
    seen_.resize(n_vocab);
    counts_.each([&](uint32_t id, uint32_t) {
      if (seen_.covers(id)) seen_.set(id);
    });
  }
  return seen_;
}

}  // namespace gsample
