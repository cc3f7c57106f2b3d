// Algorithm 1: prototypes and memberships in turn, clusters that vanish, the end.
#pragma once

#include <optional>
#include <vector>

#include "core.hpp"

namespace fuzzypairs {

/// What a pass over all samples finds at some prototypes.
struct PassResult {
    double rest = 0.0;   ///< sum of w u^g d, apart from what is in `groups`
    double groups = 0.0; ///< u'Du of the groups: their distances and judgements
    double change = 0.0; ///< of a membership, in the last sweep of the groups
};

/// Passes over samples: what a run asks of a metric.
class Passes {
  public:
    virtual ~Passes();
    /// Find memberships at prototypes C; set the sums and masses that eq. (13) needs.
    virtual PassResult pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                            std::span<double> masses, Watch& watch) = 0;
    /// Measure the groups at prototypes that no pass was made at.
    virtual void measure(Matrix<const double> C, Watch& watch) = 0;
};

/// Passes in Euclidean space for squared memberships, on several threads.
class FusedPasses final : public Passes {
  public:
    FusedPasses(const Samples& samples, Groups& groups, size_t n_threads)
        : samples_(samples), groups_(groups), n_threads_(n_threads) {}
    PassResult pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                    std::span<double> masses, Watch& watch) override;
    void measure(Matrix<const double> C, Watch& watch) override;

  private:
    const Samples& samples_;
    Groups& groups_;
    size_t n_threads_;
    std::vector<double> parts_; ///< sums, masses, value and change of each part
};

/// What a run does not change.
struct Options {
    double alpha;              ///< of eq. (5); 0 where masses come net of it
    double tol;                ///< see `Descent`
    size_t max_iter;           ///< the most passes
    double scale;              ///< the distance that judgements are compared with
    double step_unit;          ///< the squared length that steps of prototypes are measured by
    std::vector<double> totals; ///< (n_features + 2,) sums of w x, of w |x|^2 and of w
    bool is_long;              ///< whether groups try other starts early, see `MultiStartPolicy`
    bool is_plain = false;     ///< no acceleration
    size_t n_threads = 1;
    /// Improve small groups beyond `refine`, by more than a gain; tell whether that did.
    std::function<bool(double gain)> improve_groups;
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
    Trials next(std::span<const double> C, size_t k, double shortest);
    /// Note by what share of the objective the last trial lowered it.
    void record(double gained, double tol);
    /// Count C as tried: a run returns there, where it had settled before.
    void return_to(std::span<const double> C);

  private:
    bool is_long_, is_over_ = false;
    size_t n_trials_ = 0;
    std::vector<double> tried_at_;
};

/// One run of Algorithm 1; owns prototypes, and what acceleration remembers of them.
///
/// A pass evaluates the objective at prototypes C with the memberships it finds there, and
/// leaves the sums from which the next prototypes follow: the image of C under one step of
/// Algorithm 1. Anderson mixing of the last images proposes the next C once the steps have
/// become small. A proposal that raises the objective is taken back, so the accepted
/// objectives never rise while the number of clusters holds (Theorem 1).
///
/// A run has converged when the root mean square step of a prototype, in units of the
/// spread, and the change of every membership under judgements are within `tol`, and
/// solving the groups leaves them where they are.
class Descent {
  public:
    Descent(Passes& passes, Groups& groups, Options options, Matrix<const double> C,
            Matrix<const double> U);
    /// Descend until nothing moves, `max_iter`, or an interruption.
    void run(Watch& watch);
    /// Make plain steps as long as no two prototypes are nearer than this; end at the last
    /// step at which they were apart.
    void run_while_apart(double nearest_squared, Watch& watch);

    Matrix<const double> prototypes() const { return {C_.data(), k_, n_features_}; }
    const std::vector<double>& memberships() const { return U_; } ///< (n_rows, k)
    const std::vector<double>& history() const { return history_; }
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    size_t n_passes() const { return n_passes_; }
    bool converged() const { return converged_; }

  private:
    enum class Status { go_on, settled, vanishing, exhausted };
    struct SettledPoint {
        std::vector<double> C, U;
        size_t k;
        double objective;
    };

    void settle(Watch& watch);
    Status iterate(Watch& watch);
    void pass(Watch& watch);
    Status advance();
    double update_image();
    void mix();
    void forget();
    bool refine(double tol, Watch& watch);
    bool solve_groups(double gain, double tol, Watch& watch);
    bool can_refine() const;
    void delete_smallest();
    void restart(std::vector<double> C, std::vector<double> U, size_t k);
    void keep_if_lowest(SettledPoint&& point);
    bool are_apart(double nearest_squared) const;
    double sum_of_distances() const;
    double objective() const;
    void note(double objective);
    std::vector<double> current_memberships() const;
    double mass_of(size_t j) const;

    static constexpr size_t DEPTH = 5; ///< images that are mixed

    Passes& passes_;
    Groups& groups_;
    const Options options_;
    const size_t n_features_, n_rows_;
    size_t k_ = 0;
    MultiStartPolicy policy_;
    std::optional<SettledPoint> lowest_;

    std::vector<double> C_;             ///< where the next pass is made
    std::vector<double> U_;             ///< memberships at the end
    std::vector<double> image_, shift_; ///< of the last accepted pass; shift = image - C
    std::vector<double> sums_, masses_;
    std::vector<double> d_image_[DEPTH], d_shift_[DEPTH];
    double gram_[DEPTH][DEPTH] = {};
    PassResult found_;
    size_t n_sweeps_ = 0, n_mixed_ = 0, n_accepted_ = 0, n_passes_ = 0;
    bool has_last_ = false, is_proposal_ = false, converged_ = false;
    double step_ = 0.0, inner_tol_ = 0.0, last_objective_ = 0.0;
    std::vector<double> history_;
    std::vector<std::int64_t> sizes_;
};

}  // namespace fuzzypairs
