#include "candidates/head.h"

#include <algorithm>
#include <cmath>

namespace gsample {

void Head::start(const Source& source, const Filter* filter) {
  source_ = source;
  filter_ = filter;
  open_ = true;
  transform_ = {};
  exhausted_ = false;
  found_from_ = kInfinity;
  asked_ = raised_ = first_ = 0;
  floor_ = -kFloatMax;
  count_ = 0;
  summed_ = {};
  s_.keys.clear();
  s_.values.clear();
  s_.pending.clear();
  s_.raised.clear();
  values_changed();
  descending_ = true;
}

void Head::open(const Source& source, const Want& want, const Filter* filter) {
  start(source, filter);
  scan(want);
  for (uint32_t id : source_.patches.raised) {
    if (id >= source_.row.n) break;
    const float logit = logit_of(source_, id);
    if (logit >= -kFloatMax) s_.raised.push_back(key_of(logit, id));
  }
  sort_keys(s_.raised.data(), s_.raised.size(), s_.sort);
}

bool Head::open_as_given(const Head& other) {
  const Source& source = other.source_;
  if (!other.summed_.sums || other.summed_.scaled() || other.summed_.floor > -kFloatMax || other.left_out_ > 0) return false;
  if (source.row.mask || source.scaled() || source.patches.count > 0) return false;
  start(source, nullptr);
  s_.maxima = other.s_.maxima;
  s_.sums = other.s_.sums;
  summed_ = other.summed_;
  left_out_ = 0;
  return true;
}

bool Head::open_infinite() {
  std::vector<Key>& keys = s_.keys;
  keys.clear();
  visit(source_, s_.maxima, kInfinity, s_.chunks, [&](uint32_t id, float) {
    if (logit_of(source_, id) == kInfinity && (!filter_ || (*filter_)(id))) keys.push_back(key_of(0, id));
    return kInfinity;
  });
  if (keys.empty()) return false;
  open_list(source_.row.n);
  return true;
}

void Head::open_list(uint32_t n_vocab) {
  source_ = Source{};
  source_.row.n = n_vocab;
  filter_ = nullptr;
  open_ = false;
  transform_ = {};
  summed_ = {};
  first_ = 0;
  s_.values.clear();
  values_changed();
  descending_ = true;
  sort_keys(s_.keys.data(), s_.keys.size(), s_.sort);
  append_values();
}

// Values of the keys added since the last call.
void Head::append_values() {
  for (size_t i = s_.values.size(); i < s_.keys.size(); i++) s_.values.push_back(transform_(logit_of_key(s_.keys[i])));
}

// Finds every token with a logit of at least t.
void Head::widen(float t) {
  t = std::max(t, floor_);
  std::vector<Key>& found = filter_ ? s_.pending : s_.keys;
  const size_t begin = found.size();
  const Patches& patches = source_.patches;
  visit(source_, s_.maxima, t, s_.chunks, [&](uint32_t id, float logit) {
    if (patches.touches(id)) {
      if (patches.raises(id)) return t;
      logit = logit_of(source_, id);
    }
    if (logit >= t && logit < found_from_) found.push_back(key_of(logit, id));
    return t;
  });
  for (; raised_ < s_.raised.size() && logit_of_key(s_.raised[raised_]) >= t; raised_++) found.push_back(s_.raised[raised_]);
  sort_keys(found.data() + begin, found.size() - begin, s_.sort);
  found_from_ = t;
  exhausted_ = t <= floor_;
  if (!filter_) append_values();
}

// Makes progress towards n tokens found.
void Head::grow(size_t n) {
  const size_t found = filter_ ? s_.pending.size() : s_.keys.size();
  const size_t hidden = s_.maxima.patched ? 0 : std::min(source_.patches.count, n);
  const float t = threshold(s_.maxima, std::max({n + hidden, 4 * found, size_t{64}}));
  widen(t < found_from_ ? t : -kFloatMax);
}

bool Head::reach(size_t i) {
  const size_t place = first_ + i;
  while (place >= s_.keys.size()) {
    if (!open_) return false;
    if (filter_ && asked_ < s_.pending.size()) {
      const Key key = s_.pending[asked_++];
      if (!(*filter_)(id_of(key))) continue;
      s_.keys.push_back(key);
      append_values();
    } else if (exhausted_) {
      open_ = false;
    } else {
      grow(place + 1);
    }
  }
  return true;
}

void Head::close() {
  if (open_ && !exhausted_) widen(-kFloatMax);
  if (filter_) while (reach(held())) {}
  open_ = false;
}

// Of an open head: the tokens with at least this logit. They are found at once where they are few; else the head stays open.
void Head::keep_from(float logit) {
  if (logit <= floor_ || (s_.maxima.patched && s_.maxima.lowest < kInfinity && logit <= s_.maxima.lowest)) return;
  floor_ = logit;
  count_ = 0;
  total_valid_ = false;
  const size_t lanes = kernels().count_at_least(s_.maxima.lanes.data(), s_.maxima.lanes.size(), logit);
  if (lanes <= std::max<size_t>(1024, s_.maxima.lanes.size() / 8)) close();
  if (found_from_ <= floor_) {
    const size_t n = static_cast<size_t>(std::partition_point(s_.keys.begin(), s_.keys.end(), [&](Key key) { return logit_of_key(key) >= logit; }) - s_.keys.begin());
    keep(std::max(n, first_ + 1) - first_);
  }
}

void Head::keep(size_t n) {
  if (open_ && held() < n) {
    if (first_ + n >= source_.row.n) return;
    if (filter_) reach(n - 1);
    else select_top(first_ + n);
  }
  if (held() > n) {
    s_.keys.resize(first_ + n);
    s_.values.resize(first_ + n);
    if (s_.exps.size() > n) s_.exps.resize(n);
  }
  open_ = false;
  total_valid_ = false;
}

// Of an open head: exactly its k best, by a selection that never holds more than a small multiple of k.
void Head::select_top(size_t k) {
  const Patches& patches = source_.patches;
  std::vector<Key>& keys = s_.keys;
  // A maximum may belong to a touched column, which then comes out lower: ask for some more, and again if that was not enough.
  for (size_t ask = k + (s_.maxima.patched ? 0 : std::min(patches.count, k + 64));; ask *= 4) {
    const float floor = std::max(threshold(s_.maxima, ask), floor_);
    const size_t room = 2 * ask + 512;
    float bar = floor;
    keys.clear();
    visit(source_, s_.maxima, bar, s_.chunks, [&](uint32_t id, float logit) {
      if (patches.touches(id)) {
        if (patches.raises(id)) return bar;
        logit = logit_of(source_, id);
      }
      if (!(logit >= bar)) return bar;
      keys.push_back(key_of(logit, id));
      if (keys.size() == room) {
        select_keys(keys.data(), room, k);
        keys.resize(k);
        // What is found from here on has a higher id: with an equal logit it comes after all of these.
        bar = std::nextafter(logit_of_key(*std::min_element(keys.begin(), keys.end())), kInfinity);
      }
      return bar;
    });
    if (keys.size() >= k || floor <= floor_) break;
  }
  keys.insert(keys.end(), s_.raised.begin(), s_.raised.begin() + static_cast<std::ptrdiff_t>(std::min(k, s_.raised.size())));
  const size_t n = std::min(k, keys.size());
  if (keys.size() > 2 * n) {
    if (n) select_keys(keys.data(), keys.size(), n);
    keys.resize(n);
  }
  sort_keys(keys.data(), keys.size(), s_.sort);
  keys.resize(n);
  s_.values.clear();
  append_values();
  open_ = false;
}

void Head::drop_first(size_t n) {
  first_ += n;
  set_changed();
}

void Head::divide(float temperature) {
  if (!reach(0)) return;
  // An overflow at either end of the set would lose the order; then all are taken relative to the best.
  const float best = value(0);
  float last = 0;
  if (open_ && temperature < 1) {
    if (s_.maxima.lowest == kInfinity) scan_maxima(source_, true, s_.maxima);
    last = s_.maxima.lowest;
    if (!s_.maxima.patched && source_.patches.bound)
      last = - source_.patches.bound(source_.patches.self, std::max(std::abs(last), std::abs(s_.maxima.max)));
    last = std::max(last, floor_);
    // A bound that could overflow settles nothing, nor does a token that the filter may refuse.
    if (!(std::abs(last / temperature) <= kFloatMax) && (filter_ || !s_.maxima.patched || last == floor_)) close();
  }
  if (!open_) last = s_.values.back();
  const bool finite = std::abs(best / temperature) <= kFloatMax && std::abs(last / temperature) <= kFloatMax;
  transform_ = {finite ? 0.0f : best, temperature};
  for (float& v : s_.values) v = transform_(v);
  set_changed();
}

void Head::keep_marked(std::span<const uint8_t> marks) {
  size_t out = 0;
  for (size_t i = 0; i < marks.size(); i++) {
    if (!marks[i]) continue;
    s_.keys[out] = s_.keys[first_ + i];
    s_.values[out++] = s_.values[first_ + i];
  }
  s_.keys.resize(out);
  s_.values.resize(out);
  first_ = 0;
  open_ = false;
  set_changed();
}

std::span<float> Head::values() { return {s_.values.data() + first_, held()}; }

void Head::values_changed() {
  descending_ = false;
  set_changed();
}

void Head::reorder() {
  s_.keys.erase(s_.keys.begin(), s_.keys.begin() + static_cast<std::ptrdiff_t>(first_));
  s_.values.erase(s_.values.begin(), s_.values.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
  for (size_t i = 0; i < s_.keys.size(); i++) s_.keys[i] = key_of(s_.values[i], id_of(s_.keys[i]));
  sort_keys(s_.keys.data(), s_.keys.size(), s_.sort);
  for (size_t i = 0; i < s_.keys.size(); i++) s_.values[i] = logit_of_key(s_.keys[i]);
  descending_ = true;
  set_changed();
}

}  // namespace gsample
