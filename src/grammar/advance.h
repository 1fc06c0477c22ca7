// One step of the machine: from a set of configurations, over a byte or a token terminal, to the next set.
//
// A configuration is a terminal being read and the set of continuations behind it. Where the terminal may end, the continuations are
// entered too: nothing is greedy, every reading of the text is kept. All calls of one rule at one place share one frame, and
// configurations at the same state of the same terminal share one set of continuations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/limits.h"
#include "base/small_vector.h"
#include "grammar/automaton.h"
#include "grammar/stacks.h"

namespace gsample {

struct Config {
  State* state;      // NULL: waits for a token terminal
  uint32_t counter;  // of a counted state; or the position of the token terminal
  uint32_t conts;
  bool operator==(const Config&) const = default;
};

using ConfigList = SmallVector<Config, 8>;

// Conts in the order they were reached, each once.
class ContList {
 public:
  bool add(const Cont& cont);  // false if it is there already
  void clear();
  size_t size() const { return list_.size(); }
  const Cont& operator[](size_t i) const { return list_[i]; }
  std::span<const Cont> sorted();

 private:
  static constexpr size_t linear = 24;  // up to so many are searched one by one
  void rehash(size_t n);
  SmallVector<Cont, 24> list_;
  SmallVector<uint32_t, 1> table_;
};

// Records how deep into the stacks below it a step has looked.
class DepthProbe {
 public:
  DepthProbe(const Stacks& stacks, uint32_t top) : stacks_(stacks), top_(top) {}
  void read(uint32_t conts) {
    if (conts == top_ && depth_ == 0) enter(top_, 1);
  }
  void open(uint32_t frame);
  // Counts as if `depth` levels from a set of `stacks` (which lie over these) had been looked at.
  void look(const Stacks& stacks, uint32_t conts, uint32_t depth);
  uint32_t depth() const { return depth_; }

 private:
  struct Known {
    uint32_t frame, depth;
  };  // the set that holds the frame lies so deep
  static constexpr uint32_t most_looks = 4096;
  void enter(uint32_t conts, uint32_t depth);
  const Stacks& stacks_;
  uint32_t top_;
  SmallVector<Known, 16> known_;
  uint32_t depth_ = 0;  // 0: not even the topmost set
  uint32_t looks_ = 0;
};

class Advance {
 public:
  // exact: keep the values of counters (a question about one token needs only the states). `budget` pays for it all.
  Advance(const Machine& machine, Automaton& automaton, Stacks& stacks, bool exact, Work& budget, DepthProbe* probe = nullptr)
      : machine_(machine), automaton_(automaton), stacks_(stacks), exact_(exact), budget_(budget), probe_(probe) {}

  bool accepting() const { return accepting_; }          // after the last step: may the text end here

  void start(ConfigList& out);
  // Continues what stands behind a completed terminal. Where the next byte is known, only what can take it is kept.
  static constexpr int any = -1;
  void enter(uint32_t conts, ConfigList& out, int next = any);
  void byte(std::span<const Config> from, uint8_t byte, ConfigList& out, int next = any);
  // Over all the bytes, in place; false where no configuration is left (the text may still end here: accepting()).
  bool text(ConfigList& list, std::string_view bytes);
  // Over a token as a token terminal; adds to out.
  void token(std::span<const Config> from, int32_t token, bool is_text, ConfigList& out);

 private:
  struct Entry {
    State* state;
    uint32_t counter;
    uint32_t conts;  // a set; or, with `single`, this one
    bool single;
    Cont cont;
  };
  struct Call {
    uint32_t rule;
    Cont cont;
  };

  void begin(int next = any);
  void reach(const Cont& cont) {
    if (next_ != any && !machine_.follow().may(cont.position, static_cast<uint8_t>(next_))) return;
    if (++work_ > limits::step_work) too_much();
    reached_.add(cont);
  }
  [[noreturn]] void too_much() const;
  void reach_all(uint32_t conts);
  void finish(ConfigList& out);
  void follow(const Cont& cont);
  void call_rules();
  void expand(uint32_t conts);
  bool takes_next(const State* state) const { return next_ == any ? !state->live.empty() : state->live.has(static_cast<uint8_t>(next_)); }
  bool begins(uint32_t rule) const;
  void enter_rule(uint32_t rule, std::span<const Call> calls);
  void leaf(uint32_t position, uint32_t frame);
  void group(ConfigList& out);
  uint32_t open(uint32_t frame) {
    if (probe_) probe_->open(frame);
    return stacks_.frame_conts(frame);
  }

  const Machine& machine_;
  Automaton& automaton_;
  Stacks& stacks_;
  bool exact_;
  Work& budget_;
  DepthProbe* probe_;
  bool accepting_ = false;
  int next_ = any;
  uint64_t work_ = 0;  // continuations followed for this byte
  ContList reached_, expanded_;
  SmallVector<Entry, 8> entries_;
  SmallVector<Call, 8> calls_;
  SmallVector<Cont, 16> kept_;
};

}  // namespace gsample
