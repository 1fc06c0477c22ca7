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
  for (size_t i = 0, n = std::min<size_t>(bytes.size(), 8); i < n; i++) prefix |= uint64_t{static_cast<uint8_t>(bytes[i])} << (56 - 8 * i);
  return prefix;
}

constexpr std::array<uint8_t, 256> make_groups() {
  std::array<uint8_t, 256> group{};
  uint8_t next = 0;
  for (int b = 0; b < 256; b++) {
    bool again = false;  // continues the group of the byte before
    if (b < 0x20) again = b != 0 && b != '\t' && b != '\t' + 1 && b != '\n' + 1;
    else if (b >= '1' && b <= '9') again = true;
    else if ((b > 'A' && b <= 'Z') || (b > 'a' && b <= 'z')) again = b != 'G' && b != 'g';
    else if (b >= 0x80) again = b != 0x80 && b != 0xa0 && b != 0xc0 && b != 0xe0 && b != 0xf0;
    if (b && !again) next++;
    group[static_cast<size_t>(b)] = next;
  }
  return group;
}

// Where a text stands in its character of UTF-8: how many bytes it lacks, and which the next may be.
struct Utf8 {
  uint8_t lacks, low, high;
  static constexpr uint8_t malformed = 255;

  Utf8 after(uint8_t byte) const {
    if (lacks == malformed) return *this;
    if (lacks) return byte < low || byte > high ? Utf8{malformed, 0, 0} : Utf8{static_cast<uint8_t>(lacks - 1), 0x80, 0xbf};
    if (byte < 0x80) return {0, 0, 0};
    if (byte < 0xc2 || byte > 0xf4) return {malformed, 0, 0};
    if (byte < 0xe0) return {1, 0x80, 0xbf};
    if (byte < 0xf0) return {2, static_cast<uint8_t>(byte == 0xe0 ? 0xa0 : 0x80), static_cast<uint8_t>(byte == 0xed ? 0x9f : 0xbf)};
    return {3, static_cast<uint8_t>(byte == 0xf0 ? 0x90 : 0x80), static_cast<uint8_t>(byte == 0xf4 ? 0x8f : 0xbf)};
  }
};

}  // namespace

constexpr std::array<uint8_t, 256> byte_group = make_groups();
static_assert(byte_group[255] < 63);

Trie::Trie(std::vector<Entry> entries) {
  // Sorted by the first two bytes in one pass, then what shares them by the rest.
  std::vector<Key> keys(entries.size());
  std::vector<uint32_t> first(65537, 0);
  for (const Entry& entry : entries) first[(prefix_of(entry.bytes) >> 48) + 1]++;
  for (size_t i = 1; i < first.size(); i++) first[i] += first[i - 1];
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (uint32_t i = 0; i < entries.size(); i++) {
    uint64_t prefix = prefix_of(entries[i].bytes);
    keys[next[prefix >> 48]++] = {prefix, i};
  }
  for (size_t i = 0; i + 1 < first.size(); i++)
    std::sort(keys.begin() + first[i], keys.begin() + first[i + 1], [&](const Key& a, const Key& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      const Entry &x = entries[a.entry], &y = entries[b.entry];
      if (int order = x.bytes.compare(y.bytes)) return order < 0;
      return x.token < y.token;
    });
  std::vector<std::string_view> text(keys.size());
  tokens_.reserve(keys.size());
  characters_.resize(keys.size());
  for (size_t i = 0; i < keys.size(); i++) {
    text[i] = entries[keys[i].entry].bytes;
    tokens_.push_back(entries[keys[i].entry].token);
    longest_ = std::max<uint32_t>(longest_, static_cast<uint32_t>(text[i].size()));
  }
  for (auto* list : {&own_end_, &subtree_end_}) list->reserve(keys.size() * 5 / 2);
  nodes_.reserve(keys.size() * 5 / 2);

  // Preorder over ranges of the sorted tokens: a node is placed with its siblings when its parent is opened.
  struct Open {
    uint32_t node, begin, end, depth;
  };
  std::vector<uint32_t> parent;
  parent.reserve(nodes_.capacity());
  std::vector<Utf8> character;
  character.reserve(nodes_.capacity());
  std::vector<uint16_t> n_characters;  // down to the node
  n_characters.reserve(nodes_.capacity());
  std::vector<Open> open;
  auto place = [&](uint32_t above, uint8_t byte, uint32_t begin, uint32_t end) {
    parent.push_back(above);
    character.push_back(nodes_.empty() ? Utf8{0, 0, 0} : character[above].after(byte));
    n_characters.push_back(static_cast<uint16_t>(nodes_.empty() ? 0 : n_characters[above] + ((byte & 0xc0) != 0x80)));
    nodes_.push_back({0, begin, 0, byte, 0});
    own_end_.push_back(begin);
    subtree_end_.push_back(end);
  };
  place(root, 0, 0, static_cast<uint32_t>(text.size()));
  open.push_back({root, 0, static_cast<uint32_t>(text.size()), 0});
  while (!open.empty()) {
    Open at = open.back();
    open.pop_back();
    uint32_t i = at.begin;
    while (i < at.end && text[i].size() == at.depth) characters_[i++] = n_characters[at.node];
    own_end_[at.node] = i;
    nodes_[at.node].own_tokens = i > at.begin;
    nodes_[at.node].first_child = static_cast<uint32_t>(nodes_.size());
    while (i < at.end) {
      uint8_t byte = static_cast<uint8_t>(text[i][at.depth]);
      // Galloping: the tokens that share this byte are mostly few, sometimes very many.
      uint32_t step = 1, low = i, high = i + 1;
      while (high < at.end && static_cast<uint8_t>(text[high][at.depth]) == byte)
        low = high, step *= 2, high = std::min(at.end, high + step);
      while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        (static_cast<uint8_t>(text[middle][at.depth]) == byte ? low : high) = middle;
      }
      place(at.node, byte, i, low + 1);
      i = low + 1;
    }
    uint32_t first = nodes_[at.node].first_child, end = static_cast<uint32_t>(nodes_.size());
    nodes_[at.node].n_children = static_cast<uint16_t>(end - first);
    for (uint32_t child = end; child-- > first;) open.push_back({child, nodes_[child].first_token, subtree_end_[child], at.depth + 1});
  }
  below_.assign(nodes_.size(), 0);
  for (size_t node = nodes_.size(); node-- > 1;) {
    ByteGroups edge = ByteGroups{1} << byte_group[nodes_[node].byte];
    if (nodes_[node].own_tokens && character[node].lacks) edge |= cut_character;
    below_[parent[node]] |= below_[node] | edge;
    if (character[node].lacks) below_[node] |= cut_character;
  }
}

}  // namespace gsample
