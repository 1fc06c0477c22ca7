#include "grammar/token_table.h"

#include <algorithm>
#include <bit>

#include "base/limits.h"

namespace gsample {

namespace {

constexpr uint32_t large_subtree = 512;  // tokens; a larger one is walked where it stands
constexpr size_t many_suffixes = 16384;  // summed over the places where a terminal can be complete
constexpr size_t many_large = 64;
constexpr size_t list_share = 4;  // a list is as quick as a mask up to a token for so many words
constexpr int wide_loop = 16;
constexpr size_t max_loops = 8;

// Merges the subtrees below the given edges (nodes of the vocabulary's trie) into one trie.
SuffixTrie merge(const Trie& trie, std::vector<uint32_t> edges) {
  SuffixTrie out;
  struct Source {
    uint8_t byte;
    uint32_t node;
  };
  struct Open {
    uint32_t node;
    std::vector<Source> below;
  };
  auto sort = [](std::vector<Source>& list) {
    std::sort(list.begin(), list.end(),
              [](const Source& a, const Source& b) { return a.byte != b.byte ? a.byte < b.byte : a.node < b.node; });
  };
  Open root{0, {}};
  for (uint32_t node : edges) root.below.push_back({trie[node].byte, node});
  out.nodes.push_back({0, 0, 0, 0, 0});
  out.own_end.push_back(0);
  std::vector<Open> open;
  open.push_back(std::move(root));
  while (!open.empty()) {
    Open at = std::move(open.back());
    open.pop_back();
    sort(at.below);
    uint32_t first = static_cast<uint32_t>(out.nodes.size());
    std::vector<Open> children;
    for (size_t i = 0; i < at.below.size();) {
      uint8_t byte = at.below[i].byte;
      TrieNode node{0, static_cast<uint32_t>(out.tokens.size()), 0, byte, 0};
      Open child{static_cast<uint32_t>(out.nodes.size()), {}};
      for (; i < at.below.size() && at.below[i].byte == byte; i++) {
        const TrieNode& source = trie[at.below[i].node];
        for (uint32_t t = source.first_token; t < trie.own_end(at.below[i].node); t++) out.tokens.push_back(trie.tokens()[t]);
        for (uint32_t c = 0; c < source.n_children; c++) child.below.push_back({trie[source.first_child + c].byte, source.first_child + c});
      }
      node.own_tokens = out.tokens.size() > node.first_token;
      out.nodes.push_back(node);
      out.own_end.push_back(static_cast<uint32_t>(out.tokens.size()));
      if (!child.below.empty()) children.push_back(std::move(child));
    }
    out.nodes[at.node].first_child = first;
    out.nodes[at.node].n_children = static_cast<uint16_t>(out.nodes.size() - first);
    for (size_t i = children.size(); i-- > 0;) open.push_back(std::move(children[i]));
  }
  return out;
}

// The groups whose bytes all lead a state back to itself.
ByteGroups loop_groups(Automaton& automaton, const State* state) {
  ByteGroups loops = ~ByteGroups{0};
  for (int b = 0; b < 256; b++) {
    uint8_t byte = static_cast<uint8_t>(b);
    if (!state->live.has(byte) || automaton.step(state, byte) != state) loops &= ~(ByteGroups{1} << byte_group[byte]);
  }
  return loops;
}

ByteGroups groups_of(const ByteSet& set) {
  ByteGroups out = 0;
  for (int b = 0; b < 256; b++)
    if (set.has(static_cast<uint8_t>(b))) out |= ByteGroups{1} << byte_group[static_cast<size_t>(b)];
  return out;
}

}  // namespace

TokenTable make_table(Automaton& automaton, State* start, const Trie& trie, uint32_t from, size_t n_words, const ByteSet* follow) {
  TokenTable out;
  out.may_be_empty = start->nullable;
  std::vector<uint32_t> stay, edges;
  stay.reserve(1024);
  size_t suffixes = 0;
  // A loop that may end after any byte leaves in too many places to list them without knowing what follows.
  out.everywhere = !follow && start->nullable && start->live.count() >= wide_loop;
  ByteGroups follow_groups = follow ? groups_of(*follow) : ~ByteGroups{0};
  // Below a node whose bytes all keep the state as it is, every token stays and none leaves. This is worked out for the first few states
  // that are seen to lead to themselves.
  struct Loop {
    const State* state;
    ByteGroups groups;
  };
  std::vector<Loop> loops;
  auto loops_below = [&](const State* state, bool again, ByteGroups below) {
    for (const Loop& loop : loops)
      if (loop.state == state) return (below & ~loop.groups) == 0;
    if (!again || loops.size() >= max_loops) return false;
    loops.push_back({state, loop_groups(automaton, state)});
    return (below & ~loops.back().groups) == 0;
  };
  struct Open {
    uint32_t next, end;
    const State* state;
  };
  std::vector<Open> open;
  open.push_back({trie[from].first_child, trie[from].first_child + trie[from].n_children, start});
  while (!open.empty()) {
    Open& at = open.back();
    if (at.next == at.end) {
      open.pop_back();
      continue;
    }
    uint32_t id = at.next++;
    const TrieNode& node = trie[id];
    if (!at.state->live.has(node.byte)) continue;
    const State* next = automaton.step(at.state, node.byte);
    if (node.n_children > 0 && loops_below(next, next == at.state, trie.below(id)) &&
        (!next->nullable || out.everywhere || (trie.below(id) & follow_groups) == 0)) {
      stay.insert(stay.end(), trie.tokens().begin() + node.first_token, trie.tokens().begin() + trie.subtree_end(id));
      continue;
    }
    for (uint32_t t = node.first_token, end = node.own_tokens ? trie.own_end(id) : t; t < end; t++) stay.push_back(trie.tokens()[t]);
    if (!node.n_children) continue;
    uint32_t end = node.first_child + node.n_children;
    if (next->nullable && !out.everywhere) {
      size_t before = edges.size(), tokens = 0;
      for (uint32_t child = node.first_child; child < end; child++) {
        if (follow && !follow->has(trie[child].byte)) continue;
        edges.push_back(child);
        tokens += trie.subtree_end(child) - trie[child].first_token;
      }
      if (tokens > large_subtree) {
        edges.resize(before);
        out.large.push_back(id);
      } else {
        suffixes += tokens;
      }
      out.everywhere = suffixes > many_suffixes || out.large.size() > many_large;
    }
    if (!next->live.empty()) open.push_back({node.first_child, end, next});
  }
  out.stay = TokenSubset(std::move(stay), n_words);
  if (out.everywhere) out.large.clear();
  else if (!edges.empty()) out.leave = merge(trie, std::move(edges));
  return out;
}

TokenSubset::TokenSubset(std::vector<uint32_t> tokens, size_t n_words) {
  if (tokens.size() * list_share <= n_words) {
    std::sort(tokens.begin(), tokens.end());
    tokens.shrink_to_fit();
    list_ = std::move(tokens);
    return;
  }
  mask_.assign(n_words, 0);
  for (uint32_t token : tokens) mask_[token / 32] |= 1u << token % 32;
}

TokenSubset::TokenSubset(std::span<const uint32_t> mask) {
  size_t n = 0;
  for (uint32_t word : mask) n += static_cast<size_t>(std::popcount(word));
  if (n * list_share > mask.size()) {
    mask_.assign(mask.begin(), mask.end());
    return;
  }
  list_.reserve(n);
  for (uint32_t i = 0; list_.size() < n; i++)
    for (uint32_t word = mask[i]; word; word &= word - 1) list_.push_back(i * 32 + static_cast<uint32_t>(std::countr_zero(word)));
}

void TokenSubset::add_to(uint32_t* words) const {
  for (size_t i = 0; i < mask_.size(); i++) words[i] |= mask_[i];
  for (uint32_t token : list_) words[token / 32] |= 1u << token % 32;
}

size_t TokenTable::memory() const {
  return sizeof *this + stay.memory() + leave.nodes.capacity() * sizeof(TrieNode) +
         (leave.own_end.capacity() + leave.tokens.capacity() + large.capacity()) * sizeof(uint32_t);
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
