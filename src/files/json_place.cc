#include "files/json_place.h"

#include <algorithm>

#include "base/failure.h"

namespace gsample {

void refuse_json(std::string_view name, std::string_view json, size_t behind) {
  const std::string_view before = json.substr(0, behind ? behind - 1 : 0);
  const size_t line_start = before.rfind('\n') + 1;  // 0 where there is none
  const auto line = static_cast<int32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  const auto column = static_cast<int32_t>(1 + before.size() - line_start);
  fail_at(GSAMPLE_ERROR_FORMAT, line, column, "%.*s is no JSON from line %d, column %d on", static_cast<int>(name.size()), name.data(), line,
          column);
}

}  // namespace gsample
