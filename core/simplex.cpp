#include "simplex.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {
namespace {

// Searches end by rounding long before these; they only forbid endless loops.
constexpr int MAX_LEVELS = 500, MAX_NEWTON = 100;
// Newton's steps for the level are usually a handful. They can also jump from side to side
// of it without end: now and then the interval is halved.
constexpr int HALVE_EVERY = 8;
// A relative step this short squares to less than rounding.
constexpr double SHORT = 1e-8;
// How near to one a sum of memberships must be; rows are then divided by it.
constexpr double CLOSE = 1e-13;
// Added to distances, so that zero needs no case; its ninth root is nothing, too.
constexpr double TINIEST = 1e-280;

struct Root {
    double u, elasticity;
};

/// Solve curvature u^power + diagonal u = rise for a u of at most one.
///
/// The logarithm of the left side is convex in log u with slopes, the elasticities,
/// between `power` and one. Either term alone bounds the root from above: the left side
/// is at most twice the rise there, and Newton's method comes down from that bound.
Root root(double curvature, double power, double diagonal, double rise) {
    Root at{0.0, power};
    double x = std::min(std::log(rise / curvature) / power, 0.0);
    x = std::min(x, std::log(rise / diagonal));
    for (int n = 0; n < MAX_NEWTON; ++n) {
        at.u = std::exp(x);
        const double first = curvature * std::exp(power * x), second = diagonal * at.u;
        const double value = first + second;
        at.elasticity = (power * first + second) / value;
        // log(value / rise) but for a term of third order.
        const double step = 2.0 * (value - rise) / ((value + rise) * at.elasticity);
        if (!(std::abs(step) > SHORT)) return {at.u * (1.0 - step), at.elasticity};
        x -= step;
    }
    return at;
}

}  // namespace

/// Set u for a level.
PowerRow::AtLevel PowerRow::at_level(const double* linear, double diagonal, double level,
                                     double* u) const {
    AtLevel out;
    for (size_t j = 0; j < k_; ++j) {
        const double rise = level - linear[j];
        u[j] = 0.0;
        if (!(rise > 0.0)) continue;
        const Root at = root(curvature_[j], power_, diagonal, rise);
        if (!(at.u > 0.0)) continue;
        u[j] = at.u;
        out.total += at.u;
        out.spread += at.u / at.elasticity;
        out.slope += at.u / (at.elasticity * rise);
    }
    return out;
}

double PowerRow::solve(const double* dist2, double diagonal, double* linear, double* u) {
    // No u_j exceeds one: the level is not above the lowest derivative there. Measured
    // from the linear_j of that cluster it keeps its digits even if the distance is zero.
    size_t low = 0;
    const auto end = [&](size_t j) { return linear[j] + (curvature_[j] + diagonal); };
    for (size_t j = 0; j < k_; ++j) {
        curvature_[j] = 0.5 * (power_ + 1.0) * (dist2[j] + TINIEST);
        if (end(j) < end(low)) low = j;
    }
    const double shift = linear[low];
    double top = INFINITE, bottom = INFINITE;
    for (size_t j = 0; j < k_; ++j) {
        linear[j] -= shift;
        top = std::min(top, end(j));
        bottom = std::min(bottom, linear[j]);
    }
    double level = top;
    for (int n = 0; n < MAX_LEVELS; ++n) {
        const AtLevel at = at_level(linear, diagonal, level, found_.data());
        if (std::abs(1.0 - at.total) <= CLOSE) break;
        (at.total > 1.0 ? top : bottom) = level;
        // Were all linear_j equal and one of the two powers absent, the sum would be a
        // power of the level: this is Newton's step for its logarithm.
        level -= at.spread / at.slope * -std::expm1(-at.total / at.spread * std::log(at.total));
        if (!(bottom < level && level < top) || n % HALVE_EVERY == HALVE_EVERY - 1)
            level = 0.5 * (bottom + top);
        if (bottom < level && level < top) continue;
        // For a large power u_j leaves zero so steeply that no float may lie between the
        // levels where the sum is too small and too large. What differs there is as good
        // as flat, so any mixture has the same derivatives.
        const double less = at_level(linear, diagonal, bottom, below_.data()).total;
        const double more = at_level(linear, diagonal, top, found_.data()).total;
        const double share =
            more > less ? std::min(std::max((1.0 - less) / (more - less), 0.0), 1.0) : 1.0;
        for (size_t j = 0; j < k_; ++j) found_[j] = below_[j] + share * (found_[j] - below_[j]);
        break;
    }
    double total = 0.0, change = 0.0;
    for (size_t j = 0; j < k_; ++j) total += found_[j];
    if (!(total > 0.0 && total < INFINITE)) return 0.0;  // the row stays as it is
    for (size_t j = 0; j < k_; ++j) {
        change = std::max(change, std::abs(found_[j] / total - u[j]));
        u[j] = found_[j] / total;
    }
    return change;
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
