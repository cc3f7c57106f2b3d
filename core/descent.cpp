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
// samples and 2000 judgements take 35 passes instead of 28.
constexpr double LITTLE = 0.1;

double dot(std::span<const double> a, std::span<const double> b) {
    double total = 0.0;
    for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
    return total;
}

}  // namespace

Passes::~Passes() = default;

PassResult FusedPasses::pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                             std::span<double> masses, Watch& watch) {
    const size_t k = C.rows, n_free = samples_.n_parts(), n_parts = n_free + groups_.n_parts();
    const size_t size = C.size() + k + 2;
    parts_.assign(n_parts * size, 0.0);
    share_out(n_parts, n_threads_, watch, [&](size_t part) {
        double* at = &parts_[part * size];
        const Matrix<double> own_sums{at, k, C.cols};
        const std::span<double> own_masses{at + C.size(), k};
        double &value = at[size - 2], &change = at[size - 1];
        if (part < n_free) {
            value = samples_.pass(part, C, own_sums, own_masses);
            return;
        }
        groups_.measure(part - n_free, C);
        const Outcome outcome = groups_.descend(part - n_free, effort, watch);
        groups_.add_sums(part - n_free, own_sums, own_masses);
        value = outcome.value;
        change = outcome.change;
    });
    // Parts are joined in their order, so the number of threads changes nothing.
    PassResult result;
    std::fill_n(sums.data, sums.size(), 0.0);
    std::fill_n(masses.data(), k, 0.0);
    for (size_t part = 0; part < n_parts; ++part) {
        const double* at = &parts_[part * size];
        for (size_t i = 0; i < C.size(); ++i) sums.data[i] += at[i];
        for (size_t j = 0; j < k; ++j) masses[j] += at[C.size() + j];
        (part < n_free ? result.rest : result.groups) += at[size - 2];
        result.change = std::max(result.change, at[size - 1]);
    }
    return result;
}

void FusedPasses::measure(Matrix<const double> C, Watch& watch) {
    share_out(groups_.n_parts(), n_threads_, watch,
              [&](size_t part) { groups_.measure(part, C); });
}

MultiStartPolicy::Trials MultiStartPolicy::next(std::span<const double> C, size_t k,
                                                double shortest) {
    if (is_over_) return NONE;
    if (tried_at_.size() == C.size()) {
        double gap2 = 0.0;
        for (size_t i = 0; i < C.size(); ++i) gap2 += (C[i] - tried_at_[i]) * (C[i] - tried_at_[i]);
        if (std::sqrt(gap2 / double(k)) <= shortest) return NONE;
    }
    tried_at_.assign(C.begin(), C.end());
    ++n_trials_;
    return is_long_ && n_trials_ == 1 ? BRIEF : FULL;
}

void MultiStartPolicy::record(double gained, double tol) {
    if (is_long_ && n_trials_ > 1 && gained <= LITTLE * tol) is_over_ = true;
}

void MultiStartPolicy::return_to(std::span<const double> C) {
    *this = MultiStartPolicy(is_long_);
    tried_at_.assign(C.begin(), C.end());
    n_trials_ = 1;
}

Descent::Descent(Passes& passes, Groups& groups, Options options, Matrix<const double> C,
                 Matrix<const double> U)
    : passes_(passes), groups_(groups), options_(std::move(options)), n_features_(C.cols),
      n_rows_(U.rows), policy_(options_.is_long) {
    restart({C.data, C.data + C.size()}, {U.data, U.data + U.size()}, C.rows);
}

void Descent::restart(std::vector<double> C, std::vector<double> U, size_t k) {
    k_ = k;
    C_ = std::move(C);
    groups_.set_memberships({U.data(), n_rows_, k_});
    for (auto* state : {&image_, &shift_, &sums_}) state->assign(C_.size(), 0.0);
    for (auto& difference : d_image_) difference.assign(C_.size(), 0.0);
    for (auto& difference : d_shift_) difference.assign(C_.size(), 0.0);
    masses_.assign(k_, 0.0);
    n_sweeps_ = MOST_SWEEPS;
    n_accepted_ = 0;
    step_ = std::numeric_limits<double>::infinity();
    inner_tol_ = INNER_SHARE;
    forget();
}

