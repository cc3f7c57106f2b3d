// Conjugate gradients over the memberships that are not zero, and groups solved to a
// projected gradient.
//
// Where judgements are much stronger than distances, sweeps converge slowly along the
// smooth modes of the constraint graph: each step is tiny while the error is not. The
// gradient shows that error, so it decides when to stop, and conjugate gradients on the
// active set remove it. Every step lowers the objective, convex or not.
#pragma once

#include "groups.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

// A sweep that moves more than this share of the one before it converges slowly.
inline constexpr double SLOW = 0.8;
inline constexpr size_t MAX_ROUNDS = 100, SWEEPS_A_ROUND = 12, CG_STEPS_A_ROUND = 1000;
// A batch, or a descent from a vertex, that is not done by then is left.
inline constexpr size_t MAX_SWEEPS = 60;
// How far conjugate gradients can reduce the squared gradient in float64.
inline constexpr double CG_ROUNDING = 1e-24;

/// One descent within the face of the non-zero memberships of a group.
///
/// The directions keep every row's sum; the preconditioner is the exact solution of each
/// row alone. It ends at a gradient below the tolerance, at the border of the face or,
/// where the curvature is negative, on that border by choice.
class FaceDescent {
  public:
    using One = Group<AcrossClusters, Squared>;
    explicit FaceDescent(One& group)
        : group_(group), size_(group.size()), residual_(size_), direction_(size_), image_(size_),
          step_(size_), free_(size_) {}

    void run(double tol, Watch& watch) {
        double* U = group_.U;
        for (size_t t = 0; t < group_.n_rows; ++t)
            group_.gradient(t, U, residual_.data() + t * group_.stride());
        for (size_t i = 0; i < size_; i += WIDTH) {
            select(V::load(U + i) > V(0.0), V(1.0), V(0.0)).store(free_.data() + i);
            (V(0.0) - V::load(residual_.data() + i)).store(residual_.data() + i);
        }
        precondition();
        std::memcpy(direction_.data(), step_.data(), size_ * sizeof(double));
        // Beyond this, directions are rounding and would leave the simplex.
        const double floor = CG_ROUNDING * energy_;
        for (size_t n = 0; n < CG_STEPS_A_ROUND && !watch.stopped(); ++n) {
            if (!(largest_ > tol && energy_ > floor)) return;
            const double curvature = apply(), border = distance_to_border();
            if (!std::isfinite(curvature)) return;
            if (curvature * border <= energy_ || curvature <= 0.0) {
                if (std::isfinite(border)) cross_border(curvature, border);
                return;
            }
            const double length = energy_ / curvature, before = energy_;
            for (size_t i = 0; i < size_; i += WIDTH) {
                const V d = V::load(direction_.data() + i), D = V::load(image_.data() + i);
                (V::load(U + i) + V(length) * d).store(U + i);
                (V::load(residual_.data() + i) - V(length) * D).store(residual_.data() + i);
            }
            precondition();
            const V ratio = energy_ / before;
            for (size_t i = 0; i < size_; i += WIDTH)
                (V::load(step_.data() + i) + ratio * V::load(direction_.data() + i))
                    .store(direction_.data() + i);
        }
    }

  private:
    /// Solve each row alone within the face.
    ///
    /// The level of each row is taken off its residual: it does not act along the face,
    /// and the rest would be lost to rounding beside it.
    void precondition() {
        V energy = 0.0, largest_so_far = 0.0;
        for (size_t t = 0; t < group_.n_rows; ++t) {
            const size_t first = t * group_.stride(), last = first + group_.stride();
            V mass = 0.0, moment = 0.0;
            for (size_t i = first; i < last; i += WIDTH) {
                const V inverse = V::load(free_.data() + i) * V::load(group_.inverse + i);
                mass += inverse;
                moment += inverse * V::load(residual_.data() + i);
            }
            const V level = sum(moment) / sum(mass);
            for (size_t i = first; i < last; i += WIDTH) {
                const auto within = V::load(free_.data() + i) > V(0.0);
                const V r = select(within, V::load(residual_.data() + i) - level, V(0.0));
                const V s = r * V::load(group_.inverse + i);
                r.store(residual_.data() + i);
                s.store(step_.data() + i);
                energy += r * s;
                largest_so_far = max(abs(r), largest_so_far);
            }
        }
        energy_ = sum(energy);
        largest_ = largest(largest_so_far);
    }

