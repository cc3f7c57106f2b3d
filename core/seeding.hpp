// What a run needs before its first pass: moments of the samples, sums of labelled ones, and
// seeds by k-means++.
//
// Rows are taken in parts of a fixed size whose sums are added in order, so that the number
// of threads changes nothing.
#pragma once

#include "core.hpp"

namespace fuzzypairs {

/// The weighted mean of the rows of X, and their mean squared distance to it.
struct Moments {
    std::vector<double> mean;
    double variance;
};
Moments moments(Source X, size_t n_threads, Watch& watch);

/// The sum of w x x' / |x|^2 over the rows of X less the mean, (n_features, n_features).
std::vector<double> sum_of_directions(const Source& X, size_t n_threads, Watch& watch);

/// Sums of w x and of w over the rows with each label, (n_clusters, n_features + 1).
std::vector<double> sums_of_labels(const Source& X, std::span<const std::int64_t> labels,
                                   size_t n_clusters, size_t n_threads, Watch& watch);

/// Greedy k-means++: rows of X that are far from each other.
///
/// Seed s is the best of draws.cols rows, drawn by the random numbers draws[s] with
/// chances proportional to weight and squared distance to the nearest seed; the best one
/// leaves the least sum of these. The first is drawn by weight alone. Rows are repeated
/// only if X has fewer distinct ones.
std::vector<std::int64_t> choose_seeds(const Level& level, const Source& X,
                                       Matrix<const double> draws, size_t n_threads, Watch& watch);

}  // namespace fuzzypairs
