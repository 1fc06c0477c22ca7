// Distributions.
#include <algorithm>

#include "abi/float_environment.h"
#include "abi/guard.h"
#include "abi/handles.h"
#include "abi/rows.h"
#include "chain/run.h"

using namespace gsample;

int32_t gsample_dist_new(gsample_dist** dist) {
  return guarded(nullptr, [&]() -> int32_t {
    need(dist, "dist");
    *dist = new gsample_dist;
    return GSAMPLE_OK;
  });
}

void gsample_dist_free(gsample_dist* dist) { delete dist; }

int32_t gsample_dist_set(gsample_dist* dist, const int32_t* tokens, const double* weights, size_t n) {
  return guarded(nullptr, [&]() -> int32_t {
    need(dist, "dist");
    const std::span<const int32_t> ids = tokens_of(tokens, n);
    if (n) need(weights, "weights");
    dist->set(ids, {weights, n});
    return GSAMPLE_OK;
  });
}

int32_t gsample_dist_from_row(gsample_dist* dist, gsample_sampler* sampler, const gsample_row* row) {
  return guarded(nullptr, [&]() -> int32_t {
    need(dist, "dist");
    need(sampler, "sampler");
    Dist out;
    Run run(*sampler, sampler->slot(), import_row(row));
    run.distribution(out);
    run.commit_numbers();
    static_cast<Dist&>(*dist) = std::move(out);
    return GSAMPLE_OK;
  });
}

int32_t gsample_dist_from_candidates(gsample_dist* dist, gsample_sampler* sampler, const int32_t* tokens, const float* logits, size_t n,
                                     uint32_t n_vocab, int32_t exact) {
  const int32_t status = guarded(nullptr, [&]() -> int32_t {
    need(dist, "dist");
    need(sampler, "sampler");
    if (n) need(logits, "logits");
    if (n_vocab == 0 || n_vocab > INT32_MAX) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is %u, not in 1 .. 2147483647", n_vocab);
    const std::span<const int32_t> ids = tokens_of(tokens, n);
    std::vector<int32_t> sorted(ids.begin(), ids.end());
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < n; i++) {
      if (sorted[i] < 0 || static_cast<uint32_t>(sorted[i]) >= n_vocab)
        fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "token %d is not in 0 .. %u", sorted[i], n_vocab - 1);
      if (i > 0 && sorted[i] == sorted[i - 1]) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "token %d stands twice", sorted[i]);
    }
    Dist out;
    const Run::Candidates candidates{ids, {logits, n}, n_vocab, exact != 0};
    Run run(*sampler, sampler->slot(), candidates);
    run.distribution(out);
    run.commit_numbers();
    static_cast<Dist&>(*dist) = std::move(out);
    return GSAMPLE_OK;
  });
  if (status == GSAMPLE_ERROR_INEXACT) dist->clear();
  return status;
}

size_t gsample_dist_size(const gsample_dist* dist) { return dist ? dist->ids().size() : 0; }
const int32_t* gsample_dist_ids(const gsample_dist* dist) { return dist ? dist->ids().data() : nullptr; }
const double* gsample_dist_weights(const gsample_dist* dist) { return dist ? dist->weights().data() : nullptr; }
double gsample_dist_total(const gsample_dist* dist) { return dist ? dist->total() : 0; }

double gsample_dist_chance(const gsample_dist* dist, int32_t token) {
  const FloatEnvironment environment;
  return dist ? dist->chance(token) : 0;
}

int32_t gsample_dist_draw(const gsample_dist* dist, gsample_sampler* sampler) {
  return guarded(nullptr, [&]() -> int32_t {
    need(dist, "dist");
    need(sampler, "sampler");
    return dist->draw(sampler->rng());
  });
}

int32_t gsample_dist_residual(const gsample_dist* p, const gsample_dist* q, gsample_dist* out) {
  return guarded(nullptr, [&]() -> int32_t {
    need(p, "p");
    need(q, "q");
    need(out, "out");
    out->set_residual(*p, *q);
    return GSAMPLE_OK;
  });
}
