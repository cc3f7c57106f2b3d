#include "descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuzzypairs {
namespace {

// Acceleration waits until a step is this small, relative to the spread of the data: far
// from the end it can jump to another, higher valley.
constexpr double ACCELERATE_BELOW = 0.02;
// The most sweeps of a group within one outer step, and how far below the outer step its
// own change must be for fewer to do; mostly two or three are. Fewer at the most (3) made
// a fit of 58 000 samples with 5800 judgements take 35 passes instead of 23.
constexpr size_t MOST_SWEEPS = 12;
constexpr double INNER_SHARE = 0.1;
// Relative changes of the objective up to this are rounding.
constexpr double ROUNDING = 1e-14;
// Groups of up to this many samples are descended from several starts within a fit: two
// for each sample, and at least four. Of 2900 random groups of two to five samples that
// may be indefinite, one start found the best known point in 79 %, eight random vertices
// more in 94 %, twenty in 97 %, and the two for each sample in 97 %; these were the best
// of 17 sets of starts tried on the same groups, so a little less elsewhere.
constexpr size_t SMALL_GROUP = 8;
constexpr MultiStartPolicy::Trials NONE{0, 0}, BRIEF{1, 1}, FULL{2, 4};
// Long runs stop trying when that lowers the objective by no more than this share of
// `tol`. Going on as long as one of thousands of groups improves made a fit of 20 000
// samples and 2000 judgements take 31 passes instead of 27.
constexpr double LITTLE = 0.1;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double total = 0.0;
    for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
    return total;
}

double squared_gap(const double* a, const double* b, size_t n) {
    double total = 0.0;
    for (size_t i = 0; i < n; ++i) total += (a[i] - b[i]) * (a[i] - b[i]);
    return total;
}

}  // namespace

void Acceleration::note(const std::vector<double>& image, const std::vector<double>& shift) {
    if (has_last_) {
        const size_t slot = n_++ % DEPTH;
        d_image_[slot].resize(image.size());
        d_shift_[slot].resize(image.size());
        for (size_t i = 0; i < image.size(); ++i) {
            d_image_[slot][i] = image[i] - image_[i];
            d_shift_[slot][i] = shift[i] - shift_[i];
        }
        for (size_t other = 0; other < std::min(n_, DEPTH); ++other)
            gram_[slot][other] = gram_[other][slot] = dot(d_shift_[slot], d_shift_[other]);
    }
    image_ = image;
    shift_ = shift;
    has_last_ = true;
}

std::vector<double> Acceleration::propose() const {
    const size_t n = std::min(n_, DEPTH);
    double system[DEPTH][DEPTH + 1];
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) system[i][j] = gram_[i][j];
        // A small ridge bounds the solution where differences are nearly parallel.
        system[i][i] = system[i][i] * (1.0 + 1e-10) + 1e-300;
        system[i][n] = dot(d_shift_[i], shift_);
    }
    // Positive definite and small: elimination needs no pivots.
    for (size_t i = 0; i < n; ++i)
        for (size_t row = 0; row < n; ++row) {
            if (row == i) continue;
            const double factor = system[row][i] / system[i][i];
            for (size_t j = i; j <= n; ++j) system[row][j] -= factor * system[i][j];
        }
    std::vector<double> C = image_;
    for (size_t i = 0; i < n; ++i) {
        const double weight = system[i][n] / system[i][i];
        for (size_t at = 0; at < C.size(); ++at) C[at] -= weight * d_image_[i][at];
    }
    return C;
}

MultiStartPolicy::Trials MultiStartPolicy::next(const std::vector<double>& C, size_t k,
                                                double shortest) {
    if (is_over_) return NONE;
    if (tried_at_.size() == C.size()) {
        const double gap = squared_gap(C.data(), tried_at_.data(), C.size());
        if (std::sqrt(gap / double(k)) <= shortest) return NONE;
    }
    tried_at_ = C;
    ++n_trials_;
    return is_long_ && n_trials_ == 1 ? BRIEF : FULL;
}

void MultiStartPolicy::record(double gained, double tol) {
    if (is_long_ && n_trials_ > 1 && gained <= LITTLE * tol) is_over_ = true;
}

