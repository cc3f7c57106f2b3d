// One row of a group with everything else fixed, eq. (24): a separable programme on
// the simplex, solved exactly.
#pragma once

#include <cmath>

#include "tiles.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

inline constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Reciprocals above this may belong to curvatures that are zero in effect.
inline constexpr double ON_PROTOTYPE = 1e20;
// Stands for linear coefficients that are out of reach; times zero it is zero.
inline constexpr double OUT_OF_REACH = 1e200;

// The same lines solve one group with its clusters in lanes, and WIDTH groups of equal
// size with a group in each lane. They differ in what a sum over clusters is.

/// Lanes are the clusters of one row, filled up by clusters that nobody can join.
struct AcrossClusters {
    static size_t vectors(size_t k) { return (k + WIDTH - 1) / WIDTH; }
    static V total(V x) { return sum(x); }
    static V most(V x) { return largest(x); }
    static double over_groups(V x) { return x[0]; }
    /// The clusters in vector j of a row.
    static V number(size_t j) {
        double out[WIDTH];
        for (size_t i = 0; i < WIDTH; ++i) out[i] = double(j * WIDTH + i);
        return V::load(out);
    }
    static V pull(const double* pulls, size_t e) { return pulls[e]; }
    /// `values` of the cluster `low`.
    static V at(const double* values, const double* low) {
        return values[static_cast<size_t>(low[0])];
    }
    /// The place of the least bound of all lanes.
    static void least(V& bound, V& place) {
        size_t best = 0;
        for (size_t i = 1; i < WIDTH; ++i)
            if (bound[i] < bound[best]) best = i;
        bound = bound[best];
        place = place[best];
    }
    /// Put a row whole into the cluster `low`.
    static void put_vertex(size_t n, const double* low, double* u) {
        for (size_t j = 0; j < n * WIDTH; ++j) u[j] = j == static_cast<size_t>(low[0]);
    }
};

/// Lanes are groups: every lane is a problem of its own.
struct AcrossGroups {
    static size_t vectors(size_t k) { return k; }
    static V total(V x) { return x; }
    static V most(V x) { return x; }
    static double over_groups(V x) { return sum(x); }
    static V number(size_t j) { return double(j); }
    static V pull(const double* pulls, size_t e) { return V::load(pulls + e * WIDTH); }
    static V at(const double* values, const double* low) {
        V out;
        for (size_t i = 0; i < WIDTH; ++i)
            out.v[i] = values[static_cast<size_t>(low[i]) * WIDTH + i];
        return out;
    }
    static void least(V&, V&) {}
    static void put_vertex(size_t n, const double* low, double* u) {
        for (size_t j = 0; j < n; ++j)
            select(V::load(low) == V(double(j)), V(1.0), V(0.0)).store(u + j * WIDTH);
    }
};

/// Measure `linear` from where one cluster alone would hold everything.
///
/// The level is not above any `linear_j + 1 / inverse_j`. Measured from the place where
/// that is least, differences are exact even where a curvature is zero in effect;
/// clusters that begin above it are out of reach.
template <class P>
void measure_from_least(size_t n, const double* inverse, double* linear) {
    V bound = INFINITE, place = 0.0;
    for (size_t j = 0; j < n; ++j) {
        const V f = V::load(linear + j * WIDTH), top = f + V(1.0) / V::load(inverse + j * WIDTH);
        const auto lower = top < bound;
        bound = select(lower, top, bound);
        place = select(lower, f, place);
    }
    P::least(bound, place);
    for (size_t j = 0; j < n; ++j) {
        const V f = V::load(linear + j * WIDTH);
        const auto within = (f < bound) | (f == place);
        select(within, f - place, V(OUT_OF_REACH)).store(linear + j * WIDTH);
    }
}

/// Minimise 1/2 sum_j u_j^2 / inverse_j + linear_j u_j over the simplex.
///
/// The solution is u_j = max(0, (level - linear_j) inverse_j). The level is the root of
/// a convex, piecewise linear function: the clusters with u_j > 0 tell the first piece,
/// the root of any piece is not below the level, and Newton steps go down from there.
/// Measuring `linear` from its value at `low`, where the curvature is least, keeps the
/// digits of level - linear_j; `linear` is overwritten, `found` is room for a row. Returns
/// the largest change.
template <class P>
V solve_row(size_t n, const double* inverse, const double* low, bool near, double* linear,
            double* found, double* u) {
    if (near) measure_from_least<P>(n, inverse, linear);
    const V shift = near ? V(0.0) : P::at(linear, low);
    V mass = 0.0, moment = 0.0, total;
    for (size_t j = 0; j < n; ++j) {
        const V f = V::load(linear + j * WIDTH) - shift;
        f.store(linear + j * WIDTH);
        const V keep =
            select(V::load(u + j * WIDTH) > V(0.0), V::load(inverse + j * WIDTH), V(0.0));
        mass += keep;
        moment += f * keep;
    }
    V level = (V(1.0) + P::total(moment)) / P::total(mass);
    for (size_t step = 0; step <= n * WIDTH; ++step) {
        mass = moment = total = 0.0;
        for (size_t j = 0; j < n; ++j) {
            const V f = V::load(linear + j * WIDTH);
            const V keep = select(f < level, V::load(inverse + j * WIDTH), V(0.0));
            const V value = (level - f) * keep;
            value.store(found + j * WIDTH);
            mass += keep;
            moment += f * keep;
            total += value;
        }
        const V root = (V(1.0) + P::total(moment)) / P::total(mass);
        const auto lower = root < level;
        if (!any(lower)) break;
        level = select(lower, root, level);
    }
    // The sum is one but for rounding. Where it is no number the row stays as it is.
    total = P::total(total);
    const auto sound = (total > V(0.0)) & (total < V(INFINITE));
    const V factor = V(1.0) / total;
    V change = 0.0;
    for (size_t j = 0; j < n; ++j) {
        const V before = V::load(u + j * WIDTH);
        const V after = select(sound, V::load(found + j * WIDTH) * factor, before);
        change = max(abs(after - before), change);
        after.store(u + j * WIDTH);
    }
    return change;
}

/// The row programme for a fuzzifier g other than 2:
///
///     min over u of  sum_j d_j u_j^g + diagonal u_j^2 + 2 linear_j u_j.
///
/// Half its derivative, (g/2) d_j u_j^(g-1) + diagonal u_j + linear_j, is a common level
/// where u_j > 0 and no less elsewhere. Given the level each u_j is the root of a
/// monotone equation, and their sum grows with the level: one unknown.
class PowerRow {
  public:
    PowerRow(size_t k, double fuzzifier)
        : k_(k), power_(fuzzifier - 1.0), curvature_(k), found_(k), below_(k) {}

    /// Solve for u, (k,); `linear` is overwritten. Returns the largest change.
    double solve(const double* dist2, double diagonal, double* linear, double* u);

  private:
    struct AtLevel {
        double total = 0.0;  ///< sum of u
        double spread = 0.0; ///< sum of u_j / (d log(level - linear_j) / d log u_j)
        double slope = 0.0;  ///< derivative of the total by the level
    };
    AtLevel at_level(const double* linear, double diagonal, double level, double* u) const;

    size_t k_;
    double power_;
    Buffer<double> curvature_, found_, below_;
};

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
