#pragma once

#include <vector>

#include "core.hpp"

namespace fuzzypairs {

/// The levels compiled in that this machine can run, the best one last.
std::vector<const Level*> usable_levels();

/// The level of that name; the best one if none is asked for.
const Level& choose_level(const char* asked);

}  // namespace fuzzypairs
