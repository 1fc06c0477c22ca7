// top-k: the k first of C1 order; k <= 0 or beyond the set keeps all.
#include "stages/stages.h"

namespace gsample {

void top_k(Head& head, int32_t k) {
  if (k > 0 && static_cast<uint32_t>(k) < head.row_width()) head.keep(static_cast<size_t>(k));
}

}  // namespace gsample
