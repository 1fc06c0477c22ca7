// Which tokens of the vocabulary a set of configurations allows. For each configuration: the tokens that stay inside its terminal, from
// a table; and those that complete it, by walking what is left of them through the continuations. The second is remembered by the state
// and as much of the stack as the walk has looked at, so it is rarely walked. Safe between threads; what is remembered changes nothing
// but the time.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "grammar/advance.h"
#include "grammar/stack_key.h"
#include "grammar/token_table.h"
#include "vocab/vocab.h"

namespace gsample {

// What a state means for the vocabulary: a table of its part, and what is to be looked at beside it.
struct StateTable {
  Automaton::Split part;
  std::shared_ptr<const TokenTable> table;
};

class Masks {
 public:
  Masks(const Vocab& vocab, const Machine& machine, TableCache& tables);
  ~Masks();

  Automaton& automaton() { return automaton_; }
  // Writes the allowed tokens, as many words as the vocabulary has. LIMIT where that takes too much work.
  void write(const Stacks& stacks, std::span<const Config> configs, uint32_t* words);
  // Makes the tables of the states that a text meets first, breadth first, as far as a fixed budget goes: then it stops.
  void warm();
  size_t memory() const { return automaton_.memory() + memory_.load(std::memory_order_relaxed); }

 private:
  struct Result;
  // A trie, of which those tokens count that do not go round a counted loop more often than `limit`.
  struct Tokens {
    std::span<const TrieNode> nodes;
    std::span<const uint32_t> own_end, tokens;
    std::span<const uint16_t> counts;  // of a token; empty where nothing is counted
    uint32_t limit;
  };
  // What stands behind sets of continuations, entered once in a walk.
  struct Entered {
    struct Set {
      uint32_t conts, first, size;
      ByteSet live;
    };
    std::vector<Config> configs;
    std::vector<Set> sets;
    std::vector<uint32_t> slots;  // by hash of the set of continuations: 1 + place in sets, 0 = free
    const Set& of(Advance& advance, uint32_t conts);
    uint32_t& slot(uint32_t conts);
  };
  struct Walk;

  // `hold` keeps it where the state cannot.
  const StateTable& table_of(State* state, uint32_t node, std::shared_ptr<const StateTable>& hold, Work& work);
  std::shared_ptr<const StateTable> split_table(State* state, uint32_t node, Work& work);
  std::shared_ptr<const TokenTable> shared_table(const Automaton::Split& part, uint32_t node, const ByteSet* follow, Work& work);
  uint32_t add_each(const Stacks& stacks, std::span<const Config> configs, uint32_t* words, Work& work);
  uint32_t add_terminal(const Stacks& stacks, const Config& config, uint32_t node, uint32_t* words, Work& work);
  uint32_t add_leaving(const Stacks& stacks, const StateTable& of, uint32_t conts, uint32_t node, uint32_t* words, Work& work);
  void add_tokens(uint32_t position, uint32_t* words) const;
  TokenSubset leaving(const Stacks& stacks, const StateTable& of, uint32_t conts, uint32_t node, DepthProbe& probe, Work& work);
  void walk(Walk& at, const Tokens& tokens, uint32_t from, std::span<const Config> start);
  StackKey key(const Stacks& stacks) const { return StackKey(machine_, stacks, vocab_.trie().longest()); }
  // What is remembered under a key that is `depth` levels deep; it is deepened to each of `depths` in turn.
  const Result* find(StackKey& key, uint32_t depths, uint32_t& depth) const;
  const Result* find(uint64_t hash, std::span<const uint32_t> key) const;
  void remember(StackKey& key, uint32_t depth, std::atomic<uint32_t>& depths, TokenSubset tokens);

  const Vocab& vocab_;
  const Machine& machine_;
  TableCache& tables_;
  Automaton automaton_;
  std::mutex lock_;
  std::vector<std::shared_ptr<const StateTable>> held_;
  std::unordered_map<uint64_t, std::shared_ptr<const StateTable>> inner_;  // tables at nodes other than the root, by state and node
  std::array<std::atomic<Result*>, 4096> results_{};
  std::atomic<size_t> memory_{0};
};

}  // namespace gsample
