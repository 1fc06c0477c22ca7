// The terminals of one grammar as deterministic automata over bytes, built as they are walked. A state is an expression; its row
// says what each class of bytes leads to. Readers follow rows that stand without a lock; a miss derives under the lock and publishes
// the finished state. States live as long as the automaton, which is given up as a whole when it has grown too large.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "grammar/machine.h"

namespace gsample {

struct StateTable;

struct State {
  ExprId expr;
  uint32_t id;
  uint32_t spread;  // how far the smallest symbolic counter lies below the largest
  bool nullable;
  bool counted;                                   // has symbolic counters: a configuration carries the actual value of the largest
  ByteSet live;                                   // the bytes that lead on
  std::atomic<const StateTable*> table{nullptr};  // see masks.h
  // Bit d: results are remembered that depend on d levels of the stack; of this state, and of sets of configurations it comes first in.
  std::atomic<uint32_t> depths{0}, set_depths{0};

  // The row stands behind the state: successors, then what each adds to the counter.
  std::atomic<State*>* row() { return reinterpret_cast<std::atomic<State*>*>(this + 1); }
  const std::atomic<State*>* row() const { return reinterpret_cast<const std::atomic<State*>*>(this + 1); }
};

class Automaton {
 public:
  // `longest` is the length of the longest token: counters above it need not be exact within a token.
  Automaton(const Machine& machine, uint32_t longest);
  ~Automaton();
  Automaton(const Automaton&) = delete;
  Automaton& operator=(const Automaton&) = delete;

  // `work` pays for what is derived.
  State* step(const State* state, uint8_t byte, Work& work) {
    State* next = state->row()[class_[byte]].load(std::memory_order_acquire);
    return next ? next : derive(state, byte, work);
  }
  // The same with the counter: `counter` becomes that of the successor.
  State* step(const State* state, uint8_t byte, uint32_t& counter, Work& work);
  bool dead(const State* state) const { return state == dead_; }
  State* dead() const { return dead_; }

  struct Entry {
    State* state;
    uint32_t counter;
  };
  Entry terminal(uint32_t position) const { return terminals_[position]; }
  // At the end of a token: brings the counter back into the expression where it may run out within the next token.
  Entry settle(State* state, uint32_t counter, Work& work);

  // The part of a state that its token table covers, and the state of the rest (NULL = nothing is left): see masks.h. With `counting`, a
  // part that is a counted loop (and what ends it) gets a symbolic counter, the same for every count, and `limit` is the count.
  struct Split {
    State* whole;  // head and tail together: the state, but for what `also` says
    State* head;
    State* tail;
    State* also;  // the alternatives to all that, or NULL
    uint32_t limit;
    bool counting;
  };
  static constexpr uint32_t unlimited = UINT32_MAX;
  Split split(State* state, bool counting, Work& work);
  // How many iterations a step that has been made begins.
  uint32_t begun(const State* state, uint8_t byte) const {
    int32_t add = adds(state)[class_[byte]];
    return add < 0 ? static_cast<uint32_t>(-add) : 0;
  }
  // What is left of a state of one counter when it has come to 0; NULL where not all of its steps count it down or leave it.
  const State* spent(const State* state, Work& work);
  std::string key_of(const State* state);  // of the expression, the same in every grammar

  // Up to n states, in the order in which texts reach them from the terminals' beginnings.
  std::vector<State*> reachable(size_t n, Work& work);

  size_t memory() const { return memory_.load(std::memory_order_relaxed); }
  size_t states() const { return n_states_.load(std::memory_order_relaxed); }

 private:
  State* derive(const State* state, uint8_t byte, Work& work);
  State* state_of(ExprId e);  // under the lock
  Entry normal(ExprId e);
  ByteSet live_bytes(ExprId e);
  bool matches_nothing(ExprId e);
  int32_t* adds(State* state) const { return reinterpret_cast<int32_t*>(state->row() + n_classes_); }
  const int32_t* adds(const State* state) const { return adds(const_cast<State*>(state)); }
  bool cut(ExprId e, ExprId& head, ExprId& rest);
  ExprId count_loop(ExprId e, uint32_t& limit);
  void* allocate(size_t bytes);

  ExprStore exprs_;
  uint32_t longest_;
  uint8_t class_[256];
  uint8_t representative_[256];
  uint32_t n_classes_ = 0;
  std::mutex lock_;
  std::vector<State*> of_expr_;     // by expression
  std::vector<uint8_t> emptiness_;  // of logical expressions, by expression: 0 unknown, 1 matches something, 2 nothing
  std::vector<Entry> terminals_;    // by position
  std::vector<std::unique_ptr<unsigned char[]>> blocks_;
  size_t block_left_ = 0;
  unsigned char* block_at_ = nullptr;
  std::atomic<size_t> memory_{0}, n_states_{0};
  State* dead_ = nullptr;
};

}  // namespace gsample
