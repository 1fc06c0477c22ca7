// Where a JSON text stops being one.
#pragma once

#include <cstddef>
#include <string_view>

namespace gsample {

// Throws FORMAT with line and column. `behind` is the position behind the first byte that is wrong, as the parser counts.
[[noreturn]] void refuse_json(std::string_view name, std::string_view json, size_t behind);

}  // namespace gsample
