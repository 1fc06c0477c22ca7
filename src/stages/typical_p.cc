// typical-p: the tokens whose surprise is nearest the entropy of the set, until their probabilities sum to at least p
// (Meister et al. 2022).
#include <cmath>

#include "base/real.h"
#include "stages/stages.h"

namespace gsample {

void typical_p(Head& head, float p, size_t min_keep, std::vector<uint8_t>& marks) {
  if (p >= 1 || !head.reach(0)) return;
  const double entropy = head.entropy();
  const auto possible = [&](size_t i) { return head.reach(i) && head.p(i) > 0; };
  const auto surprise = [&](size_t i) { return -log_f64(static_cast<double>(head.p(i))); };
  const auto deviation = [&](size_t i) { return std::fabs(surprise(i) - entropy); };

  // Surprise rises along C1 order, so the deviation falls up to the first token with a surprise of at least the entropy, and rises from
  // there. Tokens are taken from there outwards, on the left in runs of equal deviation, each of which counts from its front.
  size_t right = 0;
  while (possible(right) && surprise(right) < entropy) right++;
  size_t left = right;  // [left, right) is the part before `right` that is not taken yet, seen from its end
  marks.assign(right, 0);
  double sum = 0;
  size_t taken = 0;
  const auto take = [&](size_t i) {
    if (marks.size() <= i) marks.resize(i + 1);
    marks[i] = 1;
    taken++;
    sum += static_cast<double>(head.p(i));
    return sum >= static_cast<double>(p) && taken >= min_keep;
  };
  for (bool enough = false; !enough;) {
    const bool more = possible(right);
    if (left == 0 && !more) break;
    if (left > 0 && (!more || deviation(left - 1) <= deviation(right))) {
      const size_t end = left;
      const double run = deviation(end - 1);
      while (left > 0 && deviation(left - 1) == run) left--;
      for (size_t i = left; i < end && !enough; i++) enough = take(i);
    } else {
      enough = take(right++);
    }
  }
  if (taken == 0) return head.keep(1);
  head.keep_marked(marks);
}

}  // namespace gsample
