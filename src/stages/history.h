// What a sampler remembers of its sequence: the tokens, prompt and answer, and the counts that penalties ask for, kept as tokens come
// so that a pick costs nothing for a long history. Shared by penalties and DRY.
#pragma once

#include <span>
#include <vector>

#include "base/token_table.h"
#include "gsample/gsample.h"

namespace gsample {

class History {
 public:
  struct Entry {
    int32_t token;  // any: what is outside the row has no effect
    bool answer;    // not of the prompt
  };

  // Which counts to keep. Counts anew where this differs from before.
  void configure(int32_t penalty_style, int32_t penalty_last_n);

  // Room for n more tokens: may throw, and then nothing has changed. append() within it does not throw.
  void reserve(size_t n);
  void append(int32_t token, bool answer);
  void clear();
  void assign(std::vector<Entry> entries);

  std::span<const Entry> entries() const { return entries_; }

  // The tokens that the penalties see, and how often (0: in the prompt of ANSWER style only).
  const TokenTable& counts() const { return counts_; }
  // The same tokens, as far as they are below n_vocab.
  const TokenBits& seen(size_t n_vocab);
  void reserve_width(size_t n_vocab) { seen(n_vocab); }

  size_t bytes() const { return entries_.capacity() * sizeof(Entry) + counts_.bytes() + seen_.words().capacity() * 8; }

 private:
  size_t window_start() const;
  void add(Entry entry);
  void remove(Entry entry);
  void recount();

  std::vector<Entry> entries_;
  int32_t style_ = GSAMPLE_PENALTY_WINDOW, last_n_ = 0;
  TokenTable counts_;
  TokenBits seen_;
};

}  // namespace gsample
