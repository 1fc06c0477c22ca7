#include "grammar/token_table.h"

#include <algorithm>

#include "base/limits.h"

namespace gsample {

namespace {

constexpr uint32_t large_subtree = 512;  // tokens; a larger one is walked where it stands
constexpr size_t many_suffixes = 16384;  // summed over the places where a terminal can be complete, to known bytes
constexpr size_t many_of_byte = 1024;    // of those, that begin with the same byte
constexpr size_t many_large = 64;
constexpr int wide_loop = 16;
constexpr size_t max_loops = 8;
constexpr size_t max_counted = 64;
constexpr size_t visits_at_once = 1024;

struct Edge {
  uint32_t node;  // of the vocabulary's trie
  uint32_t count;
};

// Merges the subtrees below the given edges into one trie.
SuffixTrie merge(const Trie& trie, const std::vector<Edge>& edges, bool counting) {
  SuffixTrie out;
  struct Source {
    uint8_t byte;
    uint32_t node, count;
  };
  struct Open {
    uint32_t node, begin, end;  // its children's sources in `sources`
  };
  std::vector<Source> sources;
  sources.reserve(edges.size() * 4);
  for (const Edge& edge : edges) sources.push_back({trie[edge.node].byte, edge.node, edge.count});
  out.nodes.push_back({0, 0, 0, 0, 0});
  out.own_end.push_back(0);
  std::vector<Open> open{{0, 0, static_cast<uint32_t>(sources.size())}};
  while (!open.empty()) {
    Open at = open.back();
    open.pop_back();
    auto before = [](const Source& a, const Source& b) { return a.byte != b.byte ? a.byte < b.byte : a.node < b.node; };
    auto begin = sources.begin() + at.begin, end = sources.begin() + at.end;
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);  // the children of one node are sorted
    uint32_t first = static_cast<uint32_t>(out.nodes.size());
    size_t first_open = open.size();
    for (uint32_t i = at.begin; i < at.end;) {
      TrieNode node{0, static_cast<uint32_t>(out.tokens.size()), 0, sources[i].byte, 0};
      uint32_t below = static_cast<uint32_t>(sources.size());
      for (; i < at.end && sources[i].byte == node.byte; i++) {
        const Source from = sources[i];
        const TrieNode& source = trie[from.node];
        for (uint32_t t = source.first_token; t < trie.own_end(from.node); t++) {
          out.tokens.push_back(trie.tokens()[t]);
          if (counting) out.counts.push_back(static_cast<uint16_t>(from.count));
        }
        for (uint32_t c = source.first_child, last = c + source.n_children; c < last; c++) sources.push_back({trie[c].byte, c, from.count});
      }
      node.own_tokens = out.tokens.size() > node.first_token;
      if (sources.size() > below) open.push_back({static_cast<uint32_t>(out.nodes.size()), below, static_cast<uint32_t>(sources.size())});
      out.nodes.push_back(node);
      out.own_end.push_back(static_cast<uint32_t>(out.tokens.size()));
    }
    std::reverse(open.begin() + static_cast<ptrdiff_t>(first_open), open.end());
    out.nodes[at.node].first_child = first;
    out.nodes[at.node].n_children = static_cast<uint16_t>(out.nodes.size() - first);
  }
  return out;
}

ByteGroups groups_of(const ByteSet& set) {
  ByteGroups out = 0;
  for (int b = 0; b < 256; b++)
    if (set.has(static_cast<uint8_t>(b))) out |= ByteGroups{1} << byte_group[static_cast<size_t>(b)];
  return out;
}

// Makes one table, in one walk of the vocabulary's trie.
class TableMaker {
 public:
  TableMaker(Automaton& automaton, const Trie& trie, const ByteSet* follow, bool counting, Work& work)
      : automaton_(automaton),
        trie_(trie),
        follow_(follow),
        follow_groups_(follow ? groups_of(*follow) : 0),
        counting_(counting),
        work_(work) {}

  TokenTable make(const State* start, uint32_t from, size_t n_words) {
    out_.may_be_empty = start->nullable;
    walk(start, from);
    work_.spend(stay_.size() / 8 + visited_ % visits_at_once / 2);
    if (!out_.countable) {
      TokenTable none;
      none.countable = false;
      return none;
    }
    if (counting_) out_.stay_counted = CountedSubset(stay_, counts_, n_words);
    else out_.stay = TokenSubset(stay_, n_words);
    if (out_.everywhere) {
      out_.large.clear();
      out_.uncovered = byte_range(0, 255);
    } else if (!edges_.empty()) {
      if (!follow_) drop_frequent();
      work_.spend(suffixes_);
      out_.leave = merge(trie_, edges_, counting_);
    }
    out_.leave_bytes = out_.uncovered;
    for (const Edge& edge : edges_) {
      out_.leave_count = std::max(out_.leave_count, edge.count);
      out_.leave_bytes.add(trie_[edge.node].byte);
    }
    for (const TokenTable::Large& large : out_.large) {
      out_.leave_count = std::max(out_.leave_count, large.count);
      for (uint32_t c = trie_[large.node].first_child, end = c + trie_[large.node].n_children; c < end; c++)
        out_.leave_bytes.add(trie_[c].byte);
    }
    return std::move(out_);
  }

