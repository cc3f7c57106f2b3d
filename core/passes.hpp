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
    /// Measure the groups at prototypes that no pass was made at.
    virtual void measure(Matrix<const double> C, Watch& watch) = 0;
};

/// Passes in Euclidean space for squared memberships, on several threads. Either the free
/// samples or the groups may be absent.
class FusedPasses final : public Passes {
  public:
    FusedPasses(const Samples* samples, Groups* groups, size_t n_threads)
        : samples_(samples), groups_(groups), n_threads_(n_threads) {}
    PassResult pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                    std::span<double> masses, Watch& watch) override;
    void measure(Matrix<const double> C, Watch& watch) override;

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
