#include "seeding.hpp"

#include <algorithm>

namespace fuzzypairs {
namespace {

constexpr size_t ROWS_A_PART = 4096;

size_t n_rows_of(const Source& X) { return X.single.data ? X.single.rows : X.twice.rows; }

/// Row i of X less the mean.
void read_row(const Source& X, size_t i, double* x) {
    const auto read = [&](const auto* from) {
        for (size_t f = 0; f < X.n_features(); ++f) x[f] = double(from[f]) - X.mean[f];
    };
    X.single.data ? read(X.single[i]) : read(X.twice[i]);
}

/// Join sums over parts of the rows; `add(first, last, sums)` fills those of one part.
template <class Add>
std::vector<double> sum_over_parts(size_t n_rows, size_t size, size_t n_threads, Watch& watch,
                                   Add&& add) {
    const size_t n_parts = (n_rows + ROWS_A_PART - 1) / ROWS_A_PART;
    std::vector<double> parts(n_parts * size, 0.0), all(size, 0.0);
    share_out(n_parts, n_threads, watch, [&](size_t part) {
        const size_t first = part * ROWS_A_PART;
        add(first, std::min(n_rows, first + ROWS_A_PART), &parts[part * size]);
    });
    for (size_t i = 0; i < parts.size(); ++i) all[i % size] += parts[i];
    return all;
}

/// The same over single rows: `add(i, x, sums)` adds row i, which is x less the mean.
template <class Add>
std::vector<double> sum_over_rows(const Source& X, size_t size, size_t n_threads, Watch& watch,
                                  Add&& add) {
    const auto add_part = [&](size_t first, size_t last, double* sums) {
        std::vector<double> x(X.n_features());
        for (size_t i = first; i < last; ++i) {
            read_row(X, i, x.data());
            add(i, x.data(), sums);
        }
    };
    return sum_over_parts(n_rows_of(X), size, n_threads, watch, add_part);
}

double squared_norm(const double* x, size_t n) {
    double total = 0.0;
    for (size_t f = 0; f < n; ++f) total += x[f] * x[f];
    return total;
}

/// The row that a random number in [0, 1) draws by these chances.
size_t draw(std::span<const double> chance, std::span<const double> of_part, double number) {
    double total = 0.0, running = 0.0;
    for (const double some : of_part) total += some;
    const double target = number * total;
    size_t part = 0;
    while (part + 1 < of_part.size() && running + of_part[part] <= target)
        running += of_part[part++];
    const size_t first = part * ROWS_A_PART, last = std::min(chance.size(), first + ROWS_A_PART);
    size_t drawn = first;
    for (size_t i = first; i < last; ++i) {
        // Never a row without a chance, whatever rounding does to the sums.
        if (chance[i] > 0.0) drawn = i;
        running += chance[i];
        if (running > target) break;
    }
    return drawn;
}

/// Chances of rows and their sums by parts; those of `mass` where none has a chance.
void set_chances(std::span<const double> mass, std::span<const double> closest,
                 std::vector<double>& chance, std::vector<double>& of_part) {
    const auto set = [&](auto&& value) {
        std::fill(of_part.begin(), of_part.end(), 0.0);
        for (size_t i = 0; i < mass.size(); ++i) of_part[i / ROWS_A_PART] += chance[i] = value(i);
    };
    set([&](size_t i) { return closest.empty() ? mass[i] : mass[i] * closest[i]; });
    if (std::none_of(of_part.begin(), of_part.end(), [](double some) { return some > 0.0; }))
        set([&](size_t i) { return mass[i]; });
}

}  // namespace

Moments moments(Source X, size_t n_threads, Watch& watch) {
    const size_t n = X.n_features();
    // About zero, then about the mean: squares keep their digits where the mean is large.
    std::vector<double> mean(n, 0.0);
    X.mean = mean;
    const auto add_row = [&](size_t i, const double* x, double* sums) {
        const double w = X.weight_of(i);
        for (size_t f = 0; f < n; ++f) sums[f] += w * x[f];
        sums[n] += w;
    };
    const auto add_square = [&](size_t i, const double* x, double* sums) {
        sums[0] += X.weight_of(i) * squared_norm(x, n);
    };
    const auto first = sum_over_rows(X, n + 1, n_threads, watch, add_row);
    for (size_t f = 0; f < n; ++f) mean[f] = first[f] / first[n];
    const auto second = sum_over_rows(X, 1, n_threads, watch, add_square);
    return {std::move(mean), second[0] / first[n]};
}

std::vector<double> sum_of_directions(const Source& X, size_t n_threads, Watch& watch) {
    const size_t n = X.n_features();
    const auto add = [&](size_t i, const double* x, double* sums) {
        const double square = squared_norm(x, n);
        if (!(square > 0.0)) return;
        for (size_t f = 0; f < n; ++f) {
            const double share = X.weight_of(i) * x[f] / square;
            for (size_t g = 0; g <= f; ++g) sums[f * n + g] += share * x[g];
        }
    };
    auto sums = sum_over_rows(X, n * n, n_threads, watch, add);
    for (size_t f = 0; f < n; ++f)
        for (size_t g = 0; g < f; ++g) sums[g * n + f] = sums[f * n + g];
    return sums;
}

std::vector<double> sums_of_labels(const Source& X, std::span<const std::int64_t> labels,
                                   size_t n_clusters, size_t n_threads, Watch& watch) {
    const size_t n = X.n_features();
    const auto add = [&](size_t i, const double* x, double* sums) {
        const double w = X.weight_of(i);
        double* at = sums + size_t(labels[i]) * (n + 1);
        for (size_t f = 0; f < n; ++f) at[f] += w * x[f];
        at[n] += w;
    };
    return sum_over_rows(X, n_clusters * (n + 1), n_threads, watch, add);
}

std::vector<std::int64_t> choose_seeds(const Level& level, const Source& X,
                                       Matrix<const double> draws, size_t n_threads, Watch& watch) {
    const size_t n = n_rows_of(X), n_features = X.n_features();
    std::vector<double> mass(n), chance(n), closest, of_part((n + ROWS_A_PART - 1) / ROWS_A_PART);
    for (size_t i = 0; i < n; ++i) mass[i] = X.weight_of(i);
    std::vector<double> distance(n * draws.cols), points(draws.cols * n_features);
    std::vector<std::int64_t> seeds;
    for (size_t s = 0; s < draws.rows && !watch.stopped(); ++s) {
        set_chances(mass, closest, chance, of_part);
        const size_t n_drawn = s == 0 ? 1 : draws.cols;
        std::vector<size_t> drawn(n_drawn);
        for (size_t c = 0; c < n_drawn; ++c) {
            drawn[c] = draw(chance, of_part, draws[s][c]);
            read_row(X, drawn[c], &points[c * n_features]);
        }
        const Matrix<double> found{distance.data(), n, n_drawn};
        const auto left = sum_over_parts(
            n, n_drawn, n_threads, watch, [&](size_t first, size_t last, double* own) {
                level.compare(X, {points.data(), n_drawn, n_features}, Wanted::squares, first, last,
                              found);
                for (size_t i = first; i < last; ++i)
                    for (size_t c = 0; c < n_drawn; ++c) {
                        if (s > 0) found[i][c] = std::min(found[i][c], closest[i]);
                        own[c] += mass[i] * found[i][c];
                    }
            });
        const auto best = size_t(std::min_element(left.begin(), left.end()) - left.begin());
        closest.resize(n);
        for (size_t i = 0; i < n; ++i) closest[i] = found[i][best];
        seeds.push_back(std::int64_t(drawn[best]));
    }
    return seeds;
}

}  // namespace fuzzypairs
