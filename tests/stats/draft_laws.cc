// Speculation loses nothing: the tokens of sequences that were decided with drafts follow the target's law exactly, whatever the drafts
// were drawn from. The joint law of three tokens over four ids (64 cells), from drafts by an honest, a far, a wrong and a certain
// drafter, with penalties, constraints in every mode, and XTC. The expected probabilities come from distributions of single rows with no
// draft in sight, or from a softmax in long double. A case fails beyond 4 standard deviations of its chi-square: with right code each
// would with probability 6e-5, the file with less than 0.2%; the seeds are fixed, so what passes once passes always. Each case decides a
// million sequences; those of two drafters, extremes of a far one, 200000, so that the file takes a minute on two cores.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "gsample/gsample.h"
#include "rows.h"

extern "C" {
#include <cmocka.h>
}

namespace {

constexpr uint32_t kIds = 4;
constexpr size_t kJoint = kIds * kIds * kIds;
constexpr size_t kParts = 8;  // of a case, each with samplers of its own: how many threads there are changes nothing
using Law = std::array<double, kIds>;
using Logits = std::array<float, kIds>;

// The model: the row after `depth` tokens, the last of which was `last`.
Logits row_after(uint32_t depth, uint32_t last) {
  static constexpr Logits rows[3][kIds] = {{{1.2f, .7f, .1f, -.6f}},
                                           {{.1f, 1, -.2f, .4f}, {-1, .8f, .9f, .2f}, {2, .1f, .3f, 0}, {.5f, .5f, .5f, .5f}},
                                           {{0, .3f, 1.5f, -.4f}, {1, 1.1f, -.7f, .2f}, {.2f, -.9f, .4f, 1.3f}, {-.3f, 0, .8f, .1f}}};
  return rows[depth][depth ? last : 0];
}

enum class Drafter { HONEST, FAR, NARROW, POINT, CERTAIN };

constexpr size_t sequences_for(Drafter drafter) { return drafter == Drafter::NARROW || drafter == Drafter::POINT ? 200000 : 1000000; }

Law draft_law(Drafter drafter, uint32_t depth, uint32_t last) {
  const Logits row = row_after(depth, last);
  Law q;
  for (uint32_t i = 0; i < kIds; i++) {
    switch (drafter) {
      case Drafter::HONEST: q[i] = std::exp(static_cast<double>(row[i]) * 0.8); break;  // the target, a little hotter
      case Drafter::FAR: q[i] = std::exp(-1.5 * static_cast<double>(row[i])); break;
      case Drafter::NARROW: q[i] = i % 2 == depth % 2 ? 1 : 0; break;  // half of the ids only
      default: q[i] = i == (depth + last) % kIds; break;
    }
  }
  return q;
}

struct Rule {
  bool on = false;
  uint32_t allowed = 0;  // a bit an id
};

int32_t rule_allows(void* user, int32_t token) { return static_cast<Rule*>(user)->allowed >> token & 1; }
int32_t rule_accept(void*, int32_t) { return 0; }
int32_t rule_clone(void* user, void** out) { return *out = user, 0; }

struct Case {
  std::string name;
  gsample_params params;
  Rule rule;
  Drafter drafter;
};

// Nothing is cut. With `top_k` as wide as the row the sums over whole rows are saved, which narrow rows make dear.
gsample_params plain(int32_t top_k = 0) {
  gsample_params p{};
  p.size = sizeof p;
  gsample_params_init(&p);
  p.top_k = top_k, p.top_p = 1;
  return p;
}

gsample_sampler* sampler(const gsample_params& params, Rule* rule) {
  gsample_sampler* s = nullptr;
  assert_int_equal(gsample_new(&params, &s, nullptr), 0);
  const int32_t prompt[] = {1, 2, 1};
  assert_int_equal(gsample_seed(s, prompt, 3), 0);
  if (rule && rule->on) {
    gsample_constraint c{};
    c.size = sizeof c, c.user = rule, c.allows = rule_allows, c.accept = rule_accept, c.clone = rule_clone;
    assert_int_equal(gsample_constrain(s, &c), 0);
  }
  return s;
}

gsample_row view_of(const Logits& logits) {
  gsample_row row{};
  row.size = sizeof row, row.n_vocab = kIds, row.logits = logits.data();
  return row;
}

// What a pick draws from after these tokens, where nothing is random in the chain itself.
Law law_of(const gsample_params& params, Rule* rule, const std::vector<int32_t>& tokens, const Logits& logits) {
  gsample_sampler* s = sampler(params, rule);
  for (int32_t token : tokens) assert_int_equal(gsample_accept(s, token), 0);
  gsample_dist* d = nullptr;
  const gsample_row row = view_of(logits);
  assert_int_equal(gsample_dist_new(&d), 0);
  assert_int_equal(gsample_dist_from_row(d, s, &row), 0);
  Law law;
  for (uint32_t i = 0; i < kIds; i++) law[i] = gsample_dist_chance(d, static_cast<int32_t>(i));
  gsample_dist_free(d);
  gsample_free(s);
  return law;
}

// With XTC: the mixture of fired and not fired.
Law mixture(gsample_params params, Rule* rule, const std::vector<int32_t>& tokens, const Logits& logits) {
  const double fires = static_cast<double>(params.xtc_probability);
  params.xtc_probability = 0;
  Law out = law_of(params, rule, tokens, logits);
  if (fires == 0) return out;
  params.xtc_probability = 1;
  const Law on = law_of(params, rule, tokens, logits);
  for (uint32_t i = 0; i < kIds; i++) out[i] = (1 - fires) * out[i] + fires * on[i];
  return out;
}

// The law of one pick. LAZY is said in its own words: what is allowed at once, and what is refused again over the allowed tokens.
Law pick_law(const Case& c, const std::vector<int32_t>& tokens, const Logits& logits) {
  Rule rule = c.rule;
  if (!rule.on || c.params.constraint_mode != GSAMPLE_CONSTRAINT_LAZY) return mixture(c.params, &rule, tokens, logits);
  gsample_params first = c.params;
  first.constraint_mode = GSAMPLE_CONSTRAINT_MASK_FIRST;
  const Law again = mixture(first, &rule, tokens, logits);
  Law law = mixture(c.params, nullptr, tokens, logits);
  double refused = 0;
  for (uint32_t i = 0; i < kIds; i++)
    if (!(rule.allowed >> i & 1)) refused += law[i], law[i] = 0;
  for (uint32_t i = 0; i < kIds; i++) law[i] += refused * again[i];
  return law;
}

// How many standard deviations chi-square is off its mean (Wilson and Hilferty 1931).
void check(const std::string& name, const std::vector<size_t>& seen, const std::vector<double>& p, size_t draws) {
  double chi = 0;
  int cells = 0;
  for (size_t i = 0; i < p.size(); i++) {
    const double expected = p[i] * static_cast<double>(draws), got = static_cast<double>(seen[i]);
    if (p[i] == 0) {
      if (seen[i]) fail_msg("%s: cell %zu cannot happen, and did %zu times", name.c_str(), i, seen[i]);
      continue;
    }
    assert_true(expected > 10);
    chi += (got - expected) * (got - expected) / expected;
    cells++;
  }
  const double df = cells - 1, k = 2 / (9 * df), z = (std::cbrt(chi / df) - (1 - k)) / std::sqrt(k);
  print_message("%-52s %+.2f\n", name.c_str(), z);
  if (!(std::fabs(z) <= 4)) fail_msg("%s: chi-square is %.2f standard deviations off", name.c_str(), z);
}

std::vector<double> joint_law(const Case& c) {
  std::vector<double> joint(kJoint);
  const Law first = pick_law(c, {}, row_after(0, 0));
  for (int32_t a = 0; a < 4; a++) {
    if (first[static_cast<size_t>(a)] == 0) continue;
    const Law second = pick_law(c, {a}, row_after(1, static_cast<uint32_t>(a)));
    for (int32_t b = 0; b < 4; b++) {
      if (second[static_cast<size_t>(b)] == 0) continue;
      const Law third = pick_law(c, {a, b}, row_after(2, static_cast<uint32_t>(b)));
      for (int32_t d = 0; d < 4; d++)
        joint[static_cast<size_t>(a * 16 + b * 4 + d)] = first[static_cast<size_t>(a)] * second[static_cast<size_t>(b)] * third[static_cast<size_t>(d)];
    }
  }
  return joint;
}

// How often each joint cell came, and the first thing that went wrong: what threads cannot assert.
struct Tally {
  std::array<size_t, kJoint> seen{};
  std::string wrong;
};

using Drafts = gsample_dist* [2][kIds];

// Every sequence: two drafts, a decision over three rows, and plain picks for what the decision left open.
void decide_part(const Case& c, const gsample_sampler* start, const Drafts& q, size_t part, Tally& tally) {
  gsample_sampler *s = nullptr, *drafter = nullptr;
  gsample_params params = plain();
  params.seed = part;
  bool right = gsample_clone(start, &s) == 0 && gsample_new(&params, &drafter, nullptr) == 0;
  const size_t size = sequences_for(c.drafter) / kParts;
  for (size_t n = part * size; right && n < (part + 1) * size; n++) {
    int32_t drafts[2], tokens[3] = {-1, -1, -1};
    drafts[0] = gsample_dist_draw(q[0][0], drafter);
    drafts[1] = gsample_dist_draw(q[1][drafts[0]], drafter);
    const Logits rows[3] = {row_after(0, 0), row_after(1, static_cast<uint32_t>(drafts[0])), row_after(2, static_cast<uint32_t>(drafts[1]))};
    const gsample_dist* dists[2] = {q[0][0], q[1][drafts[0]]};
    gsample_sequence sequence{};
    sequence.size = sizeof sequence, sequence.n_vocab = kIds, sequence.n_rows = 3, sequence.sampler = s, sequence.logits = rows;
    sequence.row_stride = sizeof rows[0], sequence.drafts = drafts, sequence.n_drafts = 2, sequence.tokens = tokens;
    if (c.drafter != Drafter::CERTAIN) sequence.draft_dists = dists;
    right = gsample_assign(s, start) == 0 && gsample_rng_seed(s, rows_splitmix64(n)) == 0 &&
            gsample_decide(&sequence, 1, nullptr, nullptr) == 0 && sequence.n_tokens >= 1;
    for (uint32_t i = sequence.n_tokens; right && i < 3; i++)
      tokens[i] = gsample_pick(s, row_after(i, static_cast<uint32_t>(tokens[i - 1])).data(), kIds);
    for (int32_t token : tokens) right &= token >= 0 && token < static_cast<int32_t>(kIds);
    if (right) tally.seen[static_cast<size_t>(tokens[0] * 16 + tokens[1] * 4 + tokens[2])]++;
    else tally.wrong = "sequence " + std::to_string(n) + " failed with status " + std::to_string(sequence.status);
  }
  gsample_free(s), gsample_free(drafter);
}

void run(const Case& c) {
  const std::vector<double> expected = joint_law(c);
  Rule rule = c.rule;
  gsample_sampler* start = sampler(c.params, &rule);
  Drafts q;
  int32_t ids[kIds] = {0, 1, 2, 3};
  for (uint32_t depth = 0; depth < 2; depth++)
    for (uint32_t last = 0; last < kIds; last++) {
      assert_int_equal(gsample_dist_new(&q[depth][last]), 0);
      assert_int_equal(gsample_dist_set(q[depth][last], ids, draft_law(c.drafter, depth, last).data(), kIds), 0);
    }
  std::vector<Tally> tallies(kParts);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t part; (part = next++) < kParts;) decide_part(c, start, q, part, tallies[part]);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::clamp(std::thread::hardware_concurrency(), 1u, 8u); i++) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (auto& depth : q)
    for (gsample_dist* dist : depth) gsample_dist_free(dist);
  gsample_free(start);
  std::vector<size_t> seen(kJoint);
  size_t sequences = 0;
  for (const Tally& tally : tallies) {
    if (!tally.wrong.empty()) fail_msg("%s: %s", c.name.c_str(), tally.wrong.c_str());
    for (size_t i = 0; i < kJoint; i++) seen[i] += tally.seen[i], sequences += tally.seen[i];
  }
  assert_int_equal(sequences, sequences_for(c.drafter));
  check(c.name, seen, expected, sequences);
}

