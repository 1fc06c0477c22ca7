// The step: many sequences in one call, on the caller's threads.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "abi/guard.h"
#include "abi/handles.h"
#include "abi/rows.h"
#include "base/sized.h"
#include "chain/decide.h"

using namespace gsample;

struct gsample_workspace {
  std::vector<Slot> slots;
};

namespace {

const Dist* dist_of(const gsample_dist* dist) { return dist; }

// The caller's array, stepped by the size it was compiled with.
class Sequences {
 public:
  Sequences(gsample_sequence* first, size_t n) : first_(first), n_(n) {}
  size_t size() const { return n_; }
  gsample_sequence& operator[](size_t i) const {
    return *reinterpret_cast<gsample_sequence*>(reinterpret_cast<char*>(first_) + i * first_->size);
  }

 private:
  gsample_sequence* first_;
  size_t n_;
};

// Checks one sequence by itself and runs it; all of its failures are its own.
int32_t run_sequence(const gsample_sequence* from, Slot* slot, uint32_t* n_tokens) noexcept {
  return guarded(nullptr, [&]() -> int32_t {
    const gsample_sequence s = import_struct(from, "gsample_sequence");
    if (s.n_rows == 0) return GSAMPLE_OK;
    need(s.sampler, "sampler");
    need(s.tokens, "tokens");
    if (s.reserved) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "reserved is %d, not 0", s.reserved);
    if (s.n_rows - 1 != s.n_drafts) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_rows is %u, not n_drafts + 1 = %u + 1", s.n_rows, s.n_drafts);
    if (s.n_drafts) need(s.drafts, "drafts");
    for (uint32_t i = 0; s.draft_dists && i < s.n_drafts; i++)
      if (s.draft_dists[i] && s.draft_dists[i]->ids().empty())
        fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "draft_dists[%u] is empty: no draft was drawn from it", i);
    const Row row{s.logits, s.masks, s.n_vocab, s.dtype};
    check_row(row);
    const int64_t alignment = s.dtype == GSAMPLE_F32 ? 4 : 2;
    if (s.n_rows > 1 && (s.row_stride % alignment || s.mask_stride % 4)) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "a stride breaks the alignment of its rows");
    const Sequence sequence{s.sampler, row, s.n_rows, s.row_stride, s.mask_stride, s.drafts, s.draft_dists, s.tokens, s.choices};
    return decide(sequence, dist_of, slot ? *slot : s.sampler->slot(), n_tokens);
  });
}

// What the executor's threads share.
struct Step {
  Sequences sequences;
  std::vector<Slot>* slots;              // one a worker; NULL: each sampler's own
  uint32_t n_workers;
  std::unique_ptr<std::atomic<bool>[]> started;

  void run(uint32_t worker, size_t i) noexcept {
    if (i >= sequences.size() || worker >= n_workers || started[i].exchange(true)) return;
    gsample_sequence& sequence = sequences[i];
    uint32_t n_tokens = 0;
    sequence.status = run_sequence(&sequence, slots ? &(*slots)[worker] : nullptr, &n_tokens);
    sequence.n_tokens = n_tokens;
  }
};

void check_samplers(const Sequences& sequences) {
  std::vector<const gsample_sampler*> samplers;
  for (size_t i = 0; i < sequences.size(); i++) {
    if (sequences[i].size != sequences[0].size)
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "sequence %zu has size %u, the first %u", i, sequences[i].size, sequences[0].size);
    if (sequences[i].n_rows && sequences[i].sampler) samplers.push_back(sequences[i].sampler);
  }
  std::sort(samplers.begin(), samplers.end());
  if (std::adjacent_find(samplers.begin(), samplers.end()) != samplers.end())
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "a sampler stands in two sequences");
}

}  // namespace

int32_t gsample_workspace_new(uint32_t n_workers, gsample_workspace** workspace) {
  return guarded(nullptr, [&]() -> int32_t {
    need(workspace, "workspace");
    if (n_workers == 0 || n_workers > 65536) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_workers is %u, not in 1 .. 65536", n_workers);
    auto made = std::make_unique<gsample_workspace>();
    made->slots.resize(n_workers);
    *workspace = made.release();
    return GSAMPLE_OK;
  });
}

void gsample_workspace_free(gsample_workspace* workspace) { delete workspace; }

int32_t gsample_decide(gsample_sequence* sequences, size_t n, const gsample_executor* from, gsample_workspace* workspace) {
  return guarded(nullptr, [&]() -> int32_t {
    if (n == 0) return 0;
    need(sequences, "sequences");
    if (n > INT32_MAX) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n is %zu, more than 2147483647", n);
    import_struct(sequences, "gsample_sequence");
    if (sequences->size < sizeof(gsample_sequence)) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "size is %u: no room for status", sequences->size);
    Step step{{sequences, n}, workspace ? &workspace->slots : nullptr, 1, std::make_unique<std::atomic<bool>[]>(n)};
    check_samplers(step.sequences);
    gsample_executor executor{};
    if (from) {
      executor = import_struct(from, "gsample_executor");
      if (!executor.parallel_for) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_executor: parallel_for is NULL");
      if (executor.n_workers == 0) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_executor: n_workers is 0");
      step.n_workers = executor.n_workers;
    }
    if (step.slots && step.slots->size() < step.n_workers)
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "the workspace has %zu slots for %u workers", step.slots->size(), step.n_workers);
    for (size_t i = 0; i < n; i++) {
      step.sequences[i].n_tokens = 0;
      step.sequences[i].status = GSAMPLE_ERROR_CALLBACK;
    }
    if (from) {
      executor.parallel_for(
          executor.user, n, [](void* arg, uint32_t worker, size_t i) { static_cast<Step*>(arg)->run(worker, i); }, &step);
    } else {
      for (size_t i = 0; i < n; i++) step.run(0, i);
    }
    int32_t failed = 0;
    for (size_t i = 0; i < n; i++) failed += step.sequences[i].status < 0;
    return failed;
  });
}
