// What one state of a terminal means for a whole vocabulary: the tokens that stay inside the terminal, and those that can complete
// it and go on, as a trie over what is left of them behind. Tables are made from an expression and a vocabulary only, so every
// grammar that has the expression shares one.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/automaton.h"
#include "vocab/trie.h"

namespace gsample {

// A set of tokens: a list of few, a mask of many.
class TokenSubset {
 public:
  TokenSubset() = default;
  TokenSubset(std::vector<uint32_t> tokens, size_t n_words);
  explicit TokenSubset(std::span<const uint32_t> mask);
  void add_to(uint32_t* words) const;
  size_t memory() const { return list_.capacity() * sizeof(uint32_t) + mask_.capacity() * sizeof(uint32_t); }

 private:
  std::vector<uint32_t> list_, mask_;
};

// The suffixes of tokens, merged; laid out as the vocabulary's own trie.
struct SuffixTrie {
  std::vector<TrieNode> nodes;  // empty where nothing can leave
  std::vector<uint32_t> own_end;
  std::vector<uint32_t> tokens;
};

struct TokenTable {
  TokenSubset stay;
  SuffixTrie leave;
  std::vector<uint32_t> large;  // nodes of the vocabulary's trie where the terminal can be complete and much can follow
  bool everywhere = false;      // can be complete in too many places: nothing but `stay` is filled in
  bool may_be_empty = false;    // the expression takes the empty text
  size_t memory() const;
};

// Of the tokens below node `from`, where `state` stands. With `follow`, only what leaves to one of these bytes is looked at. Throws LIMIT
// from the automaton.
TokenTable make_table(Automaton& automaton, State* state, const Trie& trie, uint32_t from, size_t n_words, const ByteSet* follow);

// The tables of one vocabulary, the least used dropped where they grow past a limit. Safe between threads.
class TableCache {
 public:
  std::shared_ptr<const TokenTable> find(const std::string& key);
  // Keeps the table, or returns the one that another thread kept before.
  std::shared_ptr<const TokenTable> keep(const std::string& key, std::shared_ptr<const TokenTable> table);
  size_t memory();

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<const TokenTable> table;
  };
  std::mutex lock_;
  std::list<Kept> used_;  // the latest first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> find_;
  size_t memory_ = 0;
};

}  // namespace gsample
