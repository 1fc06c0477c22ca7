#include "chain/decide.h"

#include <algorithm>
#include <exception>

namespace gsample {

namespace {

Row row_of(const Sequence& sequence, uint32_t i) {
  Row row = sequence.first_row;
  row.logits = static_cast<const char*>(row.logits) + int64_t{i} * sequence.row_stride;
  if (row.mask) row.mask = reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(row.mask) + int64_t{i} * sequence.mask_stride);
  return row;
}

gsample_choice* choice_of(const Sequence& sequence, uint32_t i) {
  if (!sequence.choices) return nullptr;
  return reinterpret_cast<gsample_choice*>(reinterpret_cast<char*>(sequence.choices) + size_t{i} * sequence.choices->size);
}

// The token in the place of a draft that was drawn from q; `law` is what a pick would draw from.
uint32_t verify(Run& run, int32_t draft, const Dist& q, const Dist& law) {
  if (law.ids().size() < 2) return static_cast<uint32_t>(law.ids()[0]);
  if (run.uniform() * q.chance(draft) < law.chance(draft)) return static_cast<uint32_t>(draft);
  Dist rest;
  rest.set_residual(law, q);
  return static_cast<uint32_t>(run.draw_from(rest));
}

}  // namespace

int32_t decide(const Sequence& sequence, const Dist* (*dist_of)(const gsample_dist*), Slot& slot, uint32_t* n_tokens) noexcept {
  *n_tokens = 0;
  try {
    for (uint32_t i = 0; sequence.choices && i < sequence.n_rows; i++)
      if (choice_of(sequence, i)->size != sequence.choices->size) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "choice %u has another size", i);
    Sampler& sampler = *sequence.sampler;
    const std::vector<uint32_t>& stops = sampler.state().stops;
    for (uint32_t i = 0; i < sequence.n_rows; i++) {
      const bool drafted = i + 1 < sequence.n_rows;
      const Dist* q = drafted && sequence.draft_dists ? dist_of(sequence.draft_dists[i]) : nullptr;
      const ChoiceRequest request = import_choice(choice_of(sequence, i));
      Run run(sampler, slot, row_of(sequence, i));
      Dist law;
      if (q) {
        run.distribution(law);
        run.choose(verify(run, sequence.drafts[i], *q, law), law);
      } else {
        run.choose();
      }
      const Choice choice = describe_choice(request, run, q ? &law : nullptr, slot);
      run.commit();
      export_choice(choice, choice_of(sequence, i));
      const int32_t token = static_cast<int32_t>(run.token());
      sequence.tokens[i] = token;
      *n_tokens = i + 1;
      if (std::binary_search(stops.begin(), stops.end(), run.token())) break;
      if (drafted && sequence.drafts[i] != token) break;
    }
    return GSAMPLE_OK;
  } catch (const Failure& failure) {
    return failure.status;
  } catch (const std::exception&) {
    return GSAMPLE_ERROR_OUT_OF_MEMORY;
  }
}

}  // namespace gsample
