// What stands behind a gsample_vocab: the vocabulary, and the tables that all its grammars share.
#pragma once

#include <atomic>

#include "grammar/token_table.h"
#include "vocab/vocab.h"

struct gsample_vocab {
  explicit gsample_vocab(gsample::VocabData data) : vocab(std::move(data)) {}
  std::atomic<uint32_t> references{1};
  std::atomic<bool> used{false};  // a grammar was built on it
  gsample::Vocab vocab;
  gsample::TableCache tables;
};