void MultiStartPolicy::return_to(const std::vector<double>& C) {
    *this = MultiStartPolicy(is_long_);
    tried_at_ = C;
    n_trials_ = 1;
}

Descent::Descent(Passes& passes, RunGroups groups, Options options, Matrix<const double> C)
    : passes_(passes), groups_(std::move(groups)), options_(std::move(options)),
      n_features_(C.cols), policy_(options_.is_long) {
    restart({C.rows, {C.data, C.data + C.size()}});
}

void Descent::restart(Point&& point) {
    k_ = point.k;
    C_ = std::move(point.C);
    for (auto* state : {&image_, &shift_, &sums_}) state->assign(C_.size(), 0.0);
    masses_.assign(k_, 0.0);
    n_sweeps_ = MOST_SWEEPS;
    n_accepted_ = 0;
    step_ = std::numeric_limits<double>::infinity();
    inner_tol_ = INNER_SHARE;
    is_proposal_ = false;
    acceleration_.forget();
}

void Descent::run(Watch& watch) {
    settle(watch);
    if (lowest_ && lowest_->objective < end_.objective - 1e-12 * std::abs(end_.objective) &&
        !watch.stopped()) {
        // Other starts of groups lowered the objective, and then cost a cluster, and with
        // it more than they gained. They are not tried again, so this happens once.
        policy_.return_to(lowest_->C);
        groups_.restore(lowest_->slot);
        restart(std::move(*lowest_));
        lowest_.reset();
        settle(watch);
    }
}

/// Iterate and solve the groups in turn until neither moves.
void Descent::settle(Watch& watch) {
    Status status = Status::go_on;
    bool moved = true;
    while (status != Status::exhausted && moved) {
        while ((status = iterate(watch)) == Status::vanishing) delete_smallest();
        Point here = current();
        here.slot = lowest_ ? 1 - lowest_->slot : 0;
        groups_.save(here.slot);
        moved = refine(0.0, watch);
        if (moved && (!lowest_ || here.objective < lowest_->objective)) lowest_ = std::move(here);
    }
    converged_ = status == Status::settled && !moved;
    end_ = current();
    note(end_.objective);
}

/// Pass and advance until something is to be decided; tell what.
Descent::Status Descent::iterate(Watch& watch) {
    while (true) {
        pass(watch);
        if (watch.stopped()) return Status::exhausted;
        const Status status = advance();
        if (status != Status::go_on) return status;
        if (!groups_.is_empty() && step_ < ACCELERATE_BELOW && policy_.is_early_trial_due()) {
            C_ = image_;
            groups_.measure(prototypes(), watch);
            refine(inner_tol_, watch);
        }
    }
}

void Descent::pass(Watch& watch) {
    const Effort effort{n_sweeps_, inner_tol_, options_.scale};
    found_ = passes_.pass(prototypes(), effort, {sums_.data(), k_, n_features_}, masses_, watch);
    ++n_passes_;
}

/// Judge a finished pass and choose the prototypes of the next.
Descent::Status Descent::advance() {
    const double value = found_.rest + found_.groups, spread = options_.alpha * sum_of_distances();
    const double objective = value - spread, rounding = ROUNDING * (value + spread);
    const double gained = n_accepted_ > 0 ? last_objective_ - objective : 0.0;
    bool is_vanishing = false;
    for (size_t j = 0; j < k_; ++j) is_vanishing |= !(mass_of(j) > 0.0);
    if (is_proposal_ && (is_vanishing || gained < -rounding || !std::isfinite(objective))) {
        C_ = image_;
        groups_.go_back();
        is_proposal_ = false;
        acceleration_.forget();
        return n_passes_ >= options_.max_iter ? Status::exhausted : Status::go_on;
    }
    if (is_vanishing && k_ > 1) return Status::vanishing;

    note(objective);
    ++n_accepted_;
    last_objective_ = objective;
    groups_.keep();
    const double step = update_image(), tol = options_.tol;
    // The objective can no longer tell a good proposal; a plain step contracts.
    if (gained <= rounding && step >= step_) acceleration_.forget();
    step_ = step;
    inner_tol_ = std::max(INNER_SHARE * step, 0.1 * tol);
    const bool is_settled = step <= tol && found_.change <= tol && n_sweeps_ > 0;
    // The last pass that is allowed may settle; one more may only look at the groups that
    // were then refined.
    if (is_settled && n_passes_ <= options_.max_iter) return Status::settled;
    if (n_passes_ >= options_.max_iter || !std::isfinite(step)) return Status::exhausted;
    n_sweeps_ = MOST_SWEEPS;
    is_proposal_ = acceleration_.is_ready() && step < ACCELERATE_BELOW;
    C_ = is_proposal_ ? acceleration_.propose() : image_;
    return Status::go_on;
}