 private:
  // A state that bytes lead back to itself.
  struct Loop {
    const State* state;
    ByteGroups groups;  // all of whose bytes do, or characters of which do
  };
  struct Open {
    uint32_t next, end;
    const State* state;
    uint32_t count, characters;  // at the parent of the nodes still to come
  };

  void walk(const State* start, uint32_t from) {
    if (counting_ && !can_count(start)) return;
    open_.push_back({trie_[from].first_child, trie_[from].first_child + trie_[from].n_children, start, 0, 0});
    while (!open_.empty()) {
      Open& at = open_.back();
      if (at.next == at.end) {
        open_.pop_back();
        continue;
      }
      uint32_t id = at.next++;
      const TrieNode& node = trie_[id];
      if (++visited_ % visits_at_once == 0) work_.spend(visits_at_once / 2);
      if (!at.state->live.has(node.byte)) continue;
      const State* next = automaton_.step(at.state, node.byte, work_);
      Open below{node.first_child, node.first_child + node.n_children, next, at.count, at.characters};
      if (counting_) {
        if (next->counted) {
          if (next != at.state && (!at.state->counted || !can_count(next))) return out_.countable = false, void();
          below.count += automaton_.begun(at.state, node.byte);
        }
        below.characters += (node.byte & 0xc0) != 0x80;
      }
      if (node.n_children && stays_below(next, next == at.state, trie_.below(id))) {
        take(node.first_token, trie_.subtree_end(id), below, counting_ && next->counted);
        continue;
      }
      if (node.own_tokens) take(node.first_token, trie_.own_end(id), below, false);
      if (!node.n_children) continue;
      if (next->nullable && !out_.everywhere) leave(id, below);
      if (!next->live.empty()) open_.push_back(below);
    }
  }

  // The tokens of the trie's order that lie at (or, in a loop that counts, below) a node.
  void take(uint32_t first, uint32_t end, const Open& at, bool counts_characters) {
    if (follow_) return;
    stay_.insert(stay_.end(), trie_.tokens().begin() + first, trie_.tokens().begin() + end);
    if (!counting_) return;
    for (uint32_t t = first; t < end; t++)
      counts_.push_back(static_cast<uint16_t>(counts_characters ? at.count + trie_.characters(t) - at.characters : at.count));
  }

  // The terminal can be complete at the node.
  void leave(uint32_t id, const Open& below) {
    // A loop that may end after any byte leaves in too many places to list them without knowing what follows.
    bool wide = !follow_ && below.state->live.count() >= wide_loop;
    if (wide) out_.uncovered |= below.state->live;
    size_t before = edges_.size(), tokens = 0;
    for (uint32_t child = below.next; child < below.end; child++) {
      if (follow_ ? !follow_->has(trie_[child].byte) : wide && below.state->live.has(trie_[child].byte)) continue;
      edges_.push_back({child, below.count});
      tokens += suffixes_of(child);
    }
    if (tokens > large_subtree) {
      edges_.resize(before);
      out_.large.push_back({id, below.count});
    } else {
      suffixes_ += tokens;
    }
    out_.everywhere = (follow_ && suffixes_ > many_suffixes) || out_.large.size() > many_large;
  }

  // Bytes that much leaves to, and mostly nothing will ask for (letters behind a number): what follows can ask for them by name.
  void drop_frequent() {
    size_t suffixes[256] = {};
    for (const Edge& edge : edges_) suffixes[trie_[edge.node].byte] += suffixes_of(edge.node);
    for (int b = 0; b < 256; b++)
      if (suffixes[b] > many_of_byte) out_.uncovered.add(static_cast<uint8_t>(b));
    std::erase_if(edges_, [&](const Edge& edge) { return out_.uncovered.has(trie_[edge.node].byte); });
  }

  size_t suffixes_of(uint32_t node) const { return trie_.subtree_end(node) - trie_[node].first_token; }

  // Below a node whose bytes all lead the state back to itself, every token stays and none leaves (or it does so to an uncovered byte).
  // This is worked out for the first few states that are seen to lead to themselves.
  bool stays_below(const State* state, bool again, ByteGroups below) {
    const Loop* loop = nullptr;
    for (const Loop& known : loops_)
      if (known.state == state) loop = &known;
    if (!loop) {
      if (!again || loops_.size() >= max_loops) return false;
      loops_.push_back({state, loop_groups(state)});
      loop = &loops_.back();
    }
    if (below & ~loop->groups) return false;
    if (!state->nullable || out_.everywhere) return true;
    if (follow_) return (below & follow_groups_) == 0;
    if (state->live.count() < wide_loop) return false;
    out_.uncovered |= state->live;
    return true;
  }

  // A loop that counts begins an iteration with each character.
  bool leads_to(const State* from, uint8_t byte, const State* to, bool begins) const {
    if (!from->live.has(byte) || automaton_.step(from, byte, work_) != to) return false;
    return !counting_ || !from->counted || (automaton_.begun(from, byte) == 1) == begins;
  }

