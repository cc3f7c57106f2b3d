// Groups of samples that judgements join: problem (16), by block coordinate descent
// in sequence (DBCD) and conjugate gradients on the active set. D is never formed.
//
// For row i, with everything else fixed, eq. (24) has the curvature a_i = w_i d_i +
// diagonal_i and the linear coefficient f_i = -sum_q pull_iq u_q. Distances and pulls
// are kept apart, and alike rows enter by their differences: beta may exceed the
// distances by many orders without their digits being lost.
#pragma once

#include "simplex.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

/// Powers of memberships for fuzzifier 2.
struct Squared {
    static constexpr bool is_quadratic = true;
    V weight(V u) const { return u * u; }
    V slope(V u) const { return u; }  ///< half the derivative of the weight
    double least_curvature() const { return 1.0; }
};

/// Powers of memberships for another fuzzifier g.
struct General {
    static constexpr bool is_quadratic = false;
    double g;
    // For g near 1 a membership may be too small for a float while its u^(g-1) is not.
    static constexpr double SMALLEST = 1e-300;

    V weight(V u) const { return power(u, g, 0.0, 1.0); }
    V slope(V u) const { return power(u, g - 1.0, SMALLEST, 0.5 * g); }
    /// Half the second derivative is not below g (g - 1) / 2 for g <= 2; else it is 0
    /// where u is zero.
    double least_curvature() const { return g <= 2.0 ? 0.5 * g * (g - 1.0) : 0.0; }

  private:
    static V power(V u, double exponent, double least, double factor) {
        double out[WIDTH];
        for (size_t i = 0; i < WIDTH; ++i) {
            const double x = std::max(u[i], least);
            out[i] = x > 0.0 ? factor * std::exp(exponent * std::log(x)) : 0.0;
        }
        return V::load(out);
    }
};

/// Room for solving the rows of groups with k clusters, one after the other.
struct Solver {
    Buffer<double> linear, found;
    PowerRow row;
    Solver(size_t k, double fuzzifier)
        : linear((k + WIDTH) * WIDTH, 0.0), found(linear.size()), row(k, fuzzifier) {}
};

/// Judgements of a group. Pulls and diagonals are read by P::pull.
struct Judgements {
    const std::int64_t* indptr;   ///< (n_rows + 1,)
    const std::int64_t* neighbor; ///< counts rows from `origin`
    std::int64_t origin;
    const double* pull;     ///< of each edge
    const double* diagonal; ///< of each row
    double own;
};

/// Rows of a group: memberships, distances, and what follows from these.
struct Rows {
    double *U, *dist2, *inverse; ///< (n_rows, n vectors)
    double* low;                 ///< (n_rows, WIDTH) the nearest cluster
    bool* near;                  ///< (n_rows,) whether a curvature is zero in effect
};

/// One group (P = AcrossClusters), or WIDTH groups of equal size (AcrossGroups).
///
/// A view: arrays belong to `PackedGroups` or to scratch. A row has `n` vectors.
template <class P, class Power>
struct Group : Judgements, Rows {
    static constexpr bool is_batch = std::is_same_v<P, AcrossGroups>;
    size_t k, n_rows;
    Power power;

    size_t n() const { return P::vectors(k); }
    size_t stride() const { return n() * WIDTH; }
    size_t size() const { return n_rows * stride(); }
    size_t row_of(size_t e) const { return static_cast<size_t>(neighbor[e] - origin); }
    /// How much of a judgement is a squared difference; the rest is a product.
    V part(V pull) const { return select(pull > V(0.0), V(own), V(0.0)); }

    void save(Buffer<double>& to) const { std::memcpy(to.data(), U, size() * sizeof(double)); }
    void restore(const Buffer<double>& from) {
        std::memcpy(U, from.data(), size() * sizeof(double));
    }

