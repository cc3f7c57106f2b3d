// Seeds for the prototypes: greedy k-means++ on given random numbers.
#include "core.hpp"
#include "tiles.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {
namespace {

/// The first row whose running sum exceeds a share of the total: one with mass.
size_t draw_row(const Buffer<double>& running, double draw) {
    const double target = draw * running[running.size() - 1];
    size_t low = 0, high = running.size() - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (running[middle] > target)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double accumulate(std::span<const double> weight, const Buffer<double>& dist2,
                  Buffer<double>& running) {
    double total = 0.0;
    for (size_t i = 0; i < dist2.size(); ++i)
        running[i] = total += (weight.empty() ? 1.0 : weight[i]) * dist2[i];
    return total;
}

// Rows that all candidates of a step meet while they are in the cache.
constexpr size_t BLOCK = 256;

/// Squared distances of a block of rows to row t, or `closest` where that is less.
template <class X>
void distances_to(Matrix<const X> from, size_t t, double scale, std::span<const double> weight,
                  size_t first, const Buffer<double>& closest, double* out, double& potential) {
    using L = Lanes<double>;
    const size_t whole = from.cols / L::width * L::width;
    for (size_t i = first; i < std::min(first + BLOCK, from.rows); ++i) {
        L lanes = 0.0;
        for (size_t f = 0; f < whole; f += L::width) {
            const L gap = (L::load(from[i] + f) - L::load(from[t] + f)) * L(scale);
            lanes += gap * gap;
        }
        double d = sum(lanes);
        for (size_t f = whole; f < from.cols; ++f) {
            const double gap = (double(from[i][f]) - double(from[t][f])) * scale;
            d += gap * gap;
        }
        out[i] = d < closest[i] ? d : closest[i];
        potential += (weight.empty() ? 1.0 : weight[i]) * out[i];
    }
}

template <class X>
void choose(Matrix<const X> from, const Source& source, Matrix<const double> draws,
            std::span<std::int64_t> chosen) {
    const size_t n = from.rows;
    const Buffer<double> same(n, 1.0);
    Buffer<double> closest(n, std::numeric_limits<double>::max()), running(n), dist2(draws.cols * n);
    Buffer<double> potential(draws.cols);
    Buffer<size_t> rows(draws.cols);
    std::span<const double> weight = source.weight;
    if (!(accumulate(weight, same, running) > 0.0)) {
        weight = {};  // no row has weight: all weigh the same
        accumulate(weight, same, running);
    }
    for (size_t step = 0; step < chosen.size(); ++step) {
        // Where seeds cover every weighted row, any further one must repeat.
        if (step > 0 && !(accumulate(weight, closest, running) > 0.0))
            accumulate(weight, same, running);
        const size_t n_trials = step == 0 ? 1 : draws.cols;
        for (size_t t = 0; t < n_trials; ++t) rows[t] = draw_row(running, draws[step][t]);
        potential.fill(0.0);
        for (size_t first = 0; first < n; first += BLOCK)
            for (size_t t = 0; t < n_trials; ++t)
                distances_to(from, rows[t], source.scale, weight, first, closest, &dist2[t * n],
                             potential[t]);
        size_t best = 0;
        for (size_t t = 1; t < n_trials; ++t)
            if (potential[t] < potential[best]) best = t;
        chosen[step] = std::int64_t(rows[best]);
        std::memcpy(&closest[0], &dist2[best * n], n * sizeof(double));
    }
}

}  // namespace

/// Each step draws rows with probability proportional to weight times squared distance
/// to the closest seed, and keeps the one that leaves the smallest sum of these.
void seeds(const Source& source, Matrix<const double> draws, std::span<std::int64_t> chosen) {
    if (source.single.data)
        choose(source.single, source, draws, chosen);
    else
        choose(source.twice, source, draws, chosen);
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
