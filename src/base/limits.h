// Every bound that hostile input meets, in one place. Going over one is GSAMPLE_ERROR_LIMIT, and the message says which.
// They are far above what real files hold (named beside each) and low enough that no input costs much time or memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gsample::limits {

// GGUF: a 262144-token vocabulary with merges and scores is about 20 MB of metadata in some 50 keys.
constexpr size_t gguf_bytes = size_t{256} << 20;
constexpr uint64_t gguf_values = 65536;
constexpr uint64_t gguf_key_bytes = 65535;  // the format's own bound
constexpr int gguf_array_depth = 4;         // arrays of arrays are legal and unused

}  // namespace gsample::limits
