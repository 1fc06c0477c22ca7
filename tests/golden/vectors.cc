// The project's own vectors (vectors.json) on one engine: `vectors library` or `vectors reference`. Prints one hash over all tokens, the
// same on every machine.
#include <cstring>

#include "checks.h"
#include "oracle.h"
#include "vectors_file.h"

namespace {

constexpr const char* kPath = "tests/golden/vectors.json";

// The pairs go through the library's own reading of parameters by name.
bool set_by_name(const Vector& v) {
  gsample_params params = {};
  params.size = sizeof params;
  gsample_error error = {};
  error.size = sizeof error;
  gsample_params_init(&params);
  for (auto& [key, value] : v.params)
    if (gsample_params_set(&params, key.c_str(), value.c_str(), &error) < 0) fail_msg("%s: %s", v.c.name.c_str(), error.message);
  return std::memcmp(&params, &v.c.params, sizeof params) == 0;
}

void all_vectors(void**) {
  VectorFile file = read_vectors(kPath);
  assert_int_equal(file.semantics, GSAMPLE_SEMANTICS);
  uint64_t fold = kFoldStart;
  for (const Vector& v : file.vectors) {
    require(!on_library || set_by_name(v), v.c.name, "set by name, the parameters are others");
    auto engine = make_engine(v.c.params);
    require(engine != nullptr, v.c.name, "the parameters were refused");
    Trace trace = play(v.c, *engine, Detail::PICKS);
    require(trace.setup == 0, v.c.name, "a call failed while the sampler was set up");
    for (size_t p = 0; p < v.tokens.size(); p++) {
      if (trace.steps[p].token != v.tokens[p]) fail_case(v.c.name, "pick %zu: %d expected, got %d", p, v.tokens[p], trace.steps[p].token);
      fold = fold64(fold, static_cast<uint32_t>(trace.steps[p].token));
    }
    require(static_cast<uint64_t>(trace.next * 9007199254740992.0) == v.next, v.c.name, "the number of generator outputs consumed differs");
  }
  print_message("%zu vectors, fold64 of all tokens 0x%016llx\n", file.vectors.size(), static_cast<unsigned long long>(fold));
  assert_int_equal(fold, file.fold);
}

}  // namespace

int main(int argc, char** argv) {
  if (!choose_engine(argc, argv)) return 2;
  const CMUnitTest tests[] = {cmocka_unit_test(all_vectors)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
