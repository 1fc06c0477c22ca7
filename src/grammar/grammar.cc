#include "grammar/grammar.h"

#include "base/limits.h"
#include "grammar/matcher.h"

namespace gsample {

Grammar::Grammar(const Vocab& vocab, TableCache& tables, Syntax syntax)
    : vocab_(vocab), tables_(tables), machine_(std::move(syntax)), masks_(std::make_shared<Masks>(vocab, machine_, tables)) {
  Matcher begins(*this);
}

std::shared_ptr<Masks> Grammar::masks() {
  std::lock_guard<std::mutex> guard(lock_);
  if (masks_->memory() > limits::grammar_tables_bytes / 4 * 3) masks_ = std::make_shared<Masks>(vocab_, machine_, tables_);
  return masks_;
}

}  // namespace gsample
