// Passes over all samples, shared out over threads.
#pragma once

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
    virtual ~Passes() = default;
    /// Find memberships at prototypes C; set the sums and masses that eq. (13) needs.
    virtual PassResult pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                            std::span<double> masses, Watch& watch) = 0;
};

/// The groups of judged samples, as one run uses them, on several threads.
class RunGroups {
  public:
    /// Groups whose samples are not packed stay as the last pass measured them.
    RunGroups(Groups& groups, size_t n_rows, bool is_packed, size_t n_threads)
        : groups_(groups), n_rows_(n_rows), is_packed_(is_packed), n_threads_(n_threads) {}
    bool is_empty() const { return n_rows_ == 0; }
    /// Note all memberships, and return to those noted.
    void keep() { groups_.keep(); }
    void go_back() { groups_.go_back(); }
    /// Store all memberships in slot 0 or 1, and return to those stored.
    void save(size_t slot) { saved_[slot] = memberships(); }
    void restore(size_t slot);
    /// Drop a cluster and renormalise rows.
    void drop(size_t cluster);
    /// Measure the groups at prototypes that no pass was made at.
    void measure(Matrix<const double> C, Watch& watch);
    /// Solve them to stationary points, see `Groups::refine`.
    Outcome refine(const Refinement& how, Watch& watch);

  private:
    struct Memberships {
        size_t k;
        std::vector<double> U;
    };
    Memberships memberships() const;

    Groups& groups_;
    size_t n_rows_;
    bool is_packed_;
    size_t n_threads_;
    Memberships saved_[2];
};

/// Passes in Euclidean space for squared memberships, on several threads. Either the free
/// samples or the groups may be absent.
class FusedPasses final : public Passes {
  public:
    FusedPasses(const Samples* samples, Groups* groups, size_t n_threads)
        : samples_(samples), groups_(groups), n_threads_(n_threads) {}
    PassResult pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                    std::span<double> masses, Watch& watch) override;

  private:
    const Samples* samples_;
    Groups* groups_;
    size_t n_threads_;
    std::vector<double> parts_; ///< sums, masses, value and change of each part
};

/// Share out the parts of groups; join what they return in the order of the parts, so
/// that the number of threads changes nothing.
Outcome over_parts(const Groups& groups, size_t n_threads, Watch& watch,
                   const std::function<Outcome(size_t)>& work);

}  // namespace fuzzypairs