void Descent::run(Watch& watch) {
    settle(watch);
    note(objective());
    const double end = history_.back();
    if (lowest_ && lowest_->objective < end - 1e-12 * std::abs(end) && !watch.stopped()) {
        // Other starts of groups lowered the objective, and then cost a cluster, and with
        // it more than they gained. They are not tried again, so this happens once.
        SettledPoint lowest = std::move(*lowest_);
        policy_.return_to(lowest.C);
        restart(std::move(lowest.C), std::move(lowest.U), lowest.k);
        settle(watch);
        note(objective());
    }
    U_ = current_memberships();
}

void Descent::settle(Watch& watch) {
    Status status = Status::go_on;
    bool moved = true;
    while (status != Status::exhausted && moved) {
        status = iterate(watch);
        while (status == Status::vanishing) {
            // Clusters that vanish under half-solved groups may have support under
            // solved ones.
            if (!can_refine() || !refine(0.0, watch)) delete_smallest();
            status = iterate(watch);
        }
        SettledPoint here{C_, current_memberships(), k_, objective()};
        moved = refine(0.0, watch);
        if (moved) keep_if_lowest(std::move(here));
    }
    converged_ = status == Status::settled && !moved;
}

void Descent::keep_if_lowest(SettledPoint&& point) {
    if (!lowest_ || point.objective < lowest_->objective) lowest_ = std::move(point);
}

