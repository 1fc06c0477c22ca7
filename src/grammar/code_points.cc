#include "grammar/code_points.h"

#include <algorithm>

namespace gsample {

namespace {

constexpr size_t most_classes = 1000;

int encode(uint32_t c, uint8_t out[4]) {
  if (c < 0x80) return out[0] = static_cast<uint8_t>(c), 1;
  int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static constexpr uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (int i = n - 1; i > 0; i--, c >>= 6) out[i] = static_cast<uint8_t>(0x80 | (c & 0x3f));
  out[0] = static_cast<uint8_t>(lead[n] | c);
  return n;
}

// A range splits until every byte of its encodings varies independently of the others.
void split(ExprStore& store, uint32_t first, uint32_t last, std::vector<ExprId>& out) {
  for (uint32_t bound : {0x7fu, 0x7ffu, 0xd7ffu, 0xdfffu, 0xffffu})
    if (first <= bound && last > bound) return split(store, first, bound, out), split(store, bound + 1, last, out);
  if (is_surrogate(first)) return;
  uint8_t low[4], high[4];
  int n = encode(first, low);
  encode(last, high);
  for (int i = 1; i < n; i++) {
    uint32_t below = (1u << 6 * i) - 1;
    if ((first & ~below) == (last & ~below)) continue;
    if (first & below) return split(store, first, first | below, out), split(store, (first | below) + 1, last, out);
    if ((last & below) != below) return split(store, first, (last & ~below) - 1, out), split(store, last & ~below, last, out);
  }
  ExprId e = ExprStore::empty;
  for (int i = n; i-- > 0;) e = store.concat(store.bytes(byte_range(low[i], high[i])), e);
  out.push_back(e);
}

}  // namespace

bool is_surrogate(uint32_t c) { return c >= 0xd800 && c <= 0xdfff; }

std::vector<CodePointSet::Range> CodePointSet::merged() const {
  std::vector<Range> sorted = ranges_, out;
  std::sort(sorted.begin(), sorted.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  for (const Range& r : sorted) {
    if (!out.empty() && r.first <= out.back().second + 1) out.back().second = std::max(out.back().second, r.second);
    else out.push_back(r);
  }
  return out;
}

CodePointSet CodePointSet::complement() const {
  CodePointSet out;
  uint32_t next = 0;
  for (const Range& r : merged()) {
    if (r.first > next) out.add(next, r.first - 1);
    next = r.second + 1;
  }
  if (next <= max_code_point) out.add(next, max_code_point);
  return out;
}

ExprId CodePointSet::utf8(ExprStore& store) const {
  std::vector<ExprId> parts;
  for (const Range& r : merged()) split(store, r.first, r.second, parts);
  return store.either(std::move(parts));
}

ExprId CodePointClasses::utf8(ExprStore& store, const CodePointSet& set) {
  if (known_.size() >= most_classes) return set.utf8(store);
  auto [place, fresh] = known_.try_emplace(set.merged(), ExprStore::none);
  if (fresh) place->second = set.utf8(store);
  return place->second;
}

ExprId utf8_character(ExprStore& store, uint32_t c) {
  uint8_t bytes[4];
  return store.literal({bytes, static_cast<size_t>(encode(c, bytes))});
}

int32_t read_utf8(const char* text, size_t n, size_t& at) {
  uint8_t lead = static_cast<uint8_t>(text[at]);
  if (lead < 0x80) return at++, lead;
  int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || at + static_cast<size_t>(more) >= n) return -1;
  uint32_t c = lead & (0x3fu >> more);
  for (int i = 1; i <= more; i++) {
    uint8_t byte = static_cast<uint8_t>(text[at + static_cast<size_t>(i)]);
    if ((byte & 0xc0) != 0x80) return -1;
    c = c << 6 | (byte & 0x3f);
  }
  static constexpr uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (c < least[more] || c > max_code_point || is_surrogate(c)) return -1;
  at += static_cast<size_t>(more) + 1;
  return static_cast<int32_t>(c);
}

}  // namespace gsample
