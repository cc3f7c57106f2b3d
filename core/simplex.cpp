#include "simplex.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {
namespace {

// Searches end by rounding long before these; they only forbid endless loops.
constexpr int MAX_LEVELS = 200, MAX_NEWTON = 100;
// A relative step this short squares to less than rounding.
constexpr double SHORT = 1e-8;
// Added to distances, so that zero needs no case; its ninth root is nothing, too.
constexpr double TINIEST = 1e-280;
// log(1e-300): memberships below that are zero.
constexpr double LOG_SMALLEST = -690.7755278982137;

}  // namespace

double PowerRow::solve(const double* dist2, double diagonal, double* linear, double* u) {
    diagonal_ = diagonal;
    // No u_j exceeds one and the largest is at least 1 / k: the level lies between the
    // lowest derivative at 1 / k and the lowest at one. Measured from the linear_j of
    // the latter it keeps its digits even if that distance is zero.
    size_t low = 0;
    double top = INFINITE, bottom = INFINITE;
    for (size_t j = 0; j < k_; ++j) {
        curvature_[j] = 0.5 * g_ * (dist2[j] + TINIEST);
        logs_[j] = -INFINITE;
        rates_[j] = 0.0;
        const double end = linear[j] + (curvature_[j] + diagonal);
        if (end < top) {
            top = end;
            low = j;
        }
    }
    const double shift = linear[low], share = std::exp(-power_ * std::log(double(k_)));
    top = INFINITE;  // again: among equals rounding has hidden the lowest
    for (size_t j = 0; j < k_; ++j) {
        linear[j] -= shift;
        bottom = std::min(bottom, linear[j] + (share * curvature_[j] + diagonal / double(k_)));
        top = std::min(top, linear[j] + (curvature_[j] + diagonal));
    }
    // Room for rounding: equal memberships, whose level is the bottom, are not rare.
    bottom -= 1e-6 * (top - bottom);
    Buffer<double> found(k_, 0.0);
    double level = top, move = 0.0;
    for (int n = 0; n < MAX_LEVELS; ++n) {
        const AtLevel at = at_level(linear, level, move, found.data());
        const double missing = (1.0 - at.total) / at.slope;
        const double enough =
            std::max(SHORT / at.fastest, std::numeric_limits<double>::epsilon() * std::abs(level));
        if (std::abs(1.0 - at.total) <= SHORT && std::abs(missing) <= enough) {
            // What is missing goes where the level would bring it.
            for (size_t j = 0; j < k_; ++j) found[j] *= std::max(0.0, 1.0 + rates_[j] * missing);
            break;
        }
        (at.total > 1.0 ? top : bottom) = level;
        const double before = level;
        // Were all linear_j equal and one of the two powers absent, the sum would be a
        // power of the level: this is Newton's step for its logarithm.
        level -=
            at.spread / at.slope * (1.0 - std::exp(-at.total / at.spread * std::log(at.total)));
        if (!(bottom < level && level < top)) level = 0.5 * (bottom + top);
        move = level - before;
        if (!(bottom < level && level < top)) {
            mix(linear, bottom, top, found.data());
            break;
        }
    }
    double total = 0.0, change = 0.0;
    for (size_t j = 0; j < k_; ++j) total += found[j];
    if (!(total > 0.0 && total < INFINITE)) return 0.0;  // the row stays as it is
    for (size_t j = 0; j < k_; ++j) {
        change = std::max(change, std::abs(found[j] / total - u[j]));
        u[j] = found[j] / total;
    }
    return change;
}

/// Set u, its logarithms and their rates for a level that moved by `move`.
PowerRow::AtLevel PowerRow::at_level(const double* linear, double level, double move, double* u) {
    AtLevel out;
    for (size_t j = 0; j < k_; ++j) {
        const double rise = level - linear[j];
        Root at{-INFINITE, 0.0, power_};
        if (rise > 0.0) at = root(curvature_[j], rise, logs_[j] + rates_[j] * move);
        u[j] = at.u;
        logs_[j] = at.log;
        if (at.u > 0.0) {
            rates_[j] = 1.0 / (at.elasticity * rise);
            out.total += at.u;
            out.spread += at.u / at.elasticity;
            out.slope += at.u * rates_[j];
        } else {
            // What a zero is about to do when the level comes near its linear_j.
            logs_[j] = -INFINITE;
            rates_[j] = 1.0 / (power_ * (std::abs(rise) + TINIEST));
        }
        out.fastest = std::max(out.fastest, rates_[j]);
    }
    return out;
}

/// Solve curvature u^power + diagonal u = rise for a u of at most one.
///
/// The logarithm of the left side is convex in log u with slopes between `power` and
/// one: Newton's method converges from any guess, at last from above.
PowerRow::Root PowerRow::root(double curvature, double rise, double guess) const {
    double x = guess;
    if (diagonal_ == 0.0 || !(LOG_SMALLEST < x && x <= 0.0)) {
        // Either term alone bounds the root.
        x = std::min(std::log(rise / curvature) / power_, 0.0);
        if (diagonal_ == 0.0) return {x, std::exp(x), power_};
        x = std::min(x, std::log(rise / diagonal_));
    }
    for (int n = 0; n < MAX_NEWTON && x >= LOG_SMALLEST; ++n) {
        const double u = std::exp(x), first = curvature * std::exp(power_ * x);
        const double second = diagonal_ * u, value = first + second;
        const double elasticity = (power_ * first + second) / value;
        // Near the root, the logarithm but for a term of third order is faster.
        const double step = 0.5 * rise < value && value < 2.0 * rise
                                ? 2.0 * (value - rise) / ((value + rise) * elasticity)
                                : std::log(value / rise) / elasticity;
        x = std::min(x - step, 0.0);
        if (std::abs(step) <= SHORT) return {x, u * (1.0 - step), elasticity};
    }
    return {-INFINITE, 0.0, power_};
}

/// Set u between those of two neighbouring levels so that its sum is one.
///
/// For a large power u_j leaves zero so steeply that no float may lie between the levels
/// where the sum is too small and too large. What differs there is as good as flat, so
/// any mixture has the same derivatives.
void PowerRow::mix(const double* linear, double bottom, double top, double* u) {
    const double less = at_level(linear, bottom, 0.0, below_.data()).total;
    const double more = at_level(linear, top, 0.0, u).total;
    const double share = more > less ? (1.0 - less) / (more - less) : 1.0;
    for (size_t j = 0; j < k_; ++j)
        u[j] = below_[j] + std::min(std::max(share, 0.0), 1.0) * (u[j] - below_[j]);
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
