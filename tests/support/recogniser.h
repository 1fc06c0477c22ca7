// A slow recogniser that shares nothing with the library: grammars as trees over code points, recognised byte by byte with Earley's
// algorithm (Earley 1970, nullable rules after Aycock and Horspool 2002), and written out as GBNF for the library to read.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace recogniser {

struct Tree {
  enum Kind { LITERAL, CLASS, TOKEN, RULE, SEQUENCE, CHOICE, REPEAT } kind;
  std::vector<uint32_t> characters;  // LITERAL, CLASS
  bool negated = false;              // CLASS, TOKEN
  int32_t id = 0;                    // TOKEN, RULE
  int min = 0, max = 0;              // REPEAT; max -1 = unbounded
  std::vector<Tree> parts;           // SEQUENCE, CHOICE, REPEAT
};

struct Tokens {
  std::vector<std::string> bytes;
  std::vector<uint8_t> kinds;  // GSAMPLE_TOKEN_*
};

std::string to_gbnf(const std::vector<Tree>& rules);  // rule 0 is root, rule i is r<i>

class Recogniser {
 public:
  Recogniser(const std::vector<Tree>& rules, const Tokens& tokens);

  bool can_follow(int32_t token) const;  // may the token come next
  bool can_end() const;
  bool accept(int32_t token);  // false: refused, nothing moved

 private:
  struct Symbol {
    enum Kind { CLASS, TOKEN, RULE } kind;
    std::vector<uint32_t> characters;
    bool negated = false;
    int32_t id = 0;
  };
  struct Production {
    int rule;
    std::vector<Symbol> body;
  };
  struct Item {
    int production, dot, origin;
    std::string partial;  // the bytes of a character begun
    bool operator<(const Item& o) const {
      return std::tie(production, dot, origin, partial) < std::tie(o.production, o.dot, o.origin, o.partial);
    }
  };
  using Column = std::set<Item>;

  int rule_for(const Tree& tree);
  std::vector<Symbol> sequence_for(const Tree& tree);
  void drop_unproductive();
  void close(std::vector<Column>& columns) const;
  Column scan(const Column& from, uint8_t byte) const;
  std::vector<Column> after(int32_t token) const;  // the columns that the token adds; empty = refused
  bool takes(const Symbol& symbol, const std::string& bytes, bool& complete) const;

  Tokens tokens_;
  std::vector<Production> productions_;
  std::vector<bool> nullable_;
  int n_rules_ = 0;
  std::vector<Column> columns_;
};

}  // namespace recogniser
