// The checked view of a caller's row.
#pragma once

#include "row/row.h"

namespace gsample {

// Throws INVALID_ARGUMENT where the row cannot be read.
Row import_row(const gsample_row* row);
void check_row(const Row& row);

}  // namespace gsample
