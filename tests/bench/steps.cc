// A step of an engine: gsample_decide for 1 to 256 sequences of 128256 columns with chain b, on the calling thread and on two, and the
// verification of four drafts. "ns" is the median for the whole step.
#include <benchmark/benchmark.h>
#include <gsample/gsample.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "clock.h"
#include "rows.h"

namespace {

constexpr uint32_t kVocab = 128256;

// Two threads that wait for work, one of them the caller's.
class TwoThreads {
 public:
  TwoThreads() : helper_([this] { serve(); }) {}
  ~TwoThreads() {
    post(Work{});
    helper_.join();
  }
  static int32_t parallel_for(void* user, size_t n, void (*body)(void*, uint32_t, size_t), void* arg) {
    auto* self = static_cast<TwoThreads*>(user);
    self->next_ = 0;
    self->post({body, arg, n});
    self->drain({body, arg, n}, 0);
    while (!self->done_.load(std::memory_order_acquire)) {}
    return 0;
  }

 private:
  struct Work {
    void (*body)(void*, uint32_t, size_t) = nullptr;
    void* arg = nullptr;
    size_t n = 0;
  };
  void post(Work work) {
    done_.store(false, std::memory_order_release);
    const std::lock_guard lock(mutex_);
    work_ = work;
    posted_++;
    ready_.notify_one();
  }
  void drain(const Work& work, uint32_t worker) {
    for (size_t i; (i = next_++) < work.n;) work.body(work.arg, worker, i);
  }
  void serve() {
    for (uint64_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [&] { return posted_ != seen; });
      seen = posted_;
      const Work work = work_;
      lock.unlock();
      if (!work.body) return;
      drain(work, 1);
      done_.store(true, std::memory_order_release);
    }
  }

  std::atomic<size_t> next_{0};
  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::condition_variable ready_;
  Work work_;
  uint64_t posted_ = 0;
  std::thread helper_;
};

struct Batch {
  std::vector<gsample_sampler*> samplers;
  std::vector<gsample_sequence> sequences;
  std::vector<int32_t> tokens;
  std::vector<float> rows;  // of the sequence that speculates
  int32_t drafts[4];

  ~Batch() {
    for (gsample_sampler* sampler : samplers) gsample_free(sampler);
  }
};

gsample_sampler* new_sampler(uint64_t seed) {
  gsample_params params;
  params.size = sizeof params;
  gsample_params_init(&params);
  params.top_k = 40;
  params.min_p = 0.05f;
  params.temperature = 0.8f;
  params.seed = seed;
  gsample_sampler* sampler = nullptr;
  if (gsample_new(&params, &sampler, nullptr) == 0) gsample_reserve(sampler, kVocab, 1 << 16);
  return sampler;
}

void step(benchmark::State& state, Batch& batch, bool two_threads) {
  TwoThreads threads;
  gsample_executor executor{};
  executor.size = sizeof executor;
  executor.n_workers = 2;
  executor.user = &threads;
  executor.parallel_for = TwoThreads::parallel_for;
  gsample_workspace* workspace = nullptr;
  gsample_workspace_new(2, &workspace);
  Times times;
  for (auto _ : state) {
    int32_t failed = 0;
    state.SetIterationTime(1e-9 * times.take([&] {
      failed = gsample_decide(batch.sequences.data(), batch.sequences.size(), two_threads ? &executor : nullptr, workspace);
    }));
    if (failed) state.SkipWithError("a sequence failed");
  }
  state.counters["ns"] = times.median();
  state.counters["ns_row"] = times.median() / static_cast<double>(batch.tokens.size());
  gsample_workspace_free(workspace);
}

void plain_step(benchmark::State& state, size_t n, bool two_threads) {
  const Rows& rows = rows_of("model", kVocab);
  Batch batch;
  batch.tokens.resize(n);
  for (size_t i = 0; i < n; i++) {
    batch.samplers.push_back(new_sampler(i));
    gsample_sequence sequence{};
    sequence.size = sizeof sequence;
    sequence.n_vocab = kVocab;
    sequence.n_rows = 1;
    sequence.sampler = batch.samplers[i];
    sequence.logits = rows.rows[i % rows.size()].data();
    sequence.tokens = &batch.tokens[i];
    batch.sequences.push_back(sequence);
  }
  step(state, batch, two_threads);
}

// Four drafts, certain ones or of a distribution, that are mostly right.
void verification(benchmark::State& state, bool with_distributions) {
  const Rows& rows = rows_of("model", kVocab);
  Batch batch;
  batch.samplers.push_back(new_sampler(1));
  batch.tokens.resize(5);
  gsample_dist* dist = nullptr;
  gsample_dist_new(&dist);
  for (size_t i = 0; i < 5; i++) batch.rows.insert(batch.rows.end(), rows.rows[i].begin(), rows.rows[i].end());
  std::vector<const gsample_dist*> dists(4, nullptr);
  for (size_t i = 0; i < 4; i++) {
    gsample_row row{};
    row.size = sizeof row;
    row.n_vocab = kVocab;
    row.logits = &batch.rows[i * kVocab];
    batch.drafts[i] = gsample_best(&row);
    gsample_dist* one = nullptr;
    gsample_dist_new(&one);
    gsample_dist_from_row(one, batch.samplers[0], &row);
    dists[i] = one;
  }
  gsample_sequence sequence{};
  sequence.size = sizeof sequence;
  sequence.n_vocab = kVocab;
  sequence.n_rows = 5;
  sequence.n_drafts = 4;
  sequence.sampler = batch.samplers[0];
  sequence.logits = batch.rows.data();
  sequence.row_stride = static_cast<int64_t>(kVocab * sizeof(float));
  sequence.drafts = batch.drafts;
  sequence.draft_dists = with_distributions ? dists.data() : nullptr;
  sequence.tokens = batch.tokens.data();
  batch.sequences.push_back(sequence);
  step(state, batch, false);
  state.counters["tokens"] = batch.sequences[0].n_tokens;
  for (const gsample_dist* one : dists) gsample_dist_free(const_cast<gsample_dist*>(one));
  gsample_dist_free(dist);
}

}  // namespace

int main(int argc, char** argv) {
  for (size_t n : {1, 8, 64, 256})
    for (bool two_threads : {false, true})
      benchmark::RegisterBenchmark(("decide/" + std::to_string(n) + (two_threads ? "/two threads" : "/serial")).c_str(),
                                   [=](benchmark::State& state) { plain_step(state, n, two_threads); })
          ->UseManualTime()
          ->Iterations(n > 8 ? 60 : 400)
          ->Unit(benchmark::kMicrosecond);
  for (bool with_distributions : {false, true})
    benchmark::RegisterBenchmark(with_distributions ? "verify four drafts/distributions" : "verify four drafts/certain",
                                 [=](benchmark::State& state) { verification(state, with_distributions); })
        ->UseManualTime()
        ->Iterations(300)
        ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
