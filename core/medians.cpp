// Prototypes of the manhattan metric as weighted medians.
//
// A prototype minimises, feature by feature, the piecewise linear F(c) = sum_i W_i
// |x_i - c|. The weights w (u^g - alpha) of the discriminant model may be negative, so F
// need not be convex. It has its minimum at a sample all the same, as long as the weights
// of a cluster add up to something positive: F then rises at both ends and bends up only
// at samples.
#include <cmath>

#include "core.hpp"
#include "tiles.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {
namespace {

// Samples whose weights are added up before asking whether F can turn among them.
constexpr size_t BLOCK = 128;
// How much further than its weights the slope of F is taken to reach in a block, so that
// rounding never hides a turn.
constexpr double REACH = 1.01;

/// F of one cluster along a feature; slope and value are half those of F.
struct Course {
    double slope, value = 0.0, least = 0.0, where;
};

}  // namespace

/// Set out[j][f] to the c with least sum_i W_ij |x_if - c|, for features first to last - 1;
/// the smallest of several. `order` and `values`, (n_features, n_samples), are the samples
/// of each feature by increasing value, and their values.
///
/// The slope of F changes by 2 W_i at sample i, hence by at most twice the sum of |W| in a
/// block: where it is steeper than that F cannot turn, and the block is passed over with
/// its sums alone. Only the few blocks around the turns are visited sample by sample.
void medians(Matrix<const std::int64_t> order, Matrix<const double> values, Matrix<const double> W,
             size_t first, size_t last, Matrix<double> out) {
    const size_t n = W.rows, k = W.cols;
    Buffer<double> totals(k, 0.0), sums(3 * k);
    Buffer<Course> courses(k);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < k; ++j) totals[j] += W[i][j];
    for (size_t f = first; f < last; ++f) {
        const std::int64_t* samples = order[f];
        const double* x = values[f];
        for (size_t j = 0; j < k; ++j) courses[j] = {-0.5 * totals[j], 0.0, 0.0, x[0]};
        double before = x[0];
        for (size_t begin = 0; begin < n; begin += BLOCK) {
            const size_t end = std::min(begin + BLOCK, n);
            sums.fill(0.0);
            for (size_t i = begin; i < end; ++i) {
                const double* w = W[size_t(samples[i])];
                const double gap = x[end - 1] - x[i];
                for (size_t j = 0; j < k; ++j) {
                    sums[j] += w[j];
                    sums[k + j] += std::abs(w[j]);
                    sums[2 * k + j] += w[j] * gap;
                }
            }
            for (size_t j = 0; j < k; ++j) {
                Course& at = courses[j];
                if (std::abs(at.slope) > REACH * sums[k + j]) {
                    at.value += at.slope * (x[end - 1] - before) + sums[2 * k + j];
                    at.slope += sums[j];
                    continue;
                }
                double here = before;
                for (size_t i = begin; i < end; ++i) {
                    at.value += at.slope * (x[i] - here);
                    here = x[i];
                    if (at.value < at.least) {
                        at.least = at.value;
                        at.where = here;
                    }
                    at.slope += W[size_t(samples[i])][j];
                }
            }
            before = x[end - 1];
        }
        // The last sample only if rounding hides that the weights add up to more than 0.
        for (size_t j = 0; j < k; ++j)
            out[j][f] = courses[j].value < courses[j].least ? before : courses[j].where;
    }
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