/// Pass and advance until something is to be decided; tell what.
Descent::Status Descent::iterate(Watch& watch) {
    while (true) {
        pass(watch);
        if (watch.stopped()) return Status::exhausted;
        const Status status = advance();
        if (status != Status::go_on) return status;
        if (n_rows_ > 0 && step_ < ACCELERATE_BELOW && policy_.is_early_trial_due()) {
            C_ = image_;
            passes_.measure(prototypes(), watch);
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
    const double objective = value - spread;
    bool is_vanishing = false;
    for (size_t j = 0; j < k_; ++j) is_vanishing |= !(mass_of(j) > 0.0);
    const double rounding = ROUNDING * (value + spread);
    const double gained = n_accepted_ > 0 ? last_objective_ - objective : 0.0;
    const bool is_bad = is_vanishing || gained < -rounding || !std::isfinite(objective);
    if (is_proposal_ && is_bad) {
        C_ = image_;
        groups_.go_back();
        forget();
        return n_passes_ >= options_.max_iter ? Status::exhausted : Status::go_on;
    }
    if (is_vanishing && k_ > 1) return Status::vanishing;

    note(objective);
    ++n_accepted_;
    last_objective_ = objective;
    groups_.keep();
    const double step = update_image();
    // The objective can no longer tell a good proposal; a plain step contracts.
    if (gained <= rounding && step >= step_) forget();
    step_ = step;
    inner_tol_ = std::max(INNER_SHARE * step, 0.1 * options_.tol);
    const double tol = options_.tol;
    const bool is_settled = step <= tol && found_.change <= tol && n_sweeps_ > 0;
    // The last pass that is allowed may settle; one more may only look at the groups that
    // were then refined.
    if (is_settled && n_passes_ <= options_.max_iter) return Status::settled;
    if (n_passes_ >= options_.max_iter || !std::isfinite(step)) return Status::exhausted;
    n_sweeps_ = MOST_SWEEPS;
    is_proposal_ = !options_.is_plain && n_mixed_ > 0 && step < ACCELERATE_BELOW;
    if (is_proposal_)
        mix();
    else
        C_ = image_;
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

double Descent::objective() const {
    return found_.rest + found_.groups - options_.alpha * sum_of_distances();
}

void Descent::note(double objective) {
    history_.push_back(objective);
    sizes_.push_back(std::int64_t(k_));
}

std::vector<double> Descent::current_memberships() const {
    std::vector<double> U(n_rows_ * k_);
    groups_.get_memberships({U.data(), n_rows_, k_});
    return U;
}

/// Set the image of C, eq. (13), and note its differences; return the step.
double Descent::update_image() {
    const size_t slot = n_mixed_ % DEPTH;
    for (size_t j = 0; j < k_; ++j) {
        const double mass = mass_of(j);
        for (size_t f = 0; f < n_features_; ++f) {
            const size_t i = j * n_features_ + f;
            const double center = (sums_[i] - options_.alpha * options_.totals[f]) / mass;
            const double shift = center - C_[i];
            d_image_[slot][i] = center - image_[i];
            d_shift_[slot][i] = shift - shift_[i];
            image_[i] = center;
            shift_[i] = shift;
        }
    }
    if (has_last_) {
        for (size_t other = 0; other < std::min(n_mixed_ + 1, DEPTH); ++other)
            gram_[slot][other] = gram_[other][slot] = dot(d_shift_[slot], d_shift_[other]);
        ++n_mixed_;
    }
    has_last_ = true;
    return std::sqrt(dot(shift_, shift_) / (double(k_) * options_.step_unit));
}

/// Anderson mixing: propose the C whose shift, by a linear model, is smallest.
void Descent::mix() {
    const size_t n = std::min(n_mixed_, DEPTH);
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
    C_ = image_;
    for (size_t i = 0; i < n; ++i) {
        const double weight = system[i][n] / system[i][i];
        for (size_t at = 0; at < C_.size(); ++at) C_[at] -= weight * d_image_[i][at];
    }
}

/// Drop what acceleration remembers, before C or memberships change otherwise.
void Descent::forget() {
    n_mixed_ = 0;
    has_last_ = is_proposal_ = false;
}

bool Descent::can_refine() const {
    // Rows rest for a pass after a deletion; with tol = 0 refining would go on for ever.
    return n_sweeps_ > 0 && n_passes_ < options_.max_iter;
}

/// Solve the groups at the prototypes; tell whether that moved them.
///
/// To a tenth of the tolerance of the run, or to `tol` if that is more.
bool Descent::refine(double tol, Watch& watch) {
    if (n_rows_ == 0) return false;
    const double gain = std::max(1e-2 * options_.tol, 1e-12) * options_.scale;
    tol = std::max(tol, 0.1 * options_.tol);
    bool moved = solve_groups(gain, tol, watch);
    if (options_.improve_groups && options_.improve_groups(gain)) {
        solve_groups(gain, tol, watch);
        moved = true;
    }
    // What acceleration remembers belongs to other memberships.
    forget();
    return moved;
}

bool Descent::solve_groups(double gain, double tol, Watch& watch) {
    const double shortest = 10.0 * options_.tol * std::sqrt(options_.scale);
    const auto trials = policy_.next(C_, k_, shortest);
    const Refinement how{tol, options_.scale, trials.turns, trials.n_starts, SMALL_GROUP, gain};
    std::vector<Outcome> outcomes(groups_.n_parts());
    share_out(outcomes.size(), options_.n_threads, watch,
              [&](size_t part) { outcomes[part] = groups_.refine(part, how, watch); });
    Outcome all;
    for (const Outcome& one : outcomes) {
        all.value += one.value;
        all.change = std::max(all.change, one.change);
        all.n_improved += one.n_improved;
    }
    const double before = found_.rest + found_.groups;
    const double gained = (found_.groups - all.value) / before;
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
    const size_t smallest = size_t(std::min_element(masses_.begin(), masses_.end()) - masses_.begin());
    const std::vector<double> U = current_memberships();
    std::vector<double> C = C_, left(n_rows_ * (k_ - 1));
    C.erase(C.begin() + std::ptrdiff_t(smallest * n_features_),
            C.begin() + std::ptrdiff_t((smallest + 1) * n_features_));
    for (size_t i = 0; i < n_rows_; ++i) {
        double total = 0.0, *row = &left[i * (k_ - 1)];
        for (size_t j = 0, at = 0; j < k_; ++j)
            if (j != smallest) total += row[at++] = U[i * k_ + j];
        for (size_t j = 0; j + 1 < k_; ++j) row[j] = total > 0.0 ? row[j] / total : 1.0 / double(k_ - 1);
    }
    restart(std::move(C), std::move(left), k_ - 1);
    n_sweeps_ = 0;
    policy_ = MultiStartPolicy(options_.is_long);
}

void Descent::run_while_apart(double nearest_squared, Watch& watch) {
    std::vector<double> C = C_, U = current_memberships();
    size_t k = k_;
    Status status = Status::go_on;
    while (status == Status::go_on || status == Status::vanishing) {
        pass(watch);
        if (watch.stopped() || !are_apart(nearest_squared)) break;
        C = C_, U = current_memberships(), k = k_;
        status = advance();
        if (status == Status::vanishing) delete_smallest();
    }
    C_ = std::move(C), U_ = std::move(U), k_ = k;
}

bool Descent::are_apart(double nearest_squared) const {
    for (size_t j = 1; j < k_; ++j)
        for (size_t l = 0; l < j; ++l) {
            double gap = 0.0;
            for (size_t f = 0; f < n_features_; ++f) {
                const double d = C_[j * n_features_ + f] - C_[l * n_features_ + f];
                gap += d * d;
            }
            if (!(gap >= nearest_squared)) return false;
        }
    return true;
}

}  // namespace fuzzypairs
