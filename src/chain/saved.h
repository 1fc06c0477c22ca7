// A sampler's state as bytes, the same on every machine: a header, the fields of State::each() one after another, little-endian, and a
// checksum.
#pragma once

#include <memory>

#include "chain/sampler.h"

namespace gsample {

std::vector<uint8_t> save(const Sampler& sampler);

// Throws FORMAT for what save() did not write, UNSUPPORTED for what a newer or an incompatible version wrote.
State load(std::span<const uint8_t> bytes);

}  // namespace gsample