    /// Set the image D direction within the face; return the curvature.
    double apply() {
        V curvature = 0.0;
        for (size_t t = 0; t < group_.n_rows; ++t)
            group_.gradient(t, direction_.data(), image_.data() + t * group_.stride());
        for (size_t i = 0; i < size_; i += WIDTH) {
            const V inside = V::load(image_.data() + i) * V::load(free_.data() + i);
            inside.store(image_.data() + i);
            curvature += inside * V::load(direction_.data() + i);
        }
        return sum(curvature);
    }

    double distance_to_border() const {
        double border = INFINITE;
        for (size_t i = 0; i < size_; ++i)
            if (direction_[i] < 0.0) border = std::min(border, -group_.U[i] / direction_[i]);
        return border;
    }

    /// Step past the border with negative memberships cut off, or else up to it.
    ///
    /// One membership at a time would need a round for each that becomes zero; cutting
    /// many at once is kept only if it is better than stopping at the border.
    void cross_border(double curvature, double border) {
        double* U = group_.U;
        const double before = group_.value();
        Buffer<double> kept(size_);
        group_.save(kept);
        const double length = curvature > 0.0 ? energy_ / curvature : 2.0 * border;
        for (size_t i = 0; i < size_; ++i) {
            // What reaches the border is zero, not zero up to rounding.
            const double value = kept[i] + border * direction_[i];
            image_[i] = value > 1e-15 ? value : 0.0;
            U[i] = kept[i] + length * direction_[i];
        }
        const double beyond = group_.renormalise() ? group_.value() : INFINITE;
        group_.save(step_);
        group_.restore(image_);
        const double at_border = group_.value();
        if (beyond < at_border) group_.restore(step_);
        if (!(std::min(beyond, at_border) <= before)) group_.restore(kept);
    }

    One& group_;
    size_t size_;
    Buffer<double> residual_, direction_, image_, step_, free_;
    double energy_ = 0.0, largest_ = 0.0;
};

template <class Power>
void descend_face(Group<AcrossClusters, Power>& group, double tol, Watch& watch) {
    if constexpr (Power::is_quadratic) FaceDescent(group).run(tol, watch);
}

/// Go where a geometric series of sweeps would end, if that is lower: for fuzzifiers
/// other than 2. `older` and `newer` are the rows two sweeps and one sweep ago.
template <class One>
void extrapolate(One& group, const Buffer<double>& older, const Buffer<double>& newer) {
    double size = 0.0, product = 0.0;
    for (size_t i = 0; i < group.size(); ++i) {
        const double first = newer[i] - older[i];
        size += first * first;
        product += first * (group.U[i] - newer[i]);
    }
    if (!(0.0 < product && product < size)) return;
    const double length = product / (size - product), before = group.value();
    Buffer<double> kept(group.size());
    group.save(kept);
    for (size_t i = 0; i < group.size(); ++i) group.U[i] += length * (group.U[i] - newer[i]);
    if (!group.renormalise() || !(group.value() <= before)) group.restore(kept);
}

/// Work on a group if any lane asks for it.
template <class Power, class Work>
void in_lanes(Group<AcrossClusters, Power>& group, V::Condition lanes, Work&& work) {
    if (any(lanes)) work(group);
}

