// What the grammar fuzzers share: a small vocabulary that cuts characters, and a walk through a grammar that checks, in every state it
// meets, that the mask, allows and accept agree and that going back restores.
#pragma once

#include <gsample/gsample.h>

#include <cstring>
#include <string>
#include <vector>

#include "fuzz.h"
#include "matching.h"

constexpr uint32_t walk_tokens = 300;  // the row has a few more than the list

inline matching::Vocab walk_vocab() {
  static const std::vector<std::string> words{"ab",       "aa",           "\"a", "a\"", "\n ", "  ", "12", "0x",  "\xc3\xa9", "\xe4\xb8",
                                              "\xb8\xad", "\xf0\x9f\x98", "[[",  "]]",  "()",  "),", "bb", "abc", "=1",       "+a"};
  std::string bytes;
  std::vector<uint64_t> offsets{0};
  std::vector<uint8_t> kinds;
  for (int b = 0; b < 256; b++) bytes.push_back(static_cast<char>(b)), offsets.push_back(bytes.size()), kinds.push_back(GSAMPLE_TOKEN_TEXT);
  for (const std::string& word : words) bytes += word, offsets.push_back(bytes.size()), kinds.push_back(GSAMPLE_TOKEN_TEXT);
  for (uint8_t kind : {GSAMPLE_TOKEN_STOP, GSAMPLE_TOKEN_CONTROL, GSAMPLE_TOKEN_UNUSED, GSAMPLE_TOKEN_TEXT})
    offsets.push_back(bytes.size()), kinds.push_back(kind);
  gsample_vocab_desc desc = {};
  desc.size = sizeof desc;
  desc.n_vocab = walk_tokens;
  desc.n_tokens = static_cast<uint32_t>(kinds.size());
  desc.bytes = reinterpret_cast<const uint8_t*>(bytes.data());
  desc.offsets = offsets.data();
  desc.kinds = kinds.data();
  gsample_vocab* vocab = nullptr;
  int32_t status = gsample_vocab_new(&desc, &vocab, nullptr);
  if (status == GSAMPLE_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  REQUIRE(status == 0);
  return matching::Vocab(vocab);
}

inline bool gives_up(int32_t status) { return status == GSAMPLE_ERROR_LIMIT || status == GSAMPLE_ERROR_OUT_OF_MEMORY; }

// Compares the mask with allows, for every token; false where a limit was met.
inline bool check_state(gsample_matcher* matcher, std::vector<uint32_t>& mask) {
  mask.assign((walk_tokens + 31) / 32, 0xffffffff);
  int32_t status = gsample_matcher_mask(matcher, mask.data(), mask.size());
  if (gives_up(status)) return false;
  REQUIRE(status == 0);
  for (uint32_t token = 0; token < walk_tokens; token++) {
    int32_t allows = gsample_matcher_allows(matcher, static_cast<int32_t>(token));
    if (gives_up(allows)) return false;
    REQUIRE(allows == static_cast<int32_t>(mask[token / 32] >> token % 32 & 1));
  }
  return true;
}

// Steps are chosen by the bytes of `choices`.
inline void walk(gsample_grammar* grammar, const uint8_t* choices, size_t n) {
  gsample_matcher* made = nullptr;
  int32_t status = gsample_matcher_new(grammar, &made);
  if (gives_up(status)) return;
  REQUIRE(status == 0);
  matching::Matcher matcher(made);
  std::vector<uint32_t> mask, before;
  for (size_t i = 0; i < n && i < 12; i++) {
    if (!check_state(matcher.get(), mask)) break;
    before = mask;
    std::vector<int32_t> allowed;
    for (uint32_t token = 0; token < walk_tokens; token++)
      if (mask[token / 32] >> token % 32 & 1) allowed.push_back(static_cast<int32_t>(token));
    int32_t other = choices[i];
    if (!(mask[static_cast<size_t>(other) / 32] >> other % 32 & 1)) {
      status = gsample_matcher_accept(matcher.get(), other);
      if (gives_up(status)) break;
      REQUIRE(status == GSAMPLE_ERROR_REFUSED);
    }
    if (allowed.empty()) break;
    status = gsample_matcher_accept(matcher.get(), allowed[choices[i] % allowed.size()]);
    if (gives_up(status)) break;
    REQUIRE(status == 0);
    if (choices[i] % 5 == 0) {
      REQUIRE(gsample_matcher_rollback(matcher.get(), 1) == 0);
      if (!check_state(matcher.get(), mask)) break;
      REQUIRE(mask == before);
    } else if (choices[i] % 7 == 0) {
      gsample_matcher* copy = nullptr;
      if (gives_up(gsample_matcher_clone(matcher.get(), &copy))) break;
      matcher.reset(copy);
    }
  }
}

inline void check_error(int32_t status, const gsample_error& error, bool has_place) {
  REQUIRE(status == error.status && error.message[0]);
  REQUIRE(status == GSAMPLE_ERROR_SYNTAX || status == GSAMPLE_ERROR_UNSUPPORTED || gives_up(status));
  if (has_place && status != GSAMPLE_ERROR_OUT_OF_MEMORY && status != GSAMPLE_ERROR_LIMIT) REQUIRE(error.line > 0 && error.column > 0);
}
