// Sets of Unicode code points, and their UTF-8 as an expression over bytes: no overlong forms, no surrogates.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "grammar/expr.h"

namespace gsample {

constexpr uint32_t max_code_point = 0x10ffff;

class CodePointSet {
 public:
  void add(uint32_t first, uint32_t last) { ranges_.push_back({first, last}); }
  void add(const CodePointSet& other) { ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end()); }
  bool empty() const { return ranges_.empty(); }
  CodePointSet complement() const;
  ExprId utf8(ExprStore& store) const;

  using Range = std::pair<uint32_t, uint32_t>;
  std::vector<Range> merged() const;

 private:
  std::vector<Range> ranges_;
};

// The expressions of one store for the classes of one text, which mostly has few of them, often.
class CodePointClasses {
 public:
  ExprId utf8(ExprStore& store, const CodePointSet& set);

 private:
  std::map<std::vector<CodePointSet::Range>, ExprId> known_;
};

// One character, and no surrogate, as a chain of bytes.
ExprId utf8_character(ExprStore& store, uint32_t c);

// Reads one character of UTF-8 at text[at] and moves `at` behind it; -1 where the bytes are not UTF-8.
int32_t read_utf8(const char* text, size_t n, size_t& at);

bool is_surrogate(uint32_t code_point);

}  // namespace gsample
