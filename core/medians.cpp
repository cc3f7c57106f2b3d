// Prototypes of the manhattan metric as weighted medians.
#include "core.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

/// Set out[j][f] to the c with least F(c) = sum_i W_ij |x_if - c|; the smallest of
/// several. `order` and `values`, (n_features, n_samples), are the samples of each
/// feature by increasing value, and their values.
///
/// The weights w (u^g - alpha) of the discriminant model may be negative, so F need not
/// be convex. It has its minimum at a sample all the same, as long as the weights of a
/// cluster add up to something positive: F then rises at both ends and bends up only at
/// samples. So it is followed from sample to sample; slope and value are half those of F.
void medians(Matrix<const std::int64_t> order, Matrix<const double> values, Matrix<const double> W,
             size_t f, Matrix<double> out) {
    const size_t k = W.cols;
    Buffer<double> slope(k, 0.0), value(k, 0.0), least(k, 0.0), where(k, values[f][0]);
    for (size_t i = 0; i < W.rows; ++i)
        for (size_t j = 0; j < k; ++j) slope[j] -= 0.5 * W[i][j];
    double before = values[f][0];
    for (size_t i = 0; i < W.rows; ++i) {
        const double x = values[f][i], *w = W[size_t(order[f][i])];
        for (size_t j = 0; j < k; ++j) {
            value[j] += slope[j] * (x - before);
            where[j] = value[j] < least[j] ? x : where[j];
            least[j] = value[j] < least[j] ? value[j] : least[j];
            slope[j] += w[j];
        }
        before = x;
    }
    for (size_t j = 0; j < k; ++j) out[j][f] = where[j];
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
