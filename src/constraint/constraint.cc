#include "constraint/constraint.h"

#include <utility>

namespace gsample {

namespace {

int32_t checked(int32_t result, const char* callback) {
  if (result < 0) fail(result, "the constraint's %s returned status %d", callback, result);
  return result;
}

}  // namespace

Constraint::Constraint(const gsample_constraint& callbacks) : callbacks_(callbacks) {
  try {
    if (!callbacks.allows) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_constraint: allows is NULL");
    if (callbacks.n_after && !callbacks.after) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_constraint: after is NULL");
    for (size_t i = 0; i < callbacks.n_after; i++)
      if (callbacks.after[i] < 0) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_constraint: token %d in after is negative", callbacks.after[i]);
    after_.assign(callbacks.after, callbacks.after + callbacks.n_after);
    fallback_.assign(after_.size() + 1, 0);
  } catch (...) {
    if (callbacks_.destroy) callbacks_.destroy(callbacks_.user);  // the destructor does not run
    throw;
  }
  for (size_t i = 1, k = 0; i < after_.size(); i++) {
    while (k > 0 && after_[i] != after_[k]) k = fallback_[k];
    if (after_[i] == after_[k]) k++;
    fallback_[i + 1] = static_cast<uint32_t>(k);
  }
}

Constraint::~Constraint() {
  if (callbacks_.destroy) callbacks_.destroy(callbacks_.user);
}

void Constraint::swap(Constraint& other) noexcept {
  std::swap(callbacks_, other.callbacks_);
  after_.swap(other.after_);
  fallback_.swap(other.fallback_);
  std::swap(matched_, other.matched_);
}

Constraint Constraint::clone() const {
  Constraint copy;
  if (!*this) return copy;
  if (!callbacks_.clone) fail(GSAMPLE_ERROR_UNSUPPORTED, "the sampler's constraint has no clone");
  copy.after_ = after_;
  copy.fallback_ = fallback_;
  copy.matched_ = matched_;
  void* user = nullptr;
  checked(callbacks_.clone(callbacks_.user, &user), "clone");
  copy.callbacks_ = callbacks_;
  copy.callbacks_.user = user;
  return copy;
}

void Constraint::follow(uint32_t token) noexcept {
  while (matched_ > 0 && static_cast<uint32_t>(after_[matched_]) != token) matched_ = fallback_[matched_];
  if (static_cast<uint32_t>(after_[matched_]) == token) matched_++;
}

bool Constraint::allows(uint32_t token) const {
  return checked(callbacks_.allows(callbacks_.user, static_cast<int32_t>(token)), "allows") > 0;
}

void Constraint::accept(uint32_t token) {
  if (callbacks_.accept) checked(callbacks_.accept(callbacks_.user, static_cast<int32_t>(token)), "accept");
}

void Constraint::mask(std::vector<uint32_t>& words, uint32_t n_vocab) const {
  words.assign((size_t{n_vocab} + 31) / 32, 0);
  if (callbacks_.mask) {
    checked(callbacks_.mask(callbacks_.user, words.data(), words.size()), "mask");
    if (n_vocab % 32) words.back() &= (uint32_t{1} << n_vocab % 32) - 1;
    return;
  }
  const FirstBytes table = first_bytes();
  for (uint32_t token = 0; token < n_vocab; token++)
    if (may_begin(table, token) && allows(token)) words[token / 32] |= uint32_t{1} << token % 32;
}

Constraint::FirstBytes Constraint::first_bytes() const {
  FirstBytes table;
  if (!callbacks_.first_bytes || !callbacks_.first_byte) return table;
  checked(callbacks_.first_bytes(callbacks_.user, table.may_begin), "first_bytes");
  table.known = true;
  return table;
}

bool Constraint::may_begin(const FirstBytes& table, uint32_t token) const {
  if (!table.known) return true;
  const int32_t byte = callbacks_.first_byte(callbacks_.user, static_cast<int32_t>(token));
  return byte < 0 || byte > 255 || table.may_begin[byte] != 0;  // without a first byte: to be asked about
}

}  // namespace gsample
