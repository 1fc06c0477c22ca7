// Rows by themselves: the best token, and what is in a row.
#include "abi/rows.h"

#include <cmath>
#include <cstddef>

#include "abi/guard.h"
#include "base/sized.h"
#include "dist/logprobs.h"

namespace gsample {

void check_row(const Row& row) {
  if (row.n == 0) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is 0; a row has at least one column");
  if (row.n > INT32_MAX) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is %u, more than 2147483647", row.n);
  if (row.dtype > GSAMPLE_BF16) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "dtype is %u, not one of GSAMPLE_F32, _F16, _BF16", row.dtype);
  if (!row.logits) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "logits is NULL");
  const uintptr_t alignment = row.dtype == GSAMPLE_F32 ? 4 : 2;
  if (reinterpret_cast<uintptr_t>(row.logits) % alignment) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "logits is not aligned to its type");
  if (reinterpret_cast<uintptr_t>(row.mask) % 4) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "mask is not aligned to its type");
}

Row import_row(const gsample_row* from) {
  const gsample_row row = import_struct(from, "gsample_row");
  if (row.reserved) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_row: reserved is %u, not 0", row.reserved);
  const Row out{row.logits, row.mask, row.n_vocab, row.dtype};
  check_row(out);
  return out;
}

}  // namespace gsample

using namespace gsample;

int32_t gsample_best(const gsample_row* row) {
  return guarded(nullptr, [&]() -> int32_t {
    Source source;
    source.row = import_row(row);
    Scratch scratch;
    Head head(scratch);
    head.open(source, {}, nullptr);
    uint32_t first;
    if (head.maxima().nan && count_nan(source, &first)) return GSAMPLE_ERROR_NOT_A_NUMBER;
    if (head.maxima().max == kInfinity) head.open_infinite();
    head.keep(1);
    if (!head.reach(0)) return GSAMPLE_ERROR_NO_CANDIDATE;
    return static_cast<int32_t>(head.id(0));
  });
}

int32_t gsample_row_check(const gsample_row* from, gsample_row_report* report) {
  return guarded(nullptr, [&]() -> int32_t {
    const Row row = import_row(from);
    import_struct(report, "gsample_row_report");
    gsample_row_report out{};
    out.first_bad = -1;
    out.min = kInfinity;
    out.max = -kInfinity;
    for (uint32_t id = 0; id < row.n; id++) {
      if (row.masked_out(id)) continue;
      const float logit = row_at(row, id);
      if (std::abs(logit) <= kFloatMax) {
        out.min = std::min(out.min, logit);
        out.max = std::max(out.max, logit);
        continue;
      }
      if (logit != logit) out.n_nan++;
      else if (logit > 0) out.n_pos_inf++;
      else out.n_neg_inf++;
      if (!(logit < 0) && out.first_bad < 0) out.first_bad = static_cast<int32_t>(id);
    }
    export_struct(out, report);
    return GSAMPLE_OK;
  });
}

int32_t gsample_logprobs(const gsample_row* from, gsample_logprob* items, size_t n) {
  return guarded(nullptr, [&]() -> int32_t {
    const Row row = import_row(from);
    if (n > INT32_MAX) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n is %zu, more than 2147483647", n);
    if (n && !items) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "items is NULL");
    for (size_t i = 0; i < n; i++)
      if (items[i].token < 0 || static_cast<uint32_t>(items[i].token) >= row.n)
        fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "token %d at place %zu is not in 0 .. %u", items[i].token, i, row.n - 1);
    Scratch scratch;
    const RowLogprobs logprobs(row, scratch);
    logprobs.rank({items, n});
    for (size_t i = 0; i < n; i++) items[i].logprob = logprobs.logprob(static_cast<uint32_t>(items[i].token));
    return GSAMPLE_OK;
  });
}
