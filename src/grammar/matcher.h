// One sequence inside a grammar: which tokens may come next, whether the text may end, forward and back. Every token accepted leaves
// a step behind, so going back is dropping steps. Belongs to one thread at a time; asking (a const matcher) may happen from several.
#pragma once

#include <memory>
#include <vector>

#include "grammar/advance.h"
#include "grammar/grammar.h"

namespace gsample {

class Matcher {
 public:
  explicit Matcher(Grammar& grammar);

  const Vocab& vocab() const { return grammar_->vocab(); }
  bool allows(int32_t token) const;
  bool can_stop() const { return last().accepting; }
  bool accept(int32_t token);  // false: refused, nothing moved
  size_t n_accepted() const { return steps_.size() - 1; }
  void rollback(size_t n);  // n <= n_accepted()
  void reset();
  void mask(uint32_t* words) const;  // vocab().n_words() of them
  // The bytes that an allowed token of text may begin with; a superset. Tokens that are allowed by their id count too.
  void first_bytes(uint8_t table[256]) const;

 private:
  struct Step {
    uint32_t first, size;  // in configs_
    uint32_t stacks;       // mark
    bool accepting;
  };
  const Step& last() const { return steps_.back(); }
  std::span<const Config> configs() const { return {configs_.data() + last().first, last().size}; }
  bool waits_for(int32_t token) const;
  void push(const ConfigList& next, bool accepting);

  Grammar* grammar_;
  std::shared_ptr<Masks> masks_;
  Stacks stacks_;
  std::vector<Config> configs_;
  std::vector<Step> steps_;
};

}  // namespace gsample
