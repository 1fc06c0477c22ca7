// The trie over the byte strings of the tokens. A node's children stand together in ascending order of their bytes, and a node's
// subtree follows soon after it, so both a walk of everything and a walk that dies early read memory in order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gsample {

struct TrieNode {
  uint32_t first_child;
  uint32_t first_token;  // of the node's own tokens, in the trie's order
  uint16_t n_children;
  uint8_t byte;
  uint8_t own_tokens;  // does a token end here
};

// A set of bytes, coarsely: one bit for each byte that grammars single out (punctuation, blanks), one for each group of others.
// What it lacks, the set lacks.
using ByteGroups = uint64_t;
constexpr ByteGroups cut_character = ByteGroups{1} << 63;
extern const std::array<uint8_t, 256> byte_group;

class Trie {
 public:
  struct Entry {
    uint32_t token;
    std::string_view bytes;  // not empty; must live while build() runs
  };

  Trie() = default;
  explicit Trie(std::vector<Entry> entries);

  static constexpr uint32_t root = 0;
  const TrieNode& operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  uint32_t longest() const { return longest_; }  // token, in bytes

  // Tokens in the order of their bytes, equal bytes by id. Those of a node are [first_token, own_end), those of its whole subtree
  // [first_token, subtree_end).
  std::span<const uint32_t> tokens() const { return tokens_; }
  std::span<const uint32_t> own_ends() const { return own_end_; }
  uint32_t own_end(uint32_t node) const { return own_end_[node]; }
  uint32_t subtree_end(uint32_t node) const { return subtree_end_[node]; }
  // The bytes on the edges below the node; with cut_character unless what tokens have below it is whole characters of UTF-8.
  ByteGroups below(uint32_t node) const { return below_[node]; }
  // Of a token in the trie's order: its bytes that are not continuation bytes, that is its characters if all are whole.
  uint32_t characters(uint32_t token) const { return characters_[token]; }

 private:
  std::vector<TrieNode> nodes_;
  std::vector<uint32_t> tokens_, own_end_, subtree_end_;
  std::vector<ByteGroups> below_;
  std::vector<uint16_t> characters_;
  uint32_t longest_ = 0;
};

}  // namespace gsample
