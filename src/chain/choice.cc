#include "chain/choice.h"

#include <algorithm>

#include "base/real.h"
#include "base/sized.h"
#include "dist/logprobs.h"

namespace gsample {

namespace {

Choice of_row(const ChoiceRequest& request, Run& run, Slot& slot) {
  RowLogprobs row(run.row(), slot.raw, &run.head());
  const auto value = [&](int32_t token) {
    const uint32_t id = static_cast<uint32_t>(token);
    return request.mode == GSAMPLE_LOGPROB_RAW ? row.logprob(id) : row.logit(id);
  };
  Choice out;
  out.chosen.token = static_cast<int32_t>(run.token());
  out.chosen.logprob = value(out.chosen.token);
  row.rank({&out.chosen, 1});
  out.n_written = static_cast<uint32_t>(row.top(request.top));
  for (gsample_logprob& item : request.top.first(out.n_written)) item.logprob = value(item.token);
  return out;
}

// Of the set that the token was drawn from.
Choice of_set(const ChoiceRequest& request, Run& run) {
  Head& head = run.head();
  const double log_total = log_f64(head.total()), max = static_cast<double>(head.max());
  const auto item = [&](size_t i) -> gsample_logprob {
    return {(static_cast<double>(head.value(i)) - max) - log_total, static_cast<int32_t>(head.id(i)), static_cast<int32_t>(i + 1)};
  };
  Choice out;
  out.chosen = item(run.place());
  for (; out.n_written < request.top.size() && head.reach(out.n_written); out.n_written++) request.top[out.n_written] = item(out.n_written);
  return out;
}

Choice of_law(const ChoiceRequest& request, const Run& run, const Dist& law) {
  const auto item = [&](size_t i) -> gsample_logprob {
    return {log_f64(law.weights()[i] / law.total()), law.ids()[i], static_cast<int32_t>(i + 1)};
  };
  Choice out;
  const auto at = std::find(law.ids().begin(), law.ids().end(), static_cast<int32_t>(run.token()));
  out.chosen = item(static_cast<size_t>(at - law.ids().begin()));
  for (; out.n_written < std::min(request.top.size(), law.ids().size()); out.n_written++) request.top[out.n_written] = item(out.n_written);
  return out;
}

}  // namespace

ChoiceRequest import_choice(const gsample_choice* from) {
  if (!from) return {};
  const gsample_choice choice = import_struct(from, "gsample_choice");
  if (choice.logprob_mode > GSAMPLE_LOGPROB_PROCESSED)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_choice: logprob_mode is %u, not one of GSAMPLE_LOGPROB_*", choice.logprob_mode);
  if (choice.n_top && !choice.top) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_choice: n_top is %u, top is NULL", choice.n_top);
  return {choice.logprob_mode, {choice.top, choice.n_top}};
}

Choice describe_choice(const ChoiceRequest& request, Run& run, const Dist* law, Slot& slot) {
  switch (request.mode) {
    case GSAMPLE_LOGPROB_RAW:
    case GSAMPLE_LOGPROB_RAW_LOGIT: return of_row(request, run, slot);
    case GSAMPLE_LOGPROB_PROCESSED: return law ? of_law(request, run, *law) : of_set(request, run);
    default: return {.chosen = {0, static_cast<int32_t>(run.token()), 0}};
  }
}

void export_choice(const Choice& choice, gsample_choice* to) {
  if (!to) return;
  gsample_choice out = import_struct(to, "gsample_choice");
  out.n_written = choice.n_written;
  out.token = choice.chosen.token;
  out.rank = choice.chosen.rank;
  out.logprob = choice.chosen.logprob;
  export_struct(out, to);
}

}  // namespace gsample
