// The sampler's life and state.
#include <cstring>
#include <memory>

#include "abi/float_environment.h"
#include "abi/guard.h"
#include "abi/handles.h"
#include "base/sized.h"
#include "chain/saved.h"
#include "params/params.h"

using namespace gsample;

int32_t gsample_new(const gsample_params* params, gsample_sampler** sampler, gsample_error* error) {
  return guarded(error, [&]() -> int32_t {
    need(sampler, "sampler");
    *sampler = new gsample_sampler(import_params(params));
    return GSAMPLE_OK;
  });
}

void gsample_free(gsample_sampler* sampler) { delete sampler; }

int32_t gsample_clone(const gsample_sampler* sampler, gsample_sampler** copy) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    need(copy, "copy");
    auto made = std::make_unique<gsample_sampler>(sampler->state().params);
    made->assign(*sampler);
    *copy = made.release();
    return GSAMPLE_OK;
  });
}

int32_t gsample_assign(gsample_sampler* to, const gsample_sampler* from) {
  return guarded(nullptr, [&]() -> int32_t {
    need(to, "to");
    need(from, "from");
    to->assign(*from);
    return GSAMPLE_OK;
  });
}

int32_t gsample_reset(gsample_sampler* sampler) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    sampler->reset();
    return GSAMPLE_OK;
  });
}

int32_t gsample_reserve(gsample_sampler* sampler, uint32_t n_vocab, size_t n_tokens) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    if (n_vocab > INT32_MAX || n_tokens > INT32_MAX) return GSAMPLE_ERROR_INVALID_ARGUMENT;
    sampler->reserve(n_vocab, n_tokens);
    return GSAMPLE_OK;
  });
}

int64_t gsample_memory(const gsample_sampler* sampler) {
  return sampler ? static_cast<int64_t>(sampler->memory()) : GSAMPLE_ERROR_INVALID_ARGUMENT;
}

int32_t gsample_set_params(gsample_sampler* sampler, const gsample_params* params, gsample_error* error) {
  return guarded(error, [&]() -> int32_t {
    need(sampler, "sampler");
    sampler->set_params(import_params(params));
    return GSAMPLE_OK;
  });
}

int32_t gsample_rng_seed(gsample_sampler* sampler, uint64_t seed) {
  if (!sampler) return GSAMPLE_ERROR_INVALID_ARGUMENT;
  sampler->rng() = Pcg::seeded(seed);
  return GSAMPLE_OK;
}

double gsample_uniform(gsample_sampler* sampler) {
  if (!sampler) return GSAMPLE_ERROR_INVALID_ARGUMENT;
  const FloatEnvironment environment;
  return sampler->rng().uniform();
}

int32_t gsample_seed(gsample_sampler* sampler, const int32_t* tokens, size_t n) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    sampler->seed(tokens_of(tokens, n));
    return GSAMPLE_OK;
  });
}

int32_t gsample_accept(gsample_sampler* sampler, int32_t token) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    sampler->accept(token);
    return GSAMPLE_OK;
  });
}

int32_t gsample_bias(gsample_sampler* sampler, const int32_t* tokens, const float* biases, size_t n) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    if (n) need(biases, "biases");
    sampler->set_bias(tokens_of(tokens, n), {biases, n});
    return GSAMPLE_OK;
  });
}

int32_t gsample_stop(gsample_sampler* sampler, const int32_t* tokens, size_t n) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    sampler->set_stops(tokens_of(tokens, n));
    return GSAMPLE_OK;
  });
}

int32_t gsample_dry_breaker(gsample_sampler* sampler, const int32_t* tokens, size_t n) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    sampler->add_breaker(tokens_of(tokens, n));
    return GSAMPLE_OK;
  });
}

int32_t gsample_set_custom(gsample_sampler* sampler, const gsample_custom* custom) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!custom) {
      need(sampler, "sampler");
      sampler->set_custom(Custom());
      return GSAMPLE_OK;
    }
    const gsample_custom callbacks = import_struct(custom, "gsample_custom");
    Custom made(callbacks);  // from here on `user` is ours, and destroyed on failure too
    need(sampler, "sampler");
    if (callbacks.reserved) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_custom: reserved is %u, not 0", callbacks.reserved);
    if (!callbacks.apply) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_custom: apply is NULL");
    sampler->set_custom(std::move(made));
    return GSAMPLE_OK;
  });
}

int32_t gsample_constrain(gsample_sampler* sampler, const gsample_constraint* constraint) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!constraint) {
      need(sampler, "sampler");
      sampler->set_constraint(Constraint());
      return GSAMPLE_OK;
    }
    const gsample_constraint callbacks = import_struct(constraint, "gsample_constraint");
    Constraint made(callbacks);  // from here on `user` is ours, and destroyed on failure too
    need(sampler, "sampler");
    sampler->set_constraint(std::move(made));
    return GSAMPLE_OK;
  });
}

int32_t gsample_shaped(const gsample_sampler* sampler) { return sampler ? sampler->shaped() : GSAMPLE_ERROR_INVALID_ARGUMENT; }

int64_t gsample_candidates_needed(const gsample_sampler* sampler) {
  return sampler ? static_cast<int64_t>(sampler->candidates_needed()) : GSAMPLE_ERROR_INVALID_ARGUMENT;
}

int64_t gsample_save(const gsample_sampler* sampler, void* bytes, size_t capacity) {
  return guarded(nullptr, [&]() -> int64_t {
    need(sampler, "sampler");
    const std::vector<uint8_t> saved = save(*sampler);
    if (capacity > 0) {
      need(bytes, "bytes");
      if (capacity < saved.size()) fail(GSAMPLE_ERROR_BUFFER, "capacity is %zu, the state has %zu bytes", capacity, saved.size());
      std::memcpy(bytes, saved.data(), saved.size());
    }
    return static_cast<int64_t>(saved.size());
  });
}

int32_t gsample_load(gsample_sampler** sampler, const void* bytes, size_t n, gsample_error* error) {
  return guarded(error, [&]() -> int32_t {
    need(sampler, "sampler");
    if (n) need(bytes, "bytes");
    *sampler = new gsample_sampler(load({static_cast<const uint8_t*>(bytes), n}));
    return GSAMPLE_OK;
  });
}
