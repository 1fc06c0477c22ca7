// The sort of keys against the standard one: every size around its thresholds, and keys as a row may have them: spread, crowded around
// one value, far apart, equal, ascending, and not in the order of ids.
#include "candidates/order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "unit.h"

namespace {

using namespace gsample;

float logit(const char kind, size_t i, std::mt19937& random) {
  const float u = static_cast<float>(random() % 4096) / 4096;
  switch (kind) {
    case 's': return 20 * u - 5;                                            // spread
    case 'c': return 3 + u * 1e-5f;                                         // crowded
    case 'f': return i % 7 == 0 ? 3e38f * u : -1e-30f * u;                  // far apart
    case 'e': return i % 2 ? 1.0f : -0.0f;                                  // equal
    case 'a': return static_cast<float>(i) * 0.01f;                         // ascending
    case 'o': return i == 0 ? 1e30f : i == 1 ? -1e30f : u;                  // crowded between outliers
    default: return i % 5 ? -std::numeric_limits<float>::infinity() : u;
  }
}

void sorts_as_the_standard_does(void**) {
  std::mt19937 random(3);
  std::vector<Key> scratch;
  for (size_t n : {0, 1, 2, 23, 24, 25, 63, 64, 100, 199, 200, 201, 399, 400, 401, 1000, 4095, 4096, 4097, 20000})
    for (char kind : {'s', 'c', 'f', 'e', 'a', 'o', 'i'})
      for (bool shuffled : {false, true}) {
        std::vector<Key> keys;
        for (size_t i = 0; i < n; i++) keys.push_back(key_of(logit(kind, i, random), static_cast<uint32_t>(i * 3)));
        if (shuffled) std::shuffle(keys.begin(), keys.end(), random);
        std::vector<Key> expected = keys;
        std::sort(expected.begin(), expected.end(), std::greater<>());
        sort_keys(keys.data(), n, scratch);
        if (keys != expected) fail_msg("%zu keys of kind %c, %s", n, kind, shuffled ? "shuffled" : "in the order of ids");
      }
}

void selects_the_largest(void**) {
  std::mt19937 random(4);
  for (size_t n : {1, 2, 50, 1000}) {
    std::vector<Key> keys;
    for (size_t i = 0; i < n; i++) keys.push_back(key_of(logit('s', i, random), static_cast<uint32_t>(i)));
    std::vector<Key> expected = keys;
    std::sort(expected.begin(), expected.end(), std::greater<>());
    for (size_t k : {size_t{1}, n / 2 + 1, n}) {
      std::vector<Key> chosen = keys;
      select_keys(chosen.data(), n, k);
      std::sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(k), std::greater<>());
      assert_true(std::equal(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(k), expected.begin()));
    }
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(sorts_as_the_standard_does), cmocka_unit_test(selects_the_largest)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
