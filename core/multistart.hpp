// Several starts for small indefinite groups, where one descent may end too high.
#pragma once

#include "active_set.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

// Descents end when memberships change by no more: whichever of them is better than what
// is known is then solved in full.
inline constexpr double ROUGH = 1e-3;
// A descent this near to the memberships known (the largest difference) falls back to
// them. Nearly all do, after two or three sweeps of the eight they would take to end.
inline constexpr double RETURNED = 0.02;

/// Mix three counters to a number (the splitmix64 finaliser).
inline std::uint64_t draw(std::uint64_t group, std::uint64_t trial, std::uint64_t row) {
    std::uint64_t z =
        group * 0x9E3779B97F4A7C15u + trial * 0xD1B54A32D192ED03u + row * 0x8CB92BA72F3D8DD7u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) >> 2;
}

/// Let one row choose as if it were alone; the others follow in sequence.
///
/// In the first trials the leading row takes its nearest cluster whole, in as many others
/// its free memberships. Which rows yield is what most minima differ in.
template <class P, class Power>
void lead(Group<P, Power>& group, size_t trial, Solver& solver) {
    for (size_t i = 0; i < group.size(); ++i) group.U[i] = 0.0;
    for (size_t step = 0; step < group.n_rows; ++step) {
        const size_t t = (trial + step) % group.n_rows;
        if (step == 0 && trial < group.n_rows)
            P::put_vertex(group.n(), group.low + t * WIDTH, group.U + t * group.stride());
        else
            group.solve(t, solver);
    }
}

/// Descend from several starts and keep, in each lane, what is lower by `gain`.
///
/// There are `turns` starts a row, or `n_starts` if that is more. All vertices are tried
/// if they are no more than these, which makes k = r = 2 global (Corollary 1); otherwise
/// rows take turns to choose first, and further starts are vertices drawn by a counter:
/// the result depends neither on threads nor on a random state. A group that is surely
/// convex is left alone. Returns how many groups improved.
template <class P, class Power>
size_t try_starts(Group<P, Power>& group, const Refinement& options, size_t seed, Solver& solver,
                  Watch& watch) {
    if (options.n_starts == 0 || group.n_rows > options.max_rows || group.is_surely_convex())
        return 0;
    Buffer<double> known(group.size()), best(group.size());
    group.save(known);
    group.save(best);
    const V bound = group.objective() - V(options.gain);
    V lowest = bound;
    const size_t n_led = options.turns * group.n_rows;
    const size_t n_trials = std::max(options.n_starts, n_led);
    const double n_vertices = std::pow(double(group.k), double(group.n_rows));
    const bool all_vertices = n_vertices <= double(n_trials);
    const double tol = std::max(options.tol, ROUGH);
    double corner[WIDTH];
    for (size_t trial = 0; trial < (all_vertices ? size_t(n_vertices) : n_trials); ++trial) {
        if (watch.stopped()) break;
        if (!all_vertices && trial < n_led) {
            lead(group, trial, solver);
        } else {
            size_t code = trial;
            for (size_t t = 0; t < group.n_rows; ++t, code /= group.k) {
                const size_t drawn = all_vertices ? code : size_t(draw(seed, trial, t));
                V(double(drawn % group.k)).store(corner);
                P::put_vertex(group.n(), corner, group.U + t * group.stride());
            }
        }
        for (size_t n = 0; n < MAX_SWEEPS; ++n) {
            const V moved = group.sweep(options.scale, solver);
            const V away = P::most(group.farthest(known));
            if (!any((moved > V(tol)) & (away > V(RETURNED)))) break;
        }
        const V objective = group.objective();
        const auto lower = objective < lowest;
        if (!any(lower)) continue;
        lowest = select(lower, objective, lowest);
        for (size_t i = 0; i < group.size(); i += WIDTH)
            select(lower, V::load(group.U + i), V::load(best.data() + i)).store(best.data() + i);
    }
    group.restore(best);
    return size_t(P::over_groups(select(lowest < bound, V(1.0), V(0.0))));
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
