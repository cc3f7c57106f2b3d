// Algorithm 1: prototypes and memberships in turn, clusters that vanish, the end.
#pragma once

#include <optional>

#include "passes.hpp"

namespace fuzzypairs {

/// What a run does not change.
struct Options {
    double alpha;               ///< of eq. (5); 0 where masses come net of it
    double tol;                 ///< see `Descent`
    size_t max_iter;            ///< the most passes
    double scale;               ///< the distance that judgements are compared with
    double step_unit;           ///< the squared length that steps of prototypes are measured by
    std::vector<double> totals; ///< (n_features + 2,) sums of w x, of w |x|^2 and of w
    bool is_long;               ///< whether groups try other starts early, see `MultiStartPolicy`
    /// Improve small groups beyond `refine`, by more than a gain; tell whether that did.
    std::function<bool(double gain)> improve_groups;
};

/// Prototypes (k, n_features) and the objective.
struct Point {
    size_t k;
    std::vector<double> C;
    double objective = 0.0;
    size_t slot = 0; ///< where the groups have its memberships, if it is to return to
};

/// Anderson mixing: propose prototypes from the last images of prototypes.
class Acceleration {
  public:
    /// Drop what is remembered, before C or memberships change otherwise.
    void forget() { n_ = 0, has_last_ = false; }
    bool is_ready() const { return n_ > 0; }
    /// Note an image and its shift, image - C.
    void note(const std::vector<double>& image, const std::vector<double>& shift);
    /// The C whose shift, by a linear model, is smallest.
    std::vector<double> propose() const;

  private:
    static constexpr size_t DEPTH = 5; ///< images that are mixed
    size_t n_ = 0;
    bool has_last_ = false;
    std::vector<double> image_, shift_, d_image_[DEPTH], d_shift_[DEPTH];
    double gram_[DEPTH][DEPTH] = {};
};

/// When the groups of a run are descended from other starts, and from how many: where
/// prototypes have moved since the last trial.
///
/// Runs whose passes are long try a few starts once, when acceleration begins: what groups
/// find moves prototypes in turn, and found at the end alone it takes a third of all passes
/// again. They stop when trying gains little.
class MultiStartPolicy {
  public:
    explicit MultiStartPolicy(bool is_long) : is_long_(is_long) {}
    struct Trials {
        size_t turns, n_starts;
    };
    bool is_early_trial_due() const { return is_long_ && tried_at_.empty(); }
    /// How many starts to try at prototypes C; `shortest` is the move that counts.
    Trials next(const std::vector<double>& C, size_t k, double shortest);
    /// Note by what share of the objective the last trial lowered it.
    void record(double gained, double tol);
    /// Count C as tried: a run returns there, where it had settled before.
    void return_to(const std::vector<double>& C);

  private:
    bool is_long_, is_over_ = false;
    size_t n_trials_ = 0;
    std::vector<double> tried_at_;
};

/// One run of Algorithm 1.
///
/// A pass evaluates the objective at prototypes C with the memberships it finds there, and
/// leaves the sums from which the next prototypes follow: the image of C under one step of
/// Algorithm 1. Mixing of the last images proposes the next C once the steps have become
/// small. A proposal that raises the objective is taken back, so the accepted objectives
/// never rise while the number of clusters holds (Theorem 1).
///
/// A run has converged when the root mean square step of a prototype, in units of the
/// spread, and the change of every membership under judgements are within `tol`, and
/// solving the groups leaves them where they are.
///
/// Groups begin with the memberships they have, and end with those of the end.
class Descent {
  public:
    Descent(Passes& passes, RunGroups groups, Options options, Matrix<const double> C);
    /// Descend until nothing moves, `max_iter`, or an interruption.
    void run(Watch& watch);

    const Point& end() const { return end_; }
    const std::vector<double>& history() const { return history_; }
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    size_t n_passes() const { return n_passes_; }
    bool converged() const { return converged_; }

  private:
    enum class Status { go_on, settled, vanishing, exhausted };

    void restart(Point&& point);
    void settle(Watch& watch);
    Status iterate(Watch& watch);
    void pass(Watch& watch);
    Status advance();
    double update_image();
    bool refine(double tol, Watch& watch);
    bool solve_groups(double gain, double tol, Watch& watch);
    void delete_smallest();
    double sum_of_distances() const;
    double mass_of(size_t j) const;
    Point current() const;
    void note(double objective);
    Matrix<const double> prototypes() const { return {C_.data(), k_, n_features_}; }

    Passes& passes_;
    RunGroups groups_;
    const Options options_;
    const size_t n_features_;
    size_t k_ = 0;
    MultiStartPolicy policy_;
    Acceleration acceleration_;
    std::optional<Point> lowest_; ///< of the points where the run had settled before
    Point end_;

    std::vector<double> C_;             ///< where the next pass is made
    std::vector<double> image_, shift_; ///< of the last accepted pass; shift = image - C
    std::vector<double> sums_, masses_;
    PassResult found_;
    size_t n_sweeps_ = 0, n_accepted_ = 0, n_passes_ = 0;
    bool is_proposal_ = false, converged_ = false;
    double step_ = 0.0, inner_tol_ = 0.0, last_objective_ = 0.0;
    std::vector<double> history_;
    std::vector<std::int64_t> sizes_;
};

}  // namespace fuzzypairs