  ByteGroups loop_groups(const State* state) const {
    ByteGroups loops = ~cut_character;
    bool characters = all_characters(state);
    for (int b = 0; b < 256; b++) {
      uint8_t byte = static_cast<uint8_t>(b);
      if (byte >= 0x80 && characters) continue;
      bool counts = counting_ && state->counted;
      if (!leads_to(state, byte, state, true) || (byte >= 0x80 && counts)) loops &= ~(ByteGroups{1} << byte_group[byte]);
    }
    return loops;
  }

  // Does every character of more than one byte lead the state back to itself?
  bool all_characters(const State* state) const {
    struct Range {
      int first_lead, last_lead, low, high, more;  // the first continuation byte, and how many come behind it
    };
    for (const Range& range : {Range{0xc2, 0xdf, 0x80, 0xbf, 0}, Range{0xe0, 0xe0, 0xa0, 0xbf, 1}, Range{0xe1, 0xec, 0x80, 0xbf, 1},
                               Range{0xed, 0xed, 0x80, 0x9f, 1}, Range{0xee, 0xef, 0x80, 0xbf, 1}, Range{0xf0, 0xf0, 0x90, 0xbf, 2},
                               Range{0xf1, 0xf3, 0x80, 0xbf, 2}, Range{0xf4, 0xf4, 0x80, 0x8f, 2}}) {
      for (int lead = range.first_lead; lead <= range.last_lead; lead++) {
        const State* at = automaton_.step(state, static_cast<uint8_t>(lead), work_);
        if (!leads_to(state, static_cast<uint8_t>(lead), at, true)) return false;
        for (int more = range.more, low = range.low, high = range.high; more >= 0; more--, low = 0x80, high = 0xbf) {
          const State* next = automaton_.step(at, static_cast<uint8_t>(low), work_);
          for (int b = low; b <= high; b++)
            if (!leads_to(at, static_cast<uint8_t>(b), next, false)) return false;
          at = next;
        }
        if (at != state) return false;
      }
    }
    return true;
  }

  // Where the count has run out, nothing must go on that would have begun an iteration: then a token is allowed if it does not go round
  // more often than is left.
  bool can_count(const State* state) {
    for (const State* known : counted_)
      if (known == state) return true;
    const State* spent = automaton_.spent(state, work_);
    out_.countable = spent && counted_.size() < max_counted;
    for (int b = 0; b < 256 && out_.countable; b++) {
      uint8_t byte = static_cast<uint8_t>(b);
      if (!state->live.has(byte)) continue;
      bool begins = automaton_.step(state, byte, work_)->counted && automaton_.begun(state, byte);
      if (begins && spent->live.has(byte)) out_.countable = false;
    }
    counted_.push_back(state);
    return out_.countable;
  }

  Automaton& automaton_;
  const Trie& trie_;
  const ByteSet* follow_;
  ByteGroups follow_groups_;
  bool counting_;
  Work& work_;
  TokenTable out_;
  std::vector<uint32_t> stay_;
  std::vector<uint16_t> counts_;
  std::vector<Edge> edges_;
  size_t suffixes_ = 0, visited_ = 0;
  std::vector<Loop> loops_;
  std::vector<const State*> counted_;
  std::vector<Open> open_;
};

}  // namespace

TokenTable make_table(Automaton& automaton, const State* state, bool counting, const Trie& trie, uint32_t from, size_t n_words,
                      const ByteSet* follow, Work& work) {
  return TableMaker(automaton, trie, follow, counting, work).make(state, from, n_words);
}

size_t TokenTable::memory() const {
  return sizeof *this + stay.memory() + stay_counted.memory() + leave.nodes.capacity() * sizeof(TrieNode) +
         leave.counts.capacity() * sizeof(uint16_t) +
         (leave.own_end.capacity() + leave.tokens.capacity()) * sizeof(uint32_t) + large.capacity() * sizeof(Large);
}

std::shared_ptr<const TokenTable> TableCache::find(const std::string& key) {
  std::lock_guard<std::mutex> guard(lock_);
  auto found = find_.find(key);
  if (found == find_.end()) return nullptr;
  used_.splice(used_.begin(), used_, found->second);
  return found->second->table;
}

std::shared_ptr<const TokenTable> TableCache::keep(const std::string& key, std::shared_ptr<const TokenTable> table) {
  std::lock_guard<std::mutex> guard(lock_);
  if (auto found = find_.find(key); found != find_.end()) return found->second->table;
  used_.push_front({key, table});
  try {
    find_.emplace(used_.front().key, used_.begin());
  } catch (...) {
    used_.pop_front();
    throw;
  }
  memory_ += key.size() + table->memory();
  while (memory_ > limits::table_cache_bytes && used_.size() > 1) {
    memory_ -= used_.back().key.size() + used_.back().table->memory();
    find_.erase(used_.back().key);
    used_.pop_back();
  }
  return table;
}

size_t TableCache::memory() {
  std::lock_guard<std::mutex> guard(lock_);
  return memory_;
}

}  // namespace gsample
