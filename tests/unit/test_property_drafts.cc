// Steps with drafts over random chains. Certain drafts, and any drafts of a greedy sampler, give the tokens of picks without drafts and
// leave the sampler as those do, whatever the drafts are. Drafts with distributions are verified as the plain reference does it, number by
// number. Chains, rows, masks, histories and constraints are those of test_property.cc, and GSAMPLE_PROPERTY_* work as there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "dice.h"
#include "test_property_cases.h"

extern "C" {
#include <cmocka.h>
}

namespace {

enum class Kind { CERTAIN, GREEDY, DRAWN };

bool has_stage(const gsample_params& p, int32_t stage) { return std::count(std::begin(p.order), std::end(p.order), stage) > 0; }

// Where the reference knows what a step with distributions does to the bit: see play.cc for LAZY, engine.h for mu and averages.
bool can_verify(const Case& c) {
  return !(c.rule.on && c.params.constraint_mode == GSAMPLE_CONSTRAINT_LAZY) && !has_stage(c.params, GSAMPLE_STAGE_MIROSTAT) &&
         !has_stage(c.params, GSAMPLE_STAGE_ADAPTIVE_P);
}

// The first row of the case, its columns moved round.
RowData moved(RowData row, size_t by) {
  by %= row.values.size();
  std::rotate(row.values.begin(), row.values.begin() + static_cast<ptrdiff_t>(by), row.values.end());
  if (!row.half.empty()) std::rotate(row.half.begin(), row.half.begin() + static_cast<ptrdiff_t>(by), row.half.end());
  return row;
}

bool set_up(const Case& c, Engine& engine) {
  int32_t status = engine.bias(c.bias) | engine.seed(c.prompt) | engine.constrain(c.rule) | engine.custom(c.custom);
  for (auto& b : c.breakers) status |= engine.breaker(b);
  for (int32_t token : c.forced) engine.accept(token);
  return status == 0;
}

// What the sampler itself would pick, so that most drafts stand, and some that are anything.
std::vector<int32_t> drafts_for(Dice& dice, Engine& ahead, const std::vector<RowData>& rows) {
  const size_t n = rows[0].values.size();
  std::vector<int32_t> drafts;
  for (size_t i = 0; i + 1 < rows.size(); i++) {
    int32_t draft = ahead.pick(rows[i]);
    if (draft < 0 || dice.below(5) == 0) draft = static_cast<int32_t>(dice.below(n + 2)) - 1;
    drafts.push_back(draft);
  }
  return drafts;
}

// What the sampler would draw from, bent; or some tokens, the draft among them or not. As gsample_dist_set puts it: largest weight first.
Distribution random_q(Dice& dice, Engine& ahead, const RowData& row, int32_t draft) {
  Distribution from, out;
  if (dice.below(3)) ahead.clone()->distribution(row, &from);
  for (size_t i = 0; i < dice.below(8); i++) from.ids.push_back(static_cast<int32_t>(dice.below(row.values.size())));
  if (from.ids.empty()) from.ids.push_back(std::max(draft, 0));
  std::sort(from.ids.begin(), from.ids.end());
  from.ids.erase(std::unique(from.ids.begin(), from.ids.end()), from.ids.end());
  std::vector<std::pair<double, int32_t>> items;
  for (int32_t id : from.ids) items.push_back({-static_cast<double>(1 + dice.below(100)) / 64, id});
  std::sort(items.begin(), items.end());
  for (auto [w, id] : items) out.ids.push_back(id), out.weights.push_back(-w);
  return out;
}

Decided by_picks(Engine& engine, const std::vector<RowData>& rows, const std::vector<int32_t>& drafts) {
  Decided out;
  for (size_t i = 0; i < rows.size(); i++) {
    const int32_t token = engine.pick(rows[i]);
    if (token < 0) {
      out.status = token;
      break;
    }
    out.tokens.push_back(token);
    if (i < drafts.size() && drafts[i] != token) break;
  }
  return out;
}

std::string text_of(size_t step, const Decided& d) {
  std::string out("step ");
  out.append(std::to_string(step)).append(", status ").append(std::to_string(d.status)).append(", tokens");
  for (int32_t token : d.tokens) out.append(" ").append(std::to_string(token));
  return out;
}

struct Count {
  size_t steps = 0, tokens = 0;
};

// Empty where both agree through three steps.
std::string disagreement(const Case& c, Kind kind, uint64_t seed, Count* count = nullptr) {
  Dice dice{rows_splitmix64(seed)};
  gsample_error error = {};
  error.size = sizeof error;
  auto deciding = library_engine(c.params, &error);
  if (!deciding) return std::string("refused: ") + error.message;
  auto plain = kind == Kind::DRAWN ? reference_engine(c.params) : library_engine(c.params, nullptr);
  if (!set_up(c, *deciding) || !set_up(c, *plain)) return "refused: set-up";
  for (size_t step = 0; step < 3; step++) {
    std::vector<RowData> rows;
    for (size_t i = 0, n = 1 + dice.below(5); i < n; i++) rows.push_back(moved(c.row(0), step * 5 + i * dice.below(4)));
    auto ahead = deciding->clone();
    const std::vector<int32_t> drafts = drafts_for(dice, *ahead, rows);
    std::vector<Distribution> q;
    ahead = deciding->clone();
    for (size_t i = 0; kind != Kind::CERTAIN && i < drafts.size(); i++) {
      q.push_back(random_q(dice, *ahead, rows[i], drafts[i]));
      ahead->pick(rows[i]);
    }
    const Decided got = deciding->decide(rows, drafts, q);
    const Decided expected = kind == Kind::DRAWN ? plain->decide(rows, drafts, q) : by_picks(*plain, rows, drafts);
    const std::string at = text_of(step, expected) + " expected, got " + text_of(step, got);
    if (!(got == expected)) return at;
    if (std::bit_cast<uint64_t>(deciding->clone()->uniform()) != std::bit_cast<uint64_t>(plain->clone()->uniform()))
      return "the generator differs: " + at;
    if (count) count->steps++, count->tokens += got.tokens.size();
  }
  return "";
}

void run(Kind kind) {
  const uint64_t seed = setting("GSAMPLE_PROPERTY_SEED", 1), n = setting("GSAMPLE_PROPERTY_CASES", 100000) / 5,
                 first = setting("GSAMPLE_PROPERTY_FIRST", 0);
  uint64_t failures = 0;
  Count count;
  for (uint64_t i = first; i < first + n && failures < 3; i++) {
    Case c = random_case(seed, i);
    if (kind == Kind::GREEDY) c.params.temperature = i % 2 ? 0.0f : -1.0f;
    if (kind == Kind::GREEDY && !has_stage(c.params, GSAMPLE_STAGE_TEMPERATURE)) continue;
    if (kind == Kind::DRAWN && !can_verify(c)) continue;
    const std::string what = disagreement(c, kind, i, &count);
    if (what.empty()) continue;
    const Case small = shrink(c, [&](const Case& s) {
      const std::string w = disagreement(s, kind, i);
      return (kind != Kind::DRAWN || can_verify(s)) && !w.empty() && w.starts_with("refused") == what.starts_with("refused");
    });
    const std::string report =
        describe(c) + "\n  " + what + "\nas small as it gets: " + describe(small) + "\n  " + disagreement(small, kind, i) + "\n\n";
    fwrite(report.data(), 1, report.size(), stdout);
    failures++;
  }
  print_message("%zu steps, %zu tokens\n", count.steps, count.tokens);
  assert_int_equal(failures, 0);
  assert_true(count.steps > n / 2);
}

void certain_drafts_are_plain_picks(void**) { run(Kind::CERTAIN); }
void greedy_drafts_are_plain_picks(void**) { run(Kind::GREEDY); }
void drawn_drafts_are_verified_as_said(void**) { run(Kind::DRAWN); }

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(certain_drafts_are_plain_picks), cmocka_unit_test(greedy_drafts_are_plain_picks),
                              cmocka_unit_test(drawn_drafts_are_verified_as_said)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
