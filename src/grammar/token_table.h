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
#include "grammar/token_subset.h"
#include "vocab/trie.h"

namespace gsample {

// The suffixes of tokens, merged; laid out as the vocabulary's own trie.
struct SuffixTrie {
  std::vector<TrieNode> nodes;  // empty where nothing can leave
  std::vector<uint32_t> own_end;
  std::vector<uint32_t> tokens;
  std::vector<uint16_t> counts;  // of a counted loop: how often the token has gone round it
};

// Of a counted loop the table serves every count: each token stands with how often it goes round.
struct TokenTable {
  TokenSubset stay;
  CountedSubset stay_counted;
  SuffixTrie leave;
  struct Large {
    uint32_t node, count;
  };
  std::vector<Large> large;   // nodes of the vocabulary's trie where the terminal can be complete and much can follow
  ByteSet leave_bytes;        // to which bytes anything leaves, `large` and `uncovered` included
  uint32_t leave_count = 0;   // the largest count of what leaves
  ByteSet uncovered;          // what leaves to these bytes is not filled in: there is too much of it
  bool everywhere = false;    // not even what leaves elsewhere is
  bool may_be_empty = false;  // the expression takes the empty text
  bool countable = true;      // false: the loop cannot be counted, nothing is filled in

  void add_stay(uint32_t limit, uint32_t* words) const {
    stay.add_to(words);
    stay_counted.add_to(words, limit);
  }
  size_t memory() const;
};

// Of the tokens below node `from`, where `state` stands; with `counting` it is a counted loop (see Automaton::split). With `follow`, only
// what leaves to one of these bytes is filled in. Throws LIMIT from the automaton, or when the work is spent.
TokenTable make_table(Automaton& automaton, const State* state, bool counting, const Trie& trie, uint32_t from, size_t n_words,
                      const ByteSet* follow, Work& work);

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
