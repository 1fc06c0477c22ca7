// A grammar bound to a vocabulary: the machine and its automaton. Shared between matchers and threads.
#pragma once

#include <memory>

#include "grammar/automaton.h"
#include "grammar/machine.h"
#include "grammar/masks.h"
#include "vocab/vocab.h"

namespace gsample {

class Grammar {
 public:
  // `vocab` and `tables` are the caller's and outlive the grammar. LIMIT too where no text could even begin.
  Grammar(const Vocab& vocab, TableCache& tables, Syntax syntax);

  const Vocab& vocab() const { return vocab_; }
  const Machine& machine() const { return machine_; }
  // What is built as the grammar is used. A matcher keeps what it began with; when that has grown large, the next ones begin anew.
  std::shared_ptr<Masks> masks();

 private:
  const Vocab& vocab_;
  TableCache& tables_;
  const Machine machine_;
  std::mutex lock_;
  std::shared_ptr<Masks> masks_;
};

}  // namespace gsample