constexpr std::pair<Drafter, const char*> kDrafters[] = {{Drafter::HONEST, "honest"},
                                                         {Drafter::FAR, "far"},
                                                         {Drafter::NARROW, "half the ids"},
                                                         {Drafter::POINT, "a point, said so"},
                                                         {Drafter::CERTAIN, "certain"}};

const char* name_of(Drafter drafter) { return kDrafters[static_cast<size_t>(drafter)].second; }

// Here the expected law is a softmax in long double: the library is not asked about itself.
void plain_softmax(void**) {
  Case c{"", plain(), {}, Drafter::HONEST};
  const std::vector<double> joint = joint_law(c);
  for (uint32_t a = 0; a < kIds; a++)
    for (uint32_t b = 0; b < kIds; b++)
      for (uint32_t d = 0; d < kIds; d++) {
        const uint32_t path[3] = {a, b, d};
        long double p = 1;
        for (uint32_t i = 0; i < 3; i++) {
          const Logits row = row_after(i, i ? path[i - 1] : 0);
          long double sum = 0;
          for (float v : row) sum += std::exp(static_cast<long double>(v));
          p *= std::exp(static_cast<long double>(row[path[i]])) / sum;
        }
        assert_true(std::fabs(static_cast<double>(p) - joint[a * 16 + b * 4 + d]) < 1e-6);
      }
  for (auto [drafter, name] : kDrafters)
    run({std::string("softmax, drafts ") + name, plain(), {}, drafter});
}

