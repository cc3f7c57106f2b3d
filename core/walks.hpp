#pragma once

#include "core.hpp"

namespace fuzzypairs {

/// Random walks on the graph of neighbours that end with probability 1 - strength at each
/// step, and after `n_steps` at the latest: the samples from which each target is reached
/// most likely, their chances, and how many they are. The target comes first.
void approach(std::span<const std::int64_t> indptr, std::span<const std::int64_t> neighbor,
              std::span<const std::int64_t> targets, double strength, size_t n_steps,
              Matrix<std::int64_t> rows, Matrix<double> chances, std::span<std::int64_t> counts,
              Watch& watch);

}  // namespace fuzzypairs
