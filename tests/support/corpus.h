// Grammars of the kinds that engines are asked for, each with texts that it takes: made here from a fixed seed, so that every run
// meets the same states.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace corpus {

struct Language {
  std::string name;
  std::string grammar;
  bool is_regex;
  std::vector<std::string> texts;
};

std::vector<Language> languages();

// The longest token first, from the front: how a tokenizer mostly cuts a text.
struct Splitter;
std::vector<int32_t> split(const std::vector<std::string>& tokens, const std::string& text, uint64_t seed, bool longest);

}  // namespace corpus
