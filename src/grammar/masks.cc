#include "grammar/masks.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/failure.h"
#include "base/limits.h"

namespace gsample {

namespace {

constexpr size_t warm_states = 512;
constexpr uint32_t set_key = UINT32_MAX;  // begins the key of a set of configurations; that of one begins with a node
constexpr uint32_t token_bit = 0x80000000u;

constexpr size_t widest_open = 8;

}  // namespace

struct Masks::Result {
  Result* next;
  uint64_t hash;
  std::vector<uint32_t> key;
  TokenSubset tokens;
};

struct Masks::Walk {
  Advance& advance;
  Work& work;
  SmallVector<uint32_t, 256> tokens{};  // found so far; the same may be found twice
  Entered entered{};
};

Masks::Masks(const Vocab& vocab, const Machine& machine, TableCache& tables)
    : vocab_(vocab), machine_(machine), tables_(tables), automaton_(machine, vocab.trie().longest()) {}

Masks::~Masks() {
  for (std::atomic<Result*>& bucket : results_)
    for (Result* result = bucket.load(std::memory_order_relaxed); result;) delete std::exchange(result, result->next);
}

const StateTable& Masks::table_of(State* state, uint32_t node, std::shared_ptr<const StateTable>& hold, Work& work) {
  uint64_t place = uint64_t{state->id} << 32 | node;
  if (node == Trie::root) {
    if (const StateTable* table = state->table.load(std::memory_order_acquire)) return *table;
  } else {
    std::lock_guard<std::mutex> guard(lock_);
    if (auto found = inner_.find(place); found != inner_.end()) return *found->second;
  }
  hold = split_table(state, node, work);
  size_t size = sizeof(StateTable) + hold->table->memory();
  if (memory() + size > limits::grammar_tables_bytes) return *hold;
  std::lock_guard<std::mutex> guard(lock_);
  if (node != Trie::root) {
    if (inner_.emplace(place, hold).second) memory_.fetch_add(size, std::memory_order_relaxed);
    return *hold;
  }
  if (state->table.load(std::memory_order_relaxed)) return *hold;
  held_.push_back(hold);
  memory_.fetch_add(size, std::memory_order_relaxed);
  state->table.store(hold.get(), std::memory_order_release);
  return *hold;
}

std::shared_ptr<const StateTable> Masks::split_table(State* state, uint32_t node, Work& work) {
  auto out = std::make_shared<StateTable>();
  for (bool counting : {true, false}) {
    out->part = automaton_.split(state, counting, work);
    out->table = shared_table(out->part, node, nullptr, work);
    if (out->table->countable) break;
  }
  return out;
}

void Masks::warm() {
  Work work(limits::warm_work);
  try {
    for (State* state : automaton_.reachable(warm_states, work)) {
      std::shared_ptr<const StateTable> hold;
      for (; state; state = table_of(state, Trie::root, hold, work).part.also) {
      }
    }
  } catch (const Failure&) {
    if (!work.spent()) throw;
  }
}

std::shared_ptr<const TokenTable> Masks::shared_table(const Automaton::Split& part, uint32_t node, const ByteSet* follow, Work& work) {
  std::string key = automaton_.key_of(part.head);
  bool shared = key.size() <= limits::table_key_bytes;
  key.append(reinterpret_cast<const char*>(&node), sizeof node);
  if (follow) key.append(reinterpret_cast<const char*>(follow->words.data()), sizeof follow->words);
  std::shared_ptr<const TokenTable> table = shared ? tables_.find(key) : nullptr;
  if (table) return table;
  table = std::make_shared<const TokenTable>(
      make_table(automaton_, part.head, part.counting, vocab_.trie(), node, vocab_.n_words(), follow, work));
  return shared ? tables_.keep(key, table) : table;
}

void Masks::write(const Stacks& stacks, std::span<const Config> configs, uint32_t* words) {
  Work work(limits::call_work);
  if (configs.size() < 2 || !configs[0].state) {
    std::fill_n(words, vocab_.n_words(), 0u);
    add_each(stacks, configs, words, work);
    return;
  }
  State* first = configs[0].state;
  StackKey key = this->key(stacks);
  key.word(set_key);
  for (const Config& config : configs) {
    key.word(config.state ? config.state->id : config.counter | token_bit);
    key.set(config.conts);
  }
  uint32_t depth;
  if (const Result* result = find(key, first->set_depths.load(std::memory_order_acquire), depth))
    return result->tokens.write_to(words, vocab_.n_words());
  std::fill_n(words, vocab_.n_words(), 0u);
  depth = add_each(stacks, configs, words, work);
  remember(key, depth, first->set_depths, TokenSubset({words, vocab_.n_words()}));
}

uint32_t Masks::add_each(const Stacks& stacks, std::span<const Config> configs, uint32_t* words, Work& work) {
  uint32_t depth = 0;
  for (const Config& config : configs) {
    if (config.state) depth = std::max(depth, add_terminal(stacks, config, Trie::root, words, work));
    else add_tokens(config.counter, words);
  }
  return depth;
}

// A token terminal: the token it names, or with ! all text but that one.
void Masks::add_tokens(uint32_t position, uint32_t* words) const {
  const TokenSet& set = machine_.token_sets()[machine_[position].value];
  uint32_t token = static_cast<uint32_t>(set.token), bit = 1u << token % 32;
  if (!set.negated) {
    if (vocab_.is_usable(token)) words[token / 32] |= bit;
    return;
  }
  bool had = words[token / 32] & bit;
  std::span<const uint32_t> text = vocab_.text_mask();
  for (size_t i = 0; i < text.size(); i++) words[i] |= text[i];
  if (!had) words[token / 32] &= ~bit;
}

// The tokens below `node` that a configuration standing there can take. Returns how many levels of its stack that depended on.
uint32_t Masks::add_terminal(const Stacks& stacks, const Config& config, uint32_t node, uint32_t* words, Work& work) {
  std::shared_ptr<const StateTable> hold;
  const StateTable& of = table_of(config.state, node, hold, work);
  const Automaton::Split& part = of.part;
  of.table->add_stay(part.limit, words);
  uint32_t depth = add_leaving(stacks, of, config.conts, node, words, work);
  // Where the part that the table covers may be empty, the rest begins here too. (Behind the whole terminal that is done already: a set
  // of configurations holds what its terminals' ends lead to.)
  if (of.table->may_be_empty && part.tail) depth = std::max(depth, add_terminal(stacks, {part.tail, 0, config.conts}, node, words, work));
  if (part.also) depth = std::max(depth, add_terminal(stacks, {part.also, 0, config.conts}, node, words, work));
  return depth;
}

// Those of them that complete the part which the table covers.
uint32_t Masks::add_leaving(const Stacks& stacks, const StateTable& of, uint32_t conts, uint32_t node, uint32_t* words, Work& work) {
  const Automaton::Split& part = of.part;
  ByteSet follow;  // at most these come behind the part
  if (part.tail) follow |= part.tail->live;
  if (!part.tail || part.tail->nullable)
    for (const Cont& cont : stacks.conts(conts)) follow |= machine_.follow().bytes(cont.position);
  if (!of.table->leave_bytes.intersects(follow)) return 0;
  StackKey key = this->key(stacks);
  key.word(node);
  key.word(part.head->id);
  key.word(part.tail ? part.tail->id : UINT32_MAX);
  key.word(of.table->uncovered.empty() ? std::min(part.limit, of.table->leave_count) : part.limit);
  key.set(conts);
  uint32_t depth;
  if (const Result* result = find(key, part.head->depths.load(std::memory_order_acquire), depth))
    return result->tokens.add_to(words), depth;
  DepthProbe probe(stacks, conts);
  TokenSubset tokens = leaving(stacks, of, conts, node, probe, work);
  tokens.add_to(words);
  remember(key, probe.depth(), part.head->depths, std::move(tokens));
  return probe.depth();
}

const Masks::Result* Masks::find(StackKey& key, uint32_t depths, uint32_t& depth) const {
  for (; depths; depths &= depths - 1) {
    depth = static_cast<uint32_t>(std::countr_zero(depths));
    if (!key.deepen_to(depth)) return nullptr;
    if (const Result* result = find(key.hash(depth), key.words(depth))) return result;
  }
  return nullptr;
}

const Masks::Result* Masks::find(uint64_t hash, std::span<const uint32_t> key) const {
  for (const Result* result = results_[hash % results_.size()].load(std::memory_order_acquire); result; result = result->next)
    if (result->hash == hash && result->key.size() == key.size() && std::equal(key.begin(), key.end(), result->key.begin())) return result;
  return nullptr;
}

void Masks::remember(StackKey& stack_key, uint32_t depth, std::atomic<uint32_t>& depths, TokenSubset tokens) {
  if (!stack_key.deepen_to(depth)) return;
  uint64_t hash = stack_key.hash(depth);
  std::span<const uint32_t> key = stack_key.words(depth);
  size_t size = sizeof(Result) + key.size() * sizeof(uint32_t) + tokens.memory();
  if (memory() + size > limits::grammar_tables_bytes) return;
  auto result = std::make_unique<Result>(Result{nullptr, hash, {key.begin(), key.end()}, std::move(tokens)});
  std::lock_guard<std::mutex> guard(lock_);
  if (find(hash, key)) return;
  std::atomic<Result*>& bucket = results_[hash % results_.size()];
  result->next = bucket.load(std::memory_order_relaxed);
  bucket.store(result.release(), std::memory_order_release);
  depths.fetch_or(1u << depth, std::memory_order_release);
  memory_.fetch_add(size, std::memory_order_relaxed);
}

TokenSubset Masks::leaving(const Stacks& stacks, const StateTable& of, uint32_t conts, uint32_t node, DepthProbe& probe, Work& work) {
  const Automaton::Split& part = of.part;
  Stacks scratch(&stacks);
  Advance advance(machine_, automaton_, scratch, false, work, &probe);
  Walk at{advance, work};
  auto result = [&] { return TokenSubset({at.tokens.data(), at.tokens.size()}, vocab_.n_words()); };
  ConfigList start;
  if (!part.tail || part.tail->nullable) advance.enter(conts, start);
  if (part.tail) start.push_back({part.tail, 0, conts});

  ByteSet follow;
  for (const Config& c : start)
    if (c.state) follow |= c.state->live;
  follow = follow & of.table->uncovered;
  std::shared_ptr<const TokenTable> narrowed;
  if (!follow.empty()) {
    narrowed = shared_table(part, node, &follow, work);
    if (narrowed->everywhere || !narrowed->countable) {
      const Trie& trie = vocab_.trie();
      Config whole{part.whole, 0, conts};
      walk(at, {{&trie[0], trie.size()}, trie.own_ends(), trie.tokens(), {}, 0}, node, {&whole, 1});
      return result();
    }
  }
  std::vector<uint32_t> mask;
  for (const TokenTable* table : {of.table.get(), narrowed.get()}) {
    if (!table || start.empty()) continue;
    const SuffixTrie& leave = table->leave;
    if (!leave.nodes.empty())
      walk(at, {leave.nodes, leave.own_end, leave.tokens, leave.counts, part.limit}, 0, {start.data(), start.size()});
    for (const TokenTable::Large& large : table->large) {
      if (large.count > part.limit) continue;
      mask.resize(vocab_.n_words(), 0);
      for (const Config& c : start)
        if (c.state) probe.look(scratch, c.conts, add_terminal(scratch, c, large.node, mask.data(), work));
    }
  }
  if (mask.empty()) return result();
  result().add_to(mask.data());
  return TokenSubset(mask);
}

// Collects the tokens below node `from` that the configurations `start`, standing there, can take.
//
// Most terminals that may be complete at a node are not followed by what would continue there. So continuations are not entered when a
// terminal is complete but at the next byte, and only if that byte can follow; a level that grows too wide for that is merged by a full
// step (`closed`: its continuations are entered).
void Masks::walk(Walk& walk, const Tokens& trie, uint32_t from, std::span<const Config> start) {
  struct Open {
    uint32_t next, end, first, size;
    bool closed;
  };  // children still to come; the configurations at their parent
  SmallVector<Open, 32> open;
  SmallVector<Config, 64> configs;
  ConfigList list, wide;
  const TrieNode& root = trie.nodes[from];
  configs.append(start.data(), start.size());
  open.push_back({root.first_child, root.first_child + root.n_children, 0, static_cast<uint32_t>(start.size()), true});
  while (!open.empty()) {
    Open& at = open.back();
    if (at.next == at.end) {
      configs.truncate(at.first);
      open.pop_back();
      continue;
    }
    uint32_t id = at.next++;
    const TrieNode& node = trie.nodes[id];
    list.clear();
    walk.work.spend(2 + at.size);
    auto take = [&](const Config& config) {
      if (!config.state || !config.state->live.has(node.byte)) return;
      Config next{automaton_.step(config.state, node.byte, walk.work), 0, config.conts};
      for (const Config& have : list)
        if (have == next) return;
      list.push_back(next);
    };
    for (uint32_t i = 0; i < at.size; i++) {
      const Config config = configs[at.first + i];
      take(config);
      if (at.closed || !config.state->nullable) continue;
      const Entered::Set& behind = walk.entered.of(walk.advance, config.conts);
      if (!behind.live.has(node.byte)) continue;
      for (uint32_t k = 0; k < behind.size; k++) take(walk.entered.configs[behind.first + k]);
    }
    if (list.empty()) continue;
    bool closed = false;
    if (list.size() > widest_open) {
      walk.work.spend(list.size() * list.size() / 16);
      wide.clear();
      wide.append(configs.data() + at.first, at.size);
      for (uint32_t i = 0; i < at.size && !at.closed; i++) {
        const Config config = configs[at.first + i];
        if (!config.state->nullable) continue;
        const Entered::Set& behind = walk.entered.of(walk.advance, config.conts);
        wide.append(walk.entered.configs.data() + behind.first, behind.size);
      }
      walk.advance.byte({wide.data(), wide.size()}, node.byte, list);
      closed = true;
    }
    for (uint32_t t = node.first_token, end = node.own_tokens ? trie.own_end[id] : t; t < end; t++)
      if (trie.counts.empty() || trie.counts[t] <= trie.limit) walk.tokens.push_back(trie.tokens[t]);
    if (!node.n_children || list.empty()) continue;
    uint32_t first = static_cast<uint32_t>(configs.size());
    open.push_back({node.first_child, node.first_child + node.n_children, first, static_cast<uint32_t>(list.size()), closed});
    configs.append(list.data(), list.size());
  }
}

uint32_t& Masks::Entered::slot(uint32_t conts) {
  size_t at = mix_hash(0, conts) & (slots.size() - 1);
  while (slots[at] && sets[slots[at] - 1].conts != conts) at = (at + 1) & (slots.size() - 1);
  return slots[at];
}

const Masks::Entered::Set& Masks::Entered::of(Advance& advance, uint32_t conts) {
  if (slots.size() < (sets.size() + 1) * 2) {
    slots.assign(std::max<size_t>(32, slots.size() * 2), 0);
    for (uint32_t i = 0; i < sets.size(); i++) slot(sets[i].conts) = i + 1;
  }
  uint32_t& place = slot(conts);
  if (!place) {
    ConfigList list;
    advance.enter(conts, list);
    Set set{conts, static_cast<uint32_t>(configs.size()), static_cast<uint32_t>(list.size()), {}};
    for (const Config& config : list)
      if (config.state) set.live |= config.state->live;
    configs.insert(configs.end(), list.begin(), list.end());
    sets.push_back(set);
    place = static_cast<uint32_t>(sets.size());
  }
  return sets[place - 1];
}

}  // namespace gsample
