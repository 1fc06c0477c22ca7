#include "grammar/matcher.h"

#include <algorithm>

#include "base/failure.h"
#include "base/limits.h"

namespace gsample {

Matcher::Matcher(Grammar& grammar) : grammar_(&grammar), masks_(grammar.masks()) {
  ConfigList first;
  Work work(limits::call_work);
  Advance advance(grammar_->machine(), masks_->automaton(), stacks_, true, work);
  advance.start(first);
  push(first, advance.accepting());
}

void Matcher::reset() {
  std::shared_ptr<Masks> masks = grammar_->masks();
  if (masks == masks_) return rollback(n_accepted());
  *this = Matcher(*grammar_);
}

void Matcher::rollback(size_t n) {
  steps_.resize(steps_.size() - n);
  configs_.resize(last().first + last().size);
  stacks_.release(last().stacks);
}

// Nothing moves before everything is there.
void Matcher::push(const ConfigList& next, bool accepting) {
  bool same = !steps_.empty() && last().size == next.size() && std::equal(next.begin(), next.end(), configs().begin());
  steps_.reserve(std::max<size_t>(steps_.capacity(), steps_.size() == steps_.capacity() ? std::max<size_t>(64, steps_.size() * 2) : 0));
  uint32_t first = same ? last().first : static_cast<uint32_t>(configs_.size());
  if (configs_.size() + next.size() > UINT32_MAX) fail(GSAMPLE_ERROR_LIMIT, "the matcher has accepted too many tokens");
  if (!same) configs_.insert(configs_.end(), next.begin(), next.end());
  steps_.push_back({first, static_cast<uint32_t>(next.size()), static_cast<uint32_t>(stacks_.mark()), accepting});
}

// Does a token terminal wait for it? One that is written with ! takes any text but its token.
bool Matcher::waits_for(int32_t token) const {
  const Machine& machine = grammar_->machine();
  for (const Config& config : configs()) {
    if (config.state) continue;
    const TokenSet& set = machine.token_sets()[machine[config.counter].value];
    if (set.negated ? token != set.token && vocab().is_text(static_cast<uint32_t>(token)) : token == set.token) return true;
  }
  return false;
}

bool Matcher::allows(int32_t token) const {
  uint32_t id = static_cast<uint32_t>(token);
  if (vocab().is_stop(id) && can_stop()) return true;
  if (!grammar_->machine().token_sets().empty() && vocab().is_usable(id) && waits_for(token)) return true;
  if (!vocab().is_text(id)) return false;
  std::string_view text = vocab().bytes(id);
  Automaton& automaton = masks_->automaton();
  const Follow& follow = grammar_->machine().follow();
  // What follows a terminal that may end where the text stands is in the set already, beside it or (at the same state) in it. So as long
  // as a loop leads back to that state, one look tells whether a byte can follow it.
  auto can_follow = [&](const Config& config, const State* state, char c) {
    if (state != config.state) {
      for (const Cont& cont : stacks_.conts(config.conts))
        if (follow.may(cont.position, static_cast<uint8_t>(c))) return true;
      return false;
    }
    for (const Config& other : configs())
      if (&other != &config && other.state && other.state->live.has(static_cast<uint8_t>(c))) return true;
    return false;
  };
  struct Crossing {
    uint32_t conts;
    uint32_t at;  // byte of the text
  };
  Work work(limits::call_work);
  SmallVector<Crossing, 16> crossings;  // where a terminal can be complete inside the token
  for (const Config& config : configs()) {
    if (!config.state) continue;
    const State* state = config.state;
    for (size_t i = 0;; i++) {
      if (i == text.size()) return true;
      if (i && state->nullable && can_follow(config, state, text[i])) crossings.push_back({config.conts, static_cast<uint32_t>(i)});
      if (!state->live.has(static_cast<uint8_t>(text[i]))) break;
      state = automaton.step(state, static_cast<uint8_t>(text[i]), work);
    }
  }
  if (crossings.empty()) return false;
  Stacks stacks(&stacks_);
  Advance advance(grammar_->machine(), automaton, stacks, false, work);
  ConfigList list;
  for (auto [conts, at] : crossings) {
    advance.enter(conts, list, static_cast<uint8_t>(text[at]));
    if (advance.text(list, text.substr(at)) || advance.accepting()) return true;
  }
  return false;
}

bool Matcher::accept(int32_t token) {
  uint32_t id = static_cast<uint32_t>(token);
  bool waited = !grammar_->machine().token_sets().empty() && vocab().is_usable(id) && waits_for(token);
  if (!waited && vocab().is_stop(id)) {  // the text ends here; what has been said of it still stands
    if (!can_stop()) return false;
    ConfigList same;
    same.append(configs().data(), configs().size());
    push(same, true);
    return true;
  }
  if (!waited && !vocab().is_text(id)) return false;
  size_t mark = stacks_.mark();
  try {
    Automaton& automaton = masks_->automaton();
    Work work(limits::call_work);
    Advance advance(grammar_->machine(), automaton, stacks_, true, work);
    ConfigList now;
    bool accepting = false;
    if (vocab().is_text(id)) {
      now.append(configs().data(), configs().size());
      advance.text(now, vocab().bytes(id));
      accepting = advance.accepting();
      for (Config& config : now)
        if (config.state) {
          Automaton::Entry settled = automaton.settle(config.state, config.counter, work);
          config.state = settled.state, config.counter = settled.counter;
        }
    }
    if (waited) {
      advance.token(configs(), token, vocab().is_text(id), now);
      accepting |= advance.accepting();
    }
    if (now.empty() && !accepting) {
      stacks_.release(mark);
      return false;
    }
    push(now, accepting);
  } catch (...) {
    stacks_.release(mark);
    throw;
  }
  return true;
}

void Matcher::mask(uint32_t* words) const {
  masks_->write(stacks_, configs(), words);
  if (can_stop())
    for (int32_t stop : vocab().stops()) words[static_cast<uint32_t>(stop) / 32] |= 1u << (stop % 32);
}

void Matcher::first_bytes(uint8_t table[256]) const {
  ByteSet live;
  bool by_id = can_stop();
  for (const Config& config : configs()) {
    if (config.state) live |= config.state->live;
    else by_id = true;
  }
  for (int b = 0; b < 256; b++) table[b] = by_id || live.has(static_cast<uint8_t>(b));
}

}  // namespace gsample
