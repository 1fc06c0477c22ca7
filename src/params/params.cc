#include "params/params.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/limits.h"
#include "base/sized.h"

namespace gsample {

namespace {

// What the caller says its struct measures. The upper bound catches a size that was never set before anything is read by it.
uint32_t size_of(const gsample_params* params) {
  if (!params) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "params is NULL");
  if (params->size < 8 || params->size % 8 != 0 || params->size > limits::struct_bytes)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "params: size is %u, not sizeof(gsample_params)", params->size);
  return params->size;
}

void check_ranges(const gsample_params& params) {
  for (const Param& param : all_params()) {
    if (param.kind == ParamKind::seed || param.kind == ParamKind::order) continue;
    double value = get_value(params, param);
    if (std::isfinite(value) && param.in_range(value)) continue;
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s is %s, allowed is %s", param.name, value_text(params, param).text, param.range);
  }
}

// It would be dropped in silence: a parameter that does something, while the stage that reads it is not in the order.
void check_stages(const gsample_params& params) {
  for (const Param& param : all_params())
    if (asks_for_absent_stage(params, param))
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s is %s, but order has no %s stage", param.name, value_text(params, param).text,
           find_stage(param.stage)->name);
}

}  // namespace

void default_params(gsample_params& params) {
  constexpr int32_t order[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_DRY,       GSAMPLE_STAGE_TOP_N_SIGMA,
                               GSAMPLE_STAGE_TOP_K,     GSAMPLE_STAGE_TYPICAL_P, GSAMPLE_STAGE_TOP_P,
                               GSAMPLE_STAGE_MIN_P,     GSAMPLE_STAGE_XTC,       GSAMPLE_STAGE_TEMPERATURE};
  std::memset(&params, 0, sizeof params);
  params.size = sizeof params;
  for (const Param& param : all_params())
    if (param.kind != ParamKind::seed && param.kind != ParamKind::order) put_value(params, param, param.default_value);
  std::copy(std::begin(order), std::end(order), params.order);
}

void check_order(const gsample_params& params) {
  std::span<const int32_t> order = order_of(params);
  for (int32_t stage : order)
    if (!find_stage(stage)) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "order is wrong: %d is no stage", stage);
  for (size_t i = 1; i < order.size(); i++)
    if (std::find(order.begin(), order.begin() + i, order[i]) != order.begin() + i)
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "order is wrong: %s stands twice", find_stage(order[i])->name);
  for (size_t i = 1; i < order.size(); i++)
    if (find_stage(order[i - 1])->ends)
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "order is wrong: %s stands after %s, which ends the chain", find_stage(order[i])->name,
           find_stage(order[i - 1])->name);
}

void validate_params(const gsample_params& params) {
  check_ranges(params);
  check_order(params);
  check_stages(params);
}

std::span<const int32_t> order_of(const gsample_params& params) {
  return {std::begin(params.order), std::find(std::begin(params.order), std::end(params.order), 0)};
}

bool asks_for_absent_stage(const gsample_params& params, const Param& param) {
  if (!param.stage || param.is_off(get_value(params, param))) return false;
  std::span<const int32_t> order = order_of(params);
  return std::find(order.begin(), order.end(), param.stage) == order.end();
}

void replace_order(gsample_params& params, std::span<const int32_t> stages) {
  std::fill(std::copy(stages.begin(), stages.end(), params.order), std::end(params.order), 0);
  for (const Param& param : all_params())
    if (asks_for_absent_stage(params, param)) put_value(params, param, param.off);
}

gsample_params load_params(const gsample_params* params) {
  size_of(params);
  return import_struct(params, "params");
}

gsample_params import_params(const gsample_params* params) {
  gsample_params out = load_params(params);
  validate_params(out);
  return out;
}

void store_params(gsample_params* to, const gsample_params& params) {
  uint32_t size = size_of(to);
  auto bytes = reinterpret_cast<const char*>(&params);
  for (size_t i = size; i < sizeof params; i++)
    if (bytes[i]) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "params: size is %u, too small for what is to be set at byte %zu", size, i);
  std::memset(to, 0, size);
  std::memcpy(to, &params, std::min<size_t>(size, sizeof params));
  to->size = size;
}

}  // namespace gsample
