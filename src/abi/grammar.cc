// Grammars and matchers: made from text, asked, moved forward and back, and handed to a sampler as its constraint.
#include "grammar/grammar.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "abi/guard.h"
#include "abi/vocab.h"
#include "base/sized.h"
#include "grammar/matcher.h"

using namespace gsample;

namespace {

struct Free {
  void operator()(gsample_vocab* vocab) const { gsample_vocab_free(vocab); }
  void operator()(gsample_grammar* grammar) const { gsample_grammar_free(grammar); }
};

}  // namespace

// The reference comes first: what is built on it goes before it.
struct gsample_grammar {
  gsample_grammar(gsample_vocab* of, Syntax syntax) : vocab(gsample_vocab_retain(of)), grammar(of->vocab, of->tables, std::move(syntax)) {}
  std::atomic<uint32_t> references{1};
  std::unique_ptr<gsample_vocab, Free> vocab;
  Grammar grammar;
};

struct gsample_matcher {
  explicit gsample_matcher(gsample_grammar* of) : grammar(gsample_grammar_retain(of)), matcher(of->grammar) {}
  gsample_matcher(const gsample_matcher& from) : grammar(gsample_grammar_retain(from.grammar.get())), matcher(from.matcher) {}
  std::unique_ptr<gsample_grammar, Free> grammar;
  Matcher matcher;
  bool constrains = false;      // a constraint owns it
  std::vector<uint32_t> mask;  // of the whole vocabulary, for a row that is narrower
};

namespace {

template <class Parse>
int32_t make(gsample_vocab* vocab, const char* text, size_t n, gsample_grammar** grammar, gsample_error* error, const Parse& parse) {
  return guarded(error, [&]() -> int32_t {
    if (!vocab) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "vocab is NULL");
    if (!text && n) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "text is NULL");
    if (!grammar) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "grammar is NULL");
    *grammar = new gsample_grammar(vocab, parse());
    vocab->used.store(true, std::memory_order_release);
    return GSAMPLE_OK;
  });
}

// Runs `call` on a matcher; a token outside the row is an invalid argument.
template <class Call>
int32_t ask(const gsample_matcher* matcher, int32_t token, const Call& call) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!matcher || !matcher->matcher.vocab().is_token(token)) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    return call();
  });
}

gsample_matcher* of(void* user) { return static_cast<gsample_matcher*>(user); }

// The row of a constrained sampler need not be as wide as the vocabulary: no column beyond it is allowed.
bool in_vocab(void* user, int32_t token) { return of(user)->matcher.vocab().is_token(token); }

int32_t mask_row(void* user, uint32_t* words, size_t n_words) {
  return guarded(nullptr, [&]() -> int32_t {
    gsample_matcher& matcher = *of(user);
    const size_t n = matcher.matcher.vocab().n_words();
    if (n_words >= n) {
      matcher.matcher.mask(words);
      std::fill(words + n, words + n_words, 0u);
    } else {
      matcher.mask.resize(n);
      matcher.matcher.mask(matcher.mask.data());
      std::copy_n(matcher.mask.begin(), n_words, words);
    }
    return GSAMPLE_OK;
  });
}

}  // namespace

int32_t gsample_grammar_from_gbnf(gsample_vocab* vocab, const char* text, size_t n, const char* root, gsample_grammar** grammar,
                                  gsample_error* error) {
  return make(vocab, text, n, grammar, error, [&] { return parse_gbnf(text, n, root, vocab->vocab.n_vocab()); });
}

int32_t gsample_grammar_from_regex(gsample_vocab* vocab, const char* text, size_t n, gsample_grammar** grammar, gsample_error* error) {
  return make(vocab, text, n, grammar, error, [&] { return parse_regex(text, n); });
}

int32_t gsample_grammar_warm(gsample_grammar* grammar) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!grammar) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    grammar->grammar.masks()->warm();
    return GSAMPLE_OK;
  });
}

