#include "vocab/trie.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gsample {

namespace {

struct Key {
  uint64_t prefix;  // the first eight bytes, most significant first, 0 behind the end
  uint32_t entry;
};

uint64_t prefix_of(std::string_view bytes) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; i++) prefix = prefix << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
  return prefix;
}

}  // namespace

Trie::Trie(std::vector<Entry> entries) {
  std::vector<Key> keys(entries.size());
  for (uint32_t i = 0; i < entries.size(); i++) keys[i] = {prefix_of(entries[i].bytes), i};
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const Entry &x = entries[a.entry], &y = entries[b.entry];
    if (int order = x.bytes.compare(y.bytes)) return order < 0;
    return x.token < y.token;
  });
  std::vector<std::string_view> text(keys.size());
  tokens_.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); i++) {
    text[i] = entries[keys[i].entry].bytes;
    tokens_.push_back(entries[keys[i].entry].token);
    longest_ = std::max<uint32_t>(longest_, static_cast<uint32_t>(text[i].size()));
  }

  // Preorder over ranges of the sorted tokens: a node is placed with its siblings when its parent is opened.
  struct Open { uint32_t node, begin, end, depth; };
  std::vector<Open> open;
  auto place = [&](uint8_t byte, uint32_t begin, uint32_t end) {
    nodes_.push_back({0, begin, 0, byte, 0});
    own_end_.push_back(begin);
    subtree_end_.push_back(end);
  };
  place(0, 0, static_cast<uint32_t>(text.size()));
  open.push_back({root, 0, static_cast<uint32_t>(text.size()), 0});
  while (!open.empty()) {
    Open at = open.back();
    open.pop_back();
    uint32_t i = at.begin;
    while (i < at.end && text[i].size() == at.depth) i++;
    own_end_[at.node] = i;
    nodes_[at.node].own_tokens = i > at.begin;
    nodes_[at.node].first_child = static_cast<uint32_t>(nodes_.size());
    while (i < at.end) {
      uint8_t byte = static_cast<uint8_t>(text[i][at.depth]);
      // Galloping: the tokens that share this byte are mostly few, sometimes very many.
      uint32_t step = 1, low = i, high = i + 1;
      while (high < at.end && static_cast<uint8_t>(text[high][at.depth]) == byte) low = high, step *= 2, high = std::min(at.end, high + step);
      while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        (static_cast<uint8_t>(text[middle][at.depth]) == byte ? low : high) = middle;
      }
      place(byte, i, low + 1);
      i = low + 1;
    }
    uint32_t first = nodes_[at.node].first_child, end = static_cast<uint32_t>(nodes_.size());
    nodes_[at.node].n_children = static_cast<uint16_t>(end - first);
    for (uint32_t child = end; child-- > first;) open.push_back({child, nodes_[child].first_token, subtree_end_[child], at.depth + 1});
  }
}

}  // namespace gsample