    /// Cut off what is negative and divide rows by their sums; tell whether these allow it.
    bool renormalise() {
        bool is_sound = true;
        for (size_t t = 0; t < n_rows; ++t) {
            double total = 0.0, *u = U + t * stride();
            for (size_t j = 0; j < stride(); ++j) total += u[j] = std::max(0.0, u[j]);
            is_sound = is_sound && total > 0.0 && total < INFINITE;
            for (size_t j = 0; j < stride(); ++j) u[j] /= total;
        }
        return is_sound;
    }

    /// The largest difference to other memberships.
    V farthest(const Buffer<double>& from) const {
        V most = 0.0;
        for (size_t i = 0; i < size(); i += WIDTH)
            most = max(abs(V::load(U + i) - V::load(from.data() + i)), most);
        return most;
    }

    /// Set what follows from the distances: inverse, low and near.
    void invert() {
        for (size_t t = 0; t < n_rows; ++t) {
            const V judged = P::pull(diagonal, t) + V(TINY);
            V least = INFINITE, place = 0.0, steepest = 0.0;
            for (size_t j = 0; j < n(); ++j) {
                const size_t at = t * stride() + j * WIDTH;
                const V d = V::load(dist2 + at), curvature = d + judged;
                // Clusters that fill up a row are infinitely far: nobody can join them.
                const V inverted = select(d < V(INFINITE), V(1.0) / curvature, V(0.0));
                inverted.store(inverse + at);
                steepest = max(inverted, steepest);
                const auto lower = d < least;
                place = select(lower, P::number(j), place);
                least = select(lower, d, least);
            }
            P::least(least, place);
            place.store(low + t * WIDTH);
            near[t] = any(steepest > V(ON_PROTOTYPE));
        }
    }

    /// Set `linear` to -sum_q pull_tq u_q, the off-diagonal blocks of eq. (19).
    void set_linear(size_t t, double* linear) const {
        const auto first = size_t(indptr[t]), last = size_t(indptr[t + 1]);
        for (size_t j = 0; first == last && j < stride(); ++j) linear[j] = 0.0;
        for (size_t e = first; e < last; ++e) {
            const V p = P::pull(pull, e);
            const double* other = U + row_of(e) * stride();
            for (size_t j = 0; j < stride(); j += WIDTH) {
                const V sum = e == first ? V(0.0) : V::load(linear + j);
                (sum - p * V::load(other + j)).store(linear + j);
            }
        }
    }

    /// Solve row t with all others as they are; return its largest change.
    V solve(size_t t, Solver& solver) {
        double* linear = solver.linear.data();
        set_linear(t, linear);
        const size_t at = t * stride();
        if constexpr (Power::is_quadratic)
            return solve_row<P>(n(), inverse + at, low + t * WIDTH, near[t], linear,
                                solver.found.data(), U + at);
        else
            return solver.row.solve(dist2 + at, diagonal[t], linear, U + at);
    }

    /// Update the rows in sequence, each from the newest others; return the change.
    ///
    /// It is multiplied where judgements outweigh the distances' `scale`: a row that
    /// many strong judgements hold moves little however large the gradient is, and it
    /// is the gradient that tells the error.
    V sweep(double scale, Solver& solver) {
        V most = 0.0;
        for (size_t t = 0; t < n_rows; ++t) {
            const V weight = V(1.0) + P::pull(diagonal, t) * V(1.0 / scale);
            most = max(solve(t, solver) * weight, most);
        }
        return P::most(most);
    }

    /// u'Du of eq. (16): distances and judgements.
    V objective() const {
        V total = 0.0;
        for (size_t t = 0; t < n_rows; ++t) {
            const double* u = U + t * stride();
            for (size_t j = 0; j < stride(); j += WIDTH)
                total += finite(dist2 + t * stride() + j) * power.weight(V::load(u + j));
            for (auto e = size_t(indptr[t]); e < size_t(indptr[t + 1]); ++e) {
                if (row_of(e) >= t) continue;
                const V p = P::pull(pull, e), square = part(p), product = square - V(1.0);
                const double* v = U + row_of(e) * stride();
                V cost = 0.0;
                for (size_t j = 0; j < stride(); j += WIDTH) {
                    const V a = V::load(u + j), b = V::load(v + j);
                    cost += square * (a - b) * (a - b) + (product + product) * a * b;
                }
                total += p * cost;
            }
        }
        return P::total(total);
    }

