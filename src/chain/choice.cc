#include "chain/choice.h"

#include <algorithm>
#include <numeric>

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
  slot.top.resize(row.top(slot.top));
  for (gsample_logprob& item : slot.top) item.logprob = value(item.token);
  return out;
}

// Of the set that the token was drawn from.
Choice of_set(Run& run, Slot& slot) {
  Head& head = run.head();
  const double log_total = log_f64(head.total()), max = static_cast<double>(head.max());
  const auto item = [&](size_t i) -> gsample_logprob {
    return {(static_cast<double>(head.value(i)) - max) - log_total, static_cast<int32_t>(head.id(i)), static_cast<int32_t>(i + 1)};
  };
  Choice out;
  out.chosen = item(run.place());
  size_t n = 0;
  if (head.descending()) {
    for (; n < slot.top.size() && head.reach(n); n++) slot.top[n] = item(n);
  } else {
    // adaptive-p: the likeliest need not come first.
    std::vector<size_t> places(head.held());
    std::iota(places.begin(), places.end(), size_t{0});
    n = std::min(slot.top.size(), places.size());
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(n), places.end(),
                      [&](size_t a, size_t b) { return head.value(a) != head.value(b) ? head.value(a) > head.value(b) : a < b; });
    for (size_t i = 0; i < n; i++) slot.top[i] = item(places[i]);
  }
  slot.top.resize(n);
  return out;
}

Choice of_law(const Run& run, const Dist& law, Slot& slot) {
  const auto item = [&](size_t i) -> gsample_logprob {
    return {log_f64(law.weights()[i] / law.total()), law.ids()[i], static_cast<int32_t>(i + 1)};
  };
  Choice out;
  const auto at = std::find(law.ids().begin(), law.ids().end(), static_cast<int32_t>(run.token()));
  out.chosen = item(static_cast<size_t>(at - law.ids().begin()));
  slot.top.resize(std::min(slot.top.size(), law.ids().size()));
  for (size_t i = 0; i < slot.top.size(); i++) slot.top[i] = item(i);
  return out;
}

}  // namespace

ChoiceRequest import_choice(const gsample_choice* from) {
  if (!from) return {};
  const gsample_choice choice = import_struct(from, "gsample_choice");
  if (choice.logprob_mode > GSAMPLE_LOGPROB_PROCESSED)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_choice: logprob_mode is %u, not one of GSAMPLE_LOGPROB_*", choice.logprob_mode);
  if (choice.n_top && !choice.top) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_choice: n_top is %u, top is NULL", choice.n_top);
  return {choice.logprob_mode, choice.n_top};
}

Choice describe_choice(const ChoiceRequest& request, Run& run, const Dist* law, Slot& slot) {
  Choice out;
  slot.top.resize(std::min(request.n_top, run.row().n));
  if (request.mode == GSAMPLE_LOGPROB_NONE) {
    slot.top.clear();
    out.chosen.token = static_cast<int32_t>(run.token());
  } else if (request.mode == GSAMPLE_LOGPROB_PROCESSED) {
    out = law ? of_law(run, *law, slot) : of_set(run, slot);
  } else {
    out = of_row(request, run, slot);
  }
  out.top = slot.top;
  return out;
}

void export_choice(const Choice& choice, gsample_choice* to) {
  if (!to) return;
  gsample_choice out = import_struct(to, "gsample_choice");
  out.n_written = static_cast<uint32_t>(choice.top.size());
  std::copy(choice.top.begin(), choice.top.end(), out.top);
  out.token = choice.chosen.token;
  out.rank = choice.chosen.rank;
  out.logprob = choice.chosen.logprob;
  export_struct(out, to);
}

}  // namespace gsample