void shaped(void**) {
  gsample_params p = plain(kIds);
  p.penalty_repeat = 1.5f, p.penalty_freq = .4f, p.dry_multiplier = .5f, p.dry_allowed_length = 1, p.temperature = 1.3f;
  for (auto [drafter, name] : kDrafters) run({std::string("penalties and DRY, drafts ") + name, p, {}, drafter});
  p = plain();
  p.top_k = 3, p.top_p = .9f, p.min_p = .05f, p.temperature = .8f;
  run({"top-k, top-p, min-p, drafts far", p, {}, Drafter::FAR});
  p = plain(kIds);
  p.xtc_probability = .5f, p.xtc_threshold = .2f;
  for (Drafter drafter : {Drafter::HONEST, Drafter::FAR}) run({std::string("XTC, drafts ") + name_of(drafter), p, {}, drafter});
}

void constrained(void**) {
  for (int32_t mode : {GSAMPLE_CONSTRAINT_LAZY, GSAMPLE_CONSTRAINT_MASK_FIRST, GSAMPLE_CONSTRAINT_MASK_LAST})
    for (auto [drafter, name] : kDrafters) {
      gsample_params p = plain();
      p.constraint_mode = mode, p.top_k = 3;
      run({"constraint, mode " + std::to_string(mode) + ", drafts " + name, p, {true, 0xb}, drafter});
    }
}

