// Random cases agree bit for bit between the library and the plain reference: tokens, statuses, generator, distributions. The SIMD targets
// that this machine runs take turns.
// GSAMPLE_PROPERTY_CASES, _SEED, _FIRST and _SECONDS run it longer, from elsewhere; a failure prints the case as small as it could be made.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <chrono>

#include "dice.h"
#include "row/kernels.h"
#include "test_property_cases.h"

extern "C" {
#include <cmocka.h>
}

namespace {

std::vector<const gsample::Kernels*> running_targets() {
  gsample::Target all[gsample::kMostKernels];
  std::vector<const gsample::Kernels*> out;
  for (size_t i = 0, n = gsample::all_targets(all); i < n; i++)
    if (all[i].runs) out.push_back(all[i].kernels);
  return out;
}

// Empty where both agree.
std::string disagreement(const Case& c) {
  gsample_error error = {};
  error.size = sizeof error;
  auto library = library_engine(c.params, &error);
  if (!library) return std::string("refused: ") + error.message;
  auto plain = reference_engine(c.params);
  Trace got = play(c, *library, Detail::ALL);
  return difference(c, play(c, *plain, Detail::ALL), got);
}

void library_equals_reference(void**) {
  uint64_t seed = setting("GSAMPLE_PROPERTY_SEED", 1), n = setting("GSAMPLE_PROPERTY_CASES", 100000),
           first = setting("GSAMPLE_PROPERTY_FIRST", 0);
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(setting("GSAMPLE_PROPERTY_SECONDS", 100));
  uint64_t done = 0, failures = 0;
  std::vector<const gsample::Kernels*> targets = running_targets();
  for (; done < n && std::chrono::steady_clock::now() < end; done++) {
    gsample::force_kernels(targets[done % targets.size()]);
    Case c = random_case(seed, first + done);
    std::string what = disagreement(c);
    if (what.empty()) continue;
    Case small = shrink(c, [&](const Case& s) {
      std::string w = disagreement(s);
      return !w.empty() && w.starts_with("refused") == what.starts_with("refused");
    });
    std::string report = "on ";
    report.append(targets[done % targets.size()]->name).append(", ").append(describe(c)).append("\n  ").append(what);
    report.append("\nas small as it gets: ").append(describe(small)).append("\n  ").append(disagreement(small)).append("\n\n");
    fwrite(report.data(), 1, report.size(), stdout);
    if (++failures >= setting("GSAMPLE_PROPERTY_FAILURES", 3)) break;
  }
  gsample::force_kernels(nullptr);
  print_message("%llu of %llu cases ran on %zu targets\n", static_cast<unsigned long long>(done), static_cast<unsigned long long>(n),
                targets.size());
  assert_int_equal(failures, 0);
  assert_true(done == n || done >= 1000);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(library_equals_reference)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
