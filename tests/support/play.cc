// See play.h.
#include "play.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include "fields.h"

namespace {

template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

bool same_bits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

// LAZY with a constraint draws first and asks then, so one draw from its law takes other numbers than a pick.
bool exact_law(const Case& c) {
  if (!c.changes.empty() && c.rule.on) return false;
  return !c.rule.on || c.params.temperature <= 0 || c.params.constraint_mode != GSAMPLE_CONSTRAINT_LAZY;
}
bool may_compare_law(const Case& c) { return exact_law(c) || (c.params.xtc_probability <= 0 && c.changes.empty()); }

std::string law_difference(const Case& c, const Distribution& a, const Distribution& b) {
  if (!exact_law(c)) {
    std::map<int32_t, double> gap;
    for (size_t i = 0; i < a.ids.size(); i++) gap[a.ids[i]] += a.weights[i];
    for (size_t i = 0; i < b.ids.size(); i++) gap[b.ids[i]] -= b.weights[i];
    for (auto& [id, g] : gap)
      if (!(std::fabs(g) < 1e-6)) return text("law: weight of %d differs by %g", id, g);
    return "";
  }
  if (a.ids.size() != b.ids.size()) return text("law: %zu ids expected, got %zu", a.ids.size(), b.ids.size());
  for (size_t i = 0; i < a.ids.size(); i++) {
    if (a.ids[i] != b.ids[i]) return text("law: id %d expected at %zu, got %d", a.ids[i], i, b.ids[i]);
    if (!same_bits(a.weights[i], b.weights[i]))
      return text("law: weight of %d at %zu: %.17g expected, got %.17g", a.ids[i], i, a.weights[i], b.weights[i]);
  }
  return "";
}

std::string params_text(const gsample_params& params) {
  std::string out;
  gsample_params init = default_params();
  for (const Field& f : kFields)
    if (std::string value = field_text(f, params); value != field_text(f, init)) out.append(" ").append(f.name).append("=").append(value);
  out += " order=";
  for (int32_t stage : params.order)
    if (stage) out += text("%d,", stage);
  return out;
}

}  // namespace

uint64_t fold64(uint64_t hash, uint32_t bits) { return (hash ^ bits) * 1099511628211u; }

Trace play(const Case& c, Engine& engine, Detail detail) {
  Trace trace;
  auto setup = [&](int32_t status) { trace.setup = trace.setup < 0 ? trace.setup : std::min(status, 0); };
  if (!c.bias.empty()) setup(engine.bias(c.bias));
  for (auto& b : c.breakers) setup(engine.breaker(b));
  if (!c.prompt.empty()) setup(engine.seed(c.prompt));
  if (c.rule.on) setup(engine.constrain(c.rule));
  if (c.custom) setup(engine.custom(c.custom));
  for (size_t p = 0; p < c.n_picks && trace.setup >= 0; p++) {
    RowData row = c.row(p);
    Step step;
    if (p < c.forced.size() && c.forced[p] >= 0) step.forced = engine.accept(c.forced[p]);
    if (detail == Detail::ALL) {
      if (may_compare_law(c)) step.law = engine.clone()->distribution(row, &step.distribution);
      if (exact_law(c)) {
        auto copy = engine.clone();
        step.drawn = copy->draw(row);
        step.next_drawn = copy->uniform();
      }
    }
    step.token = engine.pick(row);
    if (detail == Detail::ALL) step.next = engine.clone()->uniform();
    if (p < c.changes.size()) setup(engine.set_params(c.changes[p]));
    if (p == c.reset_after) setup(engine.reset());
    if (c.reload) setup(engine.reload());
    trace.steps.push_back(step);
  }
  trace.next = engine.uniform();
  return trace;
}

std::string difference(const Case& c, const Trace& expected, const Trace& got) {
  if (expected.setup != got.setup) return text("set-up: status %d expected, got %d", expected.setup, got.setup);
  for (size_t p = 0; p < expected.steps.size(); p++) {
    const Step &a = expected.steps[p], &b = got.steps[p];
    std::string at = text("pick %zu: ", p);
    if (a.forced != b.forced) return at + text("accept gave %d, expected %d", b.forced, a.forced);
    if (a.law != b.law) return at + text("law: status %d expected, got %d", a.law, b.law);
    if (std::string d = law_difference(c, a.distribution, b.distribution); !d.empty()) return at + d;
    if (a.drawn != b.drawn) return at + text("draw: token %d expected, got %d", a.drawn, b.drawn);
    if (!same_bits(a.next_drawn, b.next_drawn)) return at + text("the generator differs after a draw that gave %d", a.drawn);
    if (a.token != b.token) return at + text("token %d expected, got %d", a.token, b.token);
    if (!same_bits(a.next, b.next)) return at + text("the generator differs after token %d", a.token);
  }
  return same_bits(expected.next, got.next) ? "" : "the generator differs at the end";
}

std::string describe(const Case& c) {
  std::string out = c.name + ":" + params_text(c.params);
  auto list = [&](const char* name, const std::vector<int32_t>& items) {
    if (items.empty()) return;
    out += text("\n  %s (%zu):", name, items.size());
    for (size_t i = 0; i < items.size() && i < 40; i++) out += text(" %d", items[i]);
  };
  list("prompt", c.prompt);
  list("forced", c.forced);
  for (auto& b : c.breakers) list("breaker", b);
  if (!c.bias.empty()) out += "\n  bias:";
  for (auto& [id, b] : c.bias) out += text(" %d:%.9g", id, b);
  if (c.rule.on) {
    out += text("\n  constraint: modulus %lld shift %lld mask %d lead bytes %d", static_cast<long long>(c.rule.modulus),
                static_cast<long long>(c.rule.shift), c.rule.with_mask, c.rule.with_lead_bytes);
    list("allowed", c.rule.list);
    list("after", c.rule.after);
  }
  if (c.custom) out += text("\n  custom %d", c.custom);
  for (size_t p = 0; p < c.n_picks; p++) {
    RowData row = c.row(p);
    out += text("\n  row %zu: n_vocab %zu dtype %u:", p, row.values.size(), row.dtype);
    for (size_t i = 0; i < row.values.size() && i < 40; i++) {
      bool counts = row.mask.empty() || (row.mask[i / 32] >> i % 32 & 1);
      out += text(counts ? " %.9g" : " (%.9g)", row.values[i]);
    }
  }
  for (size_t i = 0; i < c.changes.size(); i++) out += text("\n  after pick %zu:", i) + params_text(c.changes[i]);
  if (c.reset_after < c.n_picks) out += text("\n  reset after pick %zu", c.reset_after);
  return out + text("\n  picks %zu reload %d", c.n_picks, c.reload);
}