gsample_grammar* gsample_grammar_retain(gsample_grammar* grammar) {
  if (grammar) grammar->references.fetch_add(1, std::memory_order_relaxed);
  return grammar;
}

void gsample_grammar_free(gsample_grammar* grammar) {
  if (grammar && grammar->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete grammar;
}

int32_t gsample_matcher_new(gsample_grammar* grammar, gsample_matcher** matcher) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!grammar || !matcher) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    *matcher = new gsample_matcher(grammar);
    return GSAMPLE_OK;
  });
}

void gsample_matcher_free(gsample_matcher* matcher) { delete matcher; }

int32_t gsample_matcher_clone(const gsample_matcher* matcher, gsample_matcher** copy) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!matcher || !copy) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    *copy = new gsample_matcher(*matcher);
    return GSAMPLE_OK;
  });
}

int32_t gsample_matcher_reset(gsample_matcher* matcher) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!matcher) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    matcher->matcher.reset();
    return GSAMPLE_OK;
  });
}

int32_t gsample_matcher_allows(const gsample_matcher* matcher, int32_t token) {
  return ask(matcher, token, [&]() -> int32_t { return matcher->matcher.allows(token); });
}

int32_t gsample_matcher_can_stop(const gsample_matcher* matcher) {
  return matcher ? matcher->matcher.can_stop() : GSAMPLE_ERROR_INVALID_ARGUMENT;
}

int32_t gsample_matcher_accept(gsample_matcher* matcher, int32_t token) {
  return ask(matcher, token, [&]() -> int32_t { return matcher->matcher.accept(token) ? GSAMPLE_OK : GSAMPLE_ERROR_REFUSED; });
}

int32_t gsample_matcher_rollback(gsample_matcher* matcher, size_t n) {
  if (!matcher || n > matcher->matcher.n_accepted()) return GSAMPLE_ERROR_INVALID_ARGUMENT;
  matcher->matcher.rollback(n);
  return GSAMPLE_OK;
}

int32_t gsample_matcher_mask(gsample_matcher* matcher, uint32_t* words, size_t n_words) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!matcher || !words || n_words != matcher->matcher.vocab().n_words()) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    matcher->matcher.mask(words);
    return GSAMPLE_OK;
  });
}

int32_t gsample_matcher_constraint(gsample_matcher* matcher, gsample_constraint* constraint) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!matcher || !constraint || matcher->constrains) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    import_struct(constraint, "gsample_constraint");
    if (constraint->size < sizeof *constraint) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    gsample_constraint out = {};
    out.size = constraint->size;
    out.user = matcher;
    out.allows = [](void* user, int32_t token) { return in_vocab(user, token) ? gsample_matcher_allows(of(user), token) : 0; };
    out.accept = [](void* user, int32_t token) {
      return in_vocab(user, token) ? gsample_matcher_accept(of(user), token) : GSAMPLE_ERROR_REFUSED;
    };
    out.first_bytes = [](void* user, uint8_t table[256]) -> int32_t {
      of(user)->matcher.first_bytes(table);
      return GSAMPLE_OK;
    };
    out.first_byte = [](void* user, int32_t token) -> int32_t {
      const Vocab& vocab = of(user)->matcher.vocab();
      if (!vocab.is_token(token) || !vocab.is_text(static_cast<uint32_t>(token))) return GSAMPLE_ERROR_INVALID_ARGUMENT;
      return static_cast<uint8_t>(vocab.bytes(static_cast<uint32_t>(token))[0]);
    };
    out.mask = mask_row;
    out.can_stop = [](void* user) { return gsample_matcher_can_stop(of(user)); };
    out.clone = [](void* user, void** copy) -> int32_t {
      gsample_matcher* made = nullptr;
      int32_t status = gsample_matcher_clone(of(user), &made);
      if (status >= 0) *copy = made;
      return status;
    };
    out.destroy = [](void* user) { gsample_matcher_free(of(user)); };
    *constraint = out;
    matcher->constrains = true;
    return GSAMPLE_OK;
  });
}
