// Whole picks from rows that end where a page begins that cannot be read (and begin where one ends), with masks likewise, on every target
// that runs: nothing outside the row is read, nothing is written, and every target gives the same tokens.
#include <bit>
#include <vector>

#include "guarded.h"
#include "gsample/gsample.h"
#include "row/kernels.h"
#include "rows.h"
#include "unit.h"

using namespace gsample;

namespace {

struct Chain {
  const char* name;
  void (*set)(gsample_params*);
};

constexpr Chain kChains[] = {
    {"greedy", [](gsample_params* p) { p->temperature = 0; }},
    {"top-k", [](gsample_params* p) { p->top_k = 40, p->top_p = 0.95f, p->min_p = 0.05f, p->temperature = 0.8f; }},
    {"the whole row", [](gsample_params*) {}},
    {"top-p", [](gsample_params* p) { p->top_p = 0.9f; }},
    {"min-p", [](gsample_params* p) { p->min_p = 0.02f; }},
    {"typical-p", [](gsample_params* p) { p->typical_p = 0.9f; }},
    {"top-n-sigma", [](gsample_params* p) { p->top_n_sigma = 1; }},
    {"penalties", [](gsample_params* p) { p->penalty_repeat = 1.3f, p->penalty_freq = -0.1f, p->top_k = 20; }},
};
constexpr uint32_t kWidths[] = {1, 2, 7, 8, 9, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 40001};

// A row, and whether it and its mask lie at the end or at the beginning of what can be read.
struct GuardedRow {
  gsample_row row{};
  guarded logits, mask;

  GuardedRow(uint32_t n, uint32_t dtype, bool masked, bool last) {
    const size_t width = dtype == GSAMPLE_F32 ? 4 : 2, words = (n + 31) / 32;
    logits = guarded_new(n * width);
    mask = guarded_new(words * 4);
    row = {sizeof row, dtype, n, 0, last ? guarded_last(logits, n * width) : guarded_first(logits), nullptr};
    std::vector<float> values(n);
    rows_fill(values.data(), n, "cubic", 31, n);
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t bits = std::bit_cast<uint32_t>(values[i]);
      const uint16_t half = static_cast<uint16_t>(dtype == GSAMPLE_BF16 ? bits >> 16 : rows_splitmix64(i) % 0x4800);
      char* at = static_cast<char*>(const_cast<void*>(row.logits)) + i * width;
      if (dtype == GSAMPLE_F32) std::memcpy(at, &bits, 4);
      else std::memcpy(at, &half, 2);
    }
    uint32_t* bits = static_cast<uint32_t*>(last ? guarded_last(mask, words * 4) : guarded_first(mask));
    for (size_t w = 0; w < words; w++) bits[w] = static_cast<uint32_t>(rows_splitmix64(w + 5)) | (w == 0);
    if (masked) row.mask = bits;
  }
  ~GuardedRow() { guarded_free(logits), guarded_free(mask); }
};

// Three picks and a logprob of each, folded into one number.
uint64_t outcome(const Chain& chain, const GuardedRow& guarded) {
  gsample_params params{};
  params.size = sizeof params;
  gsample_params_init(&params);
  params.top_k = 0, params.top_p = 1;
  chain.set(&params);
  gsample_sampler* sampler = nullptr;
  assert_int_equal(gsample_new(&params, &sampler, nullptr), 0);
  uint64_t fold = 1469598103934665603u;
  for (int pick = 0; pick < 3; pick++) {
    gsample_logprob top[5];
    gsample_choice choice{};
    choice.size = sizeof choice, choice.logprob_mode = static_cast<uint32_t>(1 + pick), choice.n_top = 5, choice.top = top;
    const int32_t token = gsample_pick_row(sampler, &guarded.row, &choice);
    assert_in_range(token, 0, guarded.row.n_vocab - 1);
    if (guarded.row.mask) assert_true(guarded.row.mask[token / 32] >> token % 32 & 1);
    fold = (fold ^ static_cast<uint64_t>(token)) * 1099511628211u;
    fold = (fold ^ std::bit_cast<uint64_t>(choice.logprob)) * 1099511628211u;
    for (uint32_t i = 0; i < choice.n_written; i++) fold = (fold ^ static_cast<uint64_t>(top[i].token)) * 1099511628211u;
  }
  gsample_row_report report{};
  report.size = sizeof report;
  assert_int_equal(gsample_row_check(&guarded.row, &report), 0);
  assert_in_range(gsample_best(&guarded.row), 0, guarded.row.n_vocab - 1);
  gsample_logprob item = {0, static_cast<int32_t>(guarded.row.n_vocab - 1), 0};
  assert_int_equal(gsample_logprobs(&guarded.row, &item, 1), 0);
  gsample_free(sampler);
  return fold;
}

void picks_read_nothing_else(void**) {
  Target list[kMostKernels];
  const size_t n_targets = all_targets(list);
  for (uint32_t n : kWidths)
    for (uint32_t dtype : {GSAMPLE_F32, GSAMPLE_F16, GSAMPLE_BF16})
      for (bool masked : {false, true}) {
        GuardedRow last(n, dtype, masked, true), first(n, dtype, masked, false);
        for (const Chain& chain : kChains) {
          uint64_t expected = 0;
          for (size_t t = 0; t < n_targets; t++) {
            if (!list[t].runs) continue;
            force_kernels(list[t].kernels);
            const uint64_t a = outcome(chain, last), b = outcome(chain, first);
            if (t == 0) expected = a;
            if (a != expected || b != expected)
              fail_msg("%s: %s differs, n %u, dtype %u, mask %d", list[t].kernels->name, chain.name, n, dtype, masked);
          }
        }
      }
  force_kernels(nullptr);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(picks_read_nothing_else)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
