// What a CPU level offers, behind one interface: packed samples, groups of judged
// samples, and functions of rows. No method starts threads: callers share the parts of
// an object out, and every part writes to its own place.
//
// Inside, samples are centred and in units of their spread, so that no square of a
// distance overflows or vanishes, whatever the scale of the data.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "arrays.hpp"

namespace fuzzypairs {

/// Tells long computations whether to stop.
class Watch {
  public:
    /// `interrupted` is asked every 50 ms, on the thread that made the watch.
    explicit Watch(std::function<bool()> interrupted) : interrupted_(std::move(interrupted)) {}
    bool stopped();

  private:
    std::function<bool()> interrupted_;
    const std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
    std::atomic<bool> stopped_{false};
};

/// Call `work(part)` for each part, on so many threads that end with the call.
void share_out(size_t n_parts, size_t n_threads, Watch& watch,
               const std::function<void(size_t)>& work);

/// Rows of a matrix X, in single or double precision.
struct Source {
    Matrix<const float> single;          ///< X, or
    Matrix<const double> twice;          ///< X
    std::span<const std::int64_t> rows;  ///< the rows to pack, in this order
    std::span<const double> weight;      ///< of all rows of X; none: one each
    std::span<const double> mean;        ///< what is taken off
    double scale;                        ///< and the factor then

    FUZZYPAIRS_INLINE size_t n_features() const { return mean.size(); }
    FUZZYPAIRS_INLINE double weight_of(size_t row) const {
        return weight.empty() ? 1.0 : weight[row];
    }
};

/// Samples that no judgement names: eqs. (13), (14).
class Samples {
  public:
    virtual ~Samples();
    virtual size_t n_parts() const = 0;
    /// Pack a part; add its sums of w x, w |x|^2 and w to `totals`, (n_features + 2,).
    virtual void pack(size_t part, const Source& source, std::span<double> totals) = 0;
    /// Add w u^2 x and w u^2 at prototypes C; return sum w u^2 d, all over a part.
    virtual double pass(size_t part, Matrix<const double> C, Matrix<double> sums,
                        std::span<double> masses) const = 0;
    /// Copy the rows of a part to their place in `out`, (n_samples, n_features) of the type
    /// they are stored in.
    virtual void unpack(size_t part, void* out) const = 0;
};

/// Judgements as a symmetric sparse matrix over the judged rows: eqs. (18), (19).
struct Graph {
    std::span<const std::int64_t> groups;    ///< (n_groups + 1,) first row of each group
    std::span<const std::int64_t> indptr;    ///< (n_rows + 1,) first edge of each row
    std::span<const std::int64_t> neighbor;  ///< (n_edges,) row at the other end
    std::span<const double> pull;            ///< (n_edges,) beta s / 2
    std::span<const double> diagonal;        ///< (n_rows,) sum of positive pulls, times own
    double own;                              ///< 1: cost of eq. (6); 0: that of eq. (4)
};

/// How far groups are solved within one outer step.
struct Effort {
    size_t n_sweeps;  ///< at most
    double tol;       ///< the change of a membership at which sweeps end
    double scale;     ///< the distance that judgements are compared with
};

/// How groups are solved at the end, and which other starts they try.
struct Refinement {
    double tol;       ///< projected gradient, in units of `scale`
    double scale;     ///< the distance that judgements are compared with
    size_t turns;     ///< starts for each row of a group; 0: none
    size_t n_starts;  ///< and at least so many
    size_t max_rows;  ///< larger groups try none
    double gain;      ///< smaller improvements do not count
};

struct Outcome {
    double value = 0.0;     ///< u'Du of the part
    double change = 0.0;    ///< the largest of a membership
    size_t n_improved = 0;  ///< groups for which another start was better
};

/// Samples that judgements join, and their memberships: Algorithm 2.
class Groups {
  public:
    virtual ~Groups();
    virtual size_t n_parts() const = 0;
    /// Samples of the rows; needed by `measure` and `add_sums` alone. Totals as in Samples.
    virtual void pack(const Source& source, std::span<double> totals) = 0;
    /// Set all memberships, (n_rows, k); any k.
    virtual void set_memberships(Matrix<const double> U) = 0;
    virtual void get_memberships(Matrix<double> U) const = 0;
    virtual size_t n_clusters() const = 0;
    /// Note all memberships, and return to those noted.
    virtual void keep() = 0;
    virtual void go_back() = 0;
    /// Set the squared distances of a part to prototypes, or to rows of a matrix.
    virtual void measure(size_t part, Matrix<const double> C) = 0;
    virtual void set_distances(size_t part, Matrix<const double> dist2) = 0;
    virtual void get_distances(Matrix<double> dist2) const = 0;
    /// A few sweeps; conjugate gradients where these converge slowly.
    virtual Outcome descend(size_t part, const Effort& effort, Watch& watch) = 0;
    /// Solve to a stationary point, try other starts, keep what is lower.
    virtual Outcome refine(size_t part, const Refinement& options, Watch& watch) = 0;
    /// u'Du of a part, and its largest projected gradient in units of `scale`.
    virtual Outcome evaluate(size_t part, double scale, Watch& watch) = 0;
    /// Add w u^2 x and w u^2 of a part: the sums of eq. (13).
    virtual void add_sums(size_t part, Matrix<double> sums, std::span<double> masses) const = 0;
};

/// What is wanted of rows and prototypes: eq. (14), or distances.
enum class Wanted { memberships, squares, absolutes };

/// The functions of one CPU level.
struct Level {
    const char* name;
    std::unique_ptr<Samples> (*samples)(size_t n_samples, size_t n_features, bool weighted,
                                        bool single_storage, bool by_products);
    std::unique_ptr<Groups> (*groups)(const Graph& graph, double fuzzifier);
    /// Compare rows [first, last) of X with prototypes; `out` has as many rows as X.
    void (*compare)(const Source& X, Matrix<const double> C, Wanted wanted, size_t first,
                    size_t last, Matrix<double> out);
    /// Weighted medians of one feature, see `medians`.
    void (*medians)(Matrix<const std::int64_t> order, Matrix<const double> values,
                    Matrix<const double> W, size_t feature, Matrix<double> out);
};

/// The levels compiled in that this machine can run, the best one last.
std::vector<const Level*> usable_levels();

/// The level of that name; the best one if none is asked for.
const Level& choose_level(const char* asked);

}  // namespace fuzzypairs