// Both runs of a LAZY pick take numbers of their own for XTC, and verification takes others.
void constrained_with_xtc(void**) {
  gsample_params p = plain(kIds);
  p.xtc_probability = .5f, p.xtc_threshold = .2f;
  for (Drafter drafter : {Drafter::CERTAIN, Drafter::HONEST, Drafter::FAR})
    run({std::string("XTC, LAZY constraint, drafts ") + name_of(drafter), p, {true, 0xe}, drafter});
}

// Draws from a distribution of a LAZY pick with XTC follow the pick's law.
void drawn_from_the_distribution(void**) {
  for (bool lazy : {false, true}) {
    Case c{"", plain(kIds), {lazy, 0xe}, Drafter::CERTAIN};
    c.params.xtc_probability = .5f, c.params.xtc_threshold = .2f;
    const Law law = pick_law(c, {}, row_after(0, 0));
    gsample_sampler* s = sampler(c.params, &c.rule);
    gsample_dist* d = nullptr;
    assert_int_equal(gsample_dist_new(&d), 0);
    const Logits logits = row_after(0, 0);
    const gsample_row row = view_of(logits);
    std::vector<size_t> seen(kIds);
    for (size_t n = 0; n < 300000; n++) {
      assert_int_equal(gsample_dist_from_row(d, s, &row), 0);
      seen[static_cast<size_t>(gsample_dist_draw(d, s))]++;
    }
    gsample_dist_free(d);
    gsample_free(s);
    check(lazy ? "drawn from a LAZY distribution, XTC" : "drawn from a distribution, XTC", seen, {law.begin(), law.end()}, 300000);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(plain_softmax), cmocka_unit_test(shaped), cmocka_unit_test(constrained),
                              cmocka_unit_test(constrained_with_xtc), cmocka_unit_test(drawn_from_the_distribution)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