/// Work on some lanes of a batch, each as a group of its own.
template <class Work>
void in_lanes(Group<AcrossGroups, Squared>& batch, V::Condition lanes, Work&& work) {
    if (!any(lanes)) return;
    const size_t k = batch.k, n_rows = batch.n_rows, stride = AcrossClusters::vectors(k) * WIDTH;
    Buffer<double> U(n_rows * stride, 0.0), dist2(U.size(), INFINITE), inverse(U.size());
    Buffer<double> low(n_rows * WIDTH), pull(n_rows * (n_rows - 1)), diagonal(n_rows);
    Buffer<bool> near(n_rows);
    for (size_t lane = 0; lane < WIDTH; ++lane) {
        if (!lanes.bits[lane]) continue;
        for (size_t e = 0; e < pull.size(); ++e) pull[e] = batch.pull[e * WIDTH + lane];
        for (size_t t = 0; t < n_rows; ++t) {
            diagonal[t] = batch.diagonal[t * WIDTH + lane];
            for (size_t j = 0; j < k; ++j) {
                const size_t from = (t * k + j) * WIDTH + lane;
                U[t * stride + j] = batch.U[from];
                dist2[t * stride + j] = batch.dist2[from];
            }
        }
        Group<AcrossClusters, Squared> one{
            {batch.indptr, batch.neighbor, 0, pull.data(), diagonal.data(), batch.own},
            {U.data(), dist2.data(), inverse.data(), low.data(), near.data()},
            k,
            n_rows,
            {}};
        one.invert();
        work(one);
        for (size_t t = 0; t < n_rows; ++t)
            for (size_t j = 0; j < k; ++j) batch.U[(t * k + j) * WIDTH + lane] = U[t * stride + j];
    }
}

/// Sweep, then conjugate gradients where sweeps converge slowly; return the last change.
/// Theorem 1 needs only that a step does not raise the objective.
template <class One>
double descend(One& group, const Effort& effort, Solver& solver, Watch& watch) {
    V moved = 0.0, before = 0.0;
    for (size_t n = 0; n < effort.n_sweeps; ++n) {
        before = moved;
        moved = group.sweep(effort.scale, solver);
        if (!any(moved > V(effort.tol)) || (!One::is_batch && watch.stopped())) break;
    }
    const auto is_slow = (moved > V(effort.tol)) & (moved > V(SLOW) * before) & (before > V(0.0));
    double change = largest(select(is_slow, V(0.0), moved));
    in_lanes(group, is_slow, [&](auto& one) {
        descend_face(one, effort.tol * effort.scale, watch);
        change = std::max(change, one.sweep(effort.scale, solver)[0]);
    });
    return change;
}

/// Solve one group to a projected gradient of `tol`, in units of `scale`.
template <class Power>
void settle_one(Group<AcrossClusters, Power>& group, double tol, double scale, Solver& solver,
                Watch& watch) {
    Buffer<double> older(group.size()), newer(group.size());
    const auto is_done = [&] { return !(group.residual(scale, solver)[0] > tol); };
    for (size_t round = 0; round < MAX_ROUNDS && !watch.stopped(); ++round) {
        for (size_t n = 0; n < SWEEPS_A_ROUND; ++n) {
            if constexpr (!Power::is_quadratic) {
                std::swap(older, newer);
                group.save(newer);
            }
            if (!(group.sweep(scale, solver)[0] > 0.0)) break;
        }
        if (is_done()) return;
        descend_face(group, 0.1 * tol * scale, watch);
        if constexpr (!Power::is_quadratic) extrapolate(group, older, newer);
        if (is_done()) return;
    }
}

/// Solve groups to a projected gradient of `tol`, in units of `scale`.
template <class One>
void settle(One& group, double tol, double scale, Solver& solver, Watch& watch) {
    auto lanes = group.residual(scale, solver) > V(tol);
    if (One::is_batch && any(lanes)) {
        for (size_t n = 0; n < MAX_SWEEPS; ++n)
            if (!any(group.sweep(scale, solver) > V(tol))) break;
        lanes = group.residual(scale, solver) > V(tol);
    }
    in_lanes(group, lanes, [&](auto& one) { settle_one(one, tol, scale, solver, watch); });
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