    /// The sum of the objectives of all groups.
    double value() const { return P::over_groups(objective()); }

    /// Set `out` to row t of D applied to `rows`: half the gradient of the objective.
    ///
    /// A judgement of alike adds pull (own u_t - u_q), one of unlike -pull u_q.
    void gradient(size_t t, const double* rows, double* out) const {
        const double* u = rows + t * stride();
        for (size_t j = 0; j < stride(); j += WIDTH)
            (finite(dist2 + t * stride() + j) * power.slope(V::load(u + j))).store(out + j);
        for (auto e = size_t(indptr[t]); e < size_t(indptr[t + 1]); ++e) {
            const V p = P::pull(pull, e), square = part(p);
            const double* v = rows + row_of(e) * stride();
            for (size_t j = 0; j < stride(); j += WIDTH)
                (V::load(out + j) + p * (square * V::load(u + j) - V::load(v + j))).store(out + j);
        }
    }

    /// The largest violation of the optimality conditions, in units of `scale`.
    ///
    /// On each row the gradient must equal a level where u > 0 and not fall below it
    /// elsewhere. A membership that should shrink counts no more than the scale * u
    /// that it can still give.
    V residual(double scale, Solver& solver) const {
        V worst = 0.0;
        double* slope = solver.linear.data();
        for (size_t t = 0; t < n_rows; ++t) {
            gradient(t, U, slope);
            const double* u = U + t * stride();
            V level = 0.0;
            for (size_t j = 0; j < stride(); j += WIDTH)
                level += V::load(u + j) * V::load(slope + j);
            level = P::total(level);
            for (size_t j = 0; j < stride(); j += WIDTH) {
                const V excess = V::load(slope + j) - level, room = V(scale) * V::load(u + j);
                const V violation = max(V(0.0) - excess, min(excess, room));
                const auto real = V::load(inverse + t * stride() + j) > V(0.0);
                worst = max(select(real, violation, V(0.0)), worst);
            }
        }
        return P::most(worst) * V(1.0 / scale);
    }

    /// Whether distances outweigh every judgement of unlike.
    ///
    /// Judgements of alike add a graph Laplacian to D. One of unlike adds, for each
    /// cluster, a 2 x 2 matrix that is positive semi-definite together with its share of
    /// the distances of both rows. D is positive semi-definite then, and the point where
    /// descent ends is the global optimum already.
    bool is_surely_convex() const {
        const V factor = power.least_curvature();
        for (size_t t = 0; t < n_rows; ++t)
            for (auto e = size_t(indptr[t]); e < size_t(indptr[t + 1]); ++e) {
                const size_t q = row_of(e);
                if (q <= t) continue;
                const V bound =
                    select(part(P::pull(pull, e)) < V(1.0), against(t) * against(q), V(0.0));
                for (size_t j = 0; j < stride(); j += WIDTH) {
                    const V a = V::load(dist2 + t * stride() + j),
                            b = V::load(dist2 + q * stride() + j);
                    if (any(factor * a * factor * b < bound)) return false;
                }
            }
        return true;
    }

  private:
    /// Distances; 0 for the infinite ones that fill up a row.
    static V finite(const double* from) {
        const V d = V::load(from);
        return select(d < V(INFINITE), d, V(0.0));
    }
    /// The sum of the row's judgements that are products: of unlike, or all of eq. (4).
    V against(size_t t) const {
        V total = 0.0;
        for (auto e = size_t(indptr[t]); e < size_t(indptr[t + 1]); ++e) {
            const V p = P::pull(pull, e);
            total += select(part(p) < V(1.0), abs(p), V(0.0));
        }
        return total;
    }
};

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