/// sum_ij w_i |x_i - c_j|^2 from the sums of w x, w |x|^2 and w.
double Descent::sum_of_distances() const {
    const auto& totals = options_.totals;
    double total = double(k_) * totals[n_features_];
    for (size_t j = 0; j < k_; ++j)
        for (size_t f = 0; f < n_features_; ++f) {
            const double c = C_[j * n_features_ + f];
            total += c * (c * totals[n_features_ + 1] - 2.0 * totals[f]);
        }
    return total;
}

/// The support of a cluster, eq. (12).
double Descent::mass_of(size_t j) const {
    return masses_[j] - options_.alpha * options_.totals[n_features_ + 1];
}

Point Descent::current() const {
    return {k_, C_, found_.rest + found_.groups - options_.alpha * sum_of_distances()};
}

void Descent::note(double objective) {
    history_.push_back(objective);
    sizes_.push_back(std::int64_t(k_));
}

/// Set the image of C, eq. (13); return the step.
double Descent::update_image() {
    for (size_t j = 0; j < k_; ++j)
        for (size_t f = 0; f < n_features_; ++f) {
            const size_t i = j * n_features_ + f;
            image_[i] = (sums_[i] - options_.alpha * options_.totals[f]) / mass_of(j);
            shift_[i] = image_[i] - C_[i];
        }
    acceleration_.note(image_, shift_);
    return std::sqrt(dot(shift_, shift_) / (double(k_) * options_.step_unit));
}

/// Solve the groups at the prototypes; tell whether that moved them.
///
/// To a tenth of the tolerance of the run, or to `tol` if that is more.
bool Descent::refine(double tol, Watch& watch) {
    if (groups_.is_empty()) return false;
    const double gain = std::max(1e-2 * options_.tol, 1e-12) * options_.scale;
    tol = std::max(tol, 0.1 * options_.tol);
    bool moved = solve_groups(gain, tol, watch);
    if (options_.improve_groups && options_.improve_groups(gain)) {
        solve_groups(gain, tol, watch);
        moved = true;
    }
    // What acceleration remembers belongs to other memberships.
    is_proposal_ = false;
    acceleration_.forget();
    return moved;
}

bool Descent::solve_groups(double gain, double tol, Watch& watch) {
    const double shortest = 10.0 * options_.tol * std::sqrt(options_.scale);
    const auto trials = policy_.next(C_, k_, shortest);
    const Refinement how{tol, options_.scale, trials.turns, trials.n_starts, SMALL_GROUP, gain};
    const Outcome all = groups_.refine(how, watch);
    const double gained = (found_.groups - all.value) / (found_.rest + found_.groups);
    found_.groups = all.value;
    if (trials.n_starts > 0) policy_.record(gained, options_.tol);
    return all.change > 10.0 * options_.tol || all.n_improved > 0;
}

/// Drop the cluster of the smallest mass, renormalise rows and go on: eq. (12).
///
/// Free rows need nothing: their memberships for the prototypes that are left are the
/// renormalised ones. The others rest for one pass (no sweep), so that the next prototypes
/// follow from renormalised rows alone.
void Descent::delete_smallest() {
    const auto smallest = std::min_element(masses_.begin(), masses_.end()) - masses_.begin();
    const auto width = std::ptrdiff_t(n_features_), at = smallest * width;
    Point point = current();
    point.k -= 1;
    point.C.erase(point.C.begin() + at, point.C.begin() + at + width);
    groups_.drop(size_t(smallest));
    restart(std::move(point));
    n_sweeps_ = 0;
    policy_ = MultiStartPolicy(options_.is_long);
}

}  // namespace fuzzypairs
