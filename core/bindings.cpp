// The only file that knows Python: arrays are checked here, then nothing else is.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>

#include "descent.hpp"
#include "dispatch.hpp"
#include "walks.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace fuzzypairs {
namespace {

template <class T, int N>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N>
using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig>;
using Floats1 = Array<const double, 1>;
using Floats2 = Array<const double, 2>;
using Ints1 = Array<const std::int64_t, 1>;
/// Samples: float32 stays float32.
using Data = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}
void check(bool holds, const std::string& message) { check(holds, message.c_str()); }

void check_size(size_t seen, size_t expected, const char* name) {
    check(seen == expected, std::string(name) + " has length " + std::to_string(seen) +
                                ", expected " + std::to_string(expected));
}

template <class T>
std::span<T> span(const Array<T, 1>& array) {
    return {array.data(), array.shape(0)};
}
template <class T>
Matrix<T> matrix(const Array<T, 2>& array) {
    return {array.data(), array.shape(0), array.shape(1)};
}

void check_shape(Matrix<const double> seen, size_t rows, size_t cols, const char* name) {
    check(seen.rows == rows && seen.cols == cols,
          std::string(name) + " has shape (" + std::to_string(seen.rows) + ", " +
              std::to_string(seen.cols) + "), expected (" + std::to_string(rows) + ", " +
              std::to_string(cols) + ")");
}

void check_indices(std::span<const std::int64_t> values, size_t below, const char* name) {
    for (const std::int64_t value : values)
        if (value < 0 || size_t(value) >= below)  // a message for each would take its time
            check(false, std::string(name) + " has " + std::to_string(value) +
                             ", expected 0 to " + std::to_string(below) + " - 1");
}

/// Borders of ranges: from 0 on, never falling, up to `last`.
void check_borders(std::span<const std::int64_t> values, size_t last, const char* name) {
    bool sound = !values.empty() && values.front() == 0 && size_t(values.back()) == last;
    for (size_t i = 1; i < values.size(); ++i) sound = sound && values[i - 1] <= values[i];
    check(sound, std::string(name) + " does not rise from 0 to " + std::to_string(last));
}

void check_fuzzifier(double fuzzifier) {
    check(fuzzifier > 1.0 && std::isfinite(fuzzifier), "fuzzifier is not above 1");
}

/// Memory of a new array, given to Python as it is.
template <class T, int N>
NewArray<T, N> new_array(std::array<size_t, N> shape) {
    size_t size = 1;
    for (const size_t length : shape) {
        if (length > 0 && size > PTRDIFF_MAX / sizeof(T) / length) throw std::bad_alloc();
        size *= length;
    }
    auto data = std::make_unique<T[]>(size);
    T* const raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { std::unique_ptr<T[]>(static_cast<T*>(p)); });
    return NewArray<T, N>(raw, N, shape.data(), owner);
}
NewArray<double, 2> new_matrix(size_t rows, size_t cols) { return new_array<double, 2>({rows, cols}); }
template <class T>
Matrix<T> matrix(const NewArray<T, 2>& array) {
    return {array.data(), array.shape(0), array.shape(1)};
}
template <class T>
std::span<T> span(const NewArray<T, 1>& array) {
    return {array.data(), array.shape(0)};
}

/// Share parts out on threads, without the GIL; raise what a signal handler raised.
void run(size_t n_parts, size_t n_threads, const std::function<void(size_t, Watch&)>& work) {
    Watch watch([] {
        nb::gil_scoped_acquire hold;
        return PyErr_CheckSignals() != 0;
    });
    {
        nb::gil_scoped_release release;
        share_out(n_parts, n_threads, watch, [&](size_t part) { work(part, watch); });
    }
    if (PyErr_Occurred()) throw nb::python_error();
}

/// Rows of X, their weights, what is taken off and the unit, checked.
Source source_of(const Data& X, std::optional<Ints1> rows, std::optional<Floats1> weight,
                 const Floats1& mean, double unit) {
    Source source{};
    const size_t n_rows = X.shape(0), n_features = X.shape(1);
    if (X.dtype() == nb::dtype<float>())
        source.single = {static_cast<const float*>(X.data()), n_rows, n_features};
    else if (X.dtype() == nb::dtype<double>())
        source.twice = {static_cast<const double*>(X.data()), n_rows, n_features};
    else
        throw nb::type_error("X is neither float32 nor float64");
    check(n_features > 0, "X has no columns");
    if (rows) check_indices(span(*rows), n_rows, "rows");
    if (rows) source.rows = span(*rows);
    if (weight) check_size(weight->shape(0), n_rows, "weight");
    if (weight) source.weight = span(*weight);
    check_size(mean.shape(0), n_features, "mean");
    check(unit > 0.0 && std::isfinite(1.0 / unit), "unit is not a positive number");
    source.mean = span(mean);
    source.scale = 1.0 / unit;
    return source;
}

/// The table of the module; chosen once at import.
const Level* chosen = nullptr;

constexpr size_t ROWS_A_PART = 4096;
size_t parts_of(size_t n_rows) { return (n_rows + ROWS_A_PART - 1) / ROWS_A_PART; }

/// What a pass over all parts adds up to: joined in the order of the parts.
struct Sums {
    size_t n_parts, k, n_features;
    std::vector<double> sums, masses, values, changes;
    Sums(size_t n_parts, size_t k, size_t n_features)
        : n_parts(n_parts), k(k), n_features(n_features), sums(n_parts * k * n_features),
          masses(n_parts * k), values(n_parts), changes(n_parts) {}
    Matrix<double> sums_of(size_t part) { return {&sums[part * k * n_features], k, n_features}; }
    std::span<double> masses_of(size_t part) { return {&masses[part * k], k}; }

    std::tuple<NewArray<double, 2>, NewArray<double, 1>, double, double> joined() {
        auto all = new_matrix(k, n_features);
        auto mass = new_array<double, 1>({k});
        double value = 0.0, change = 0.0;
        for (size_t part = 0; part < n_parts; ++part) {
            for (size_t i = 0; i < k * n_features; ++i) all.data()[i] += sums[part * k * n_features + i];
            for (size_t j = 0; j < k; ++j) mass.data()[j] += masses[part * k + j];
            value += values[part];
            change = std::max(change, changes[part]);
        }
        return {all, mass, value, change};
    }
};

class PySamples {
  public:
    PySamples(const Data& X, std::optional<Ints1> rows, std::optional<Floats1> weight,
              const Floats1& mean, double unit, bool single, bool by_products, size_t n_threads)
        : n_features(X.shape(1)) {
        Source source = source_of(X, rows, weight, mean, unit);
        std::vector<std::int64_t> all;
        if (!rows) {
            all.resize(X.shape(0));
            std::iota(all.begin(), all.end(), 0);
            source.rows = all;
        }
        samples = chosen->samples(source.rows.size(), n_features, weight.has_value(),
                                  source.single.data != nullptr, single, by_products);
        Sums parts(samples->n_parts(), 1, n_features + 2);
        run(samples->n_parts(), n_threads, [&](size_t part, Watch&) {
            samples->pack(part, source, {parts.sums_of(part).data, n_features + 2});
        });
        totals.resize(n_features + 2);
        for (size_t i = 0; i < parts.sums.size(); ++i) totals[i % totals.size()] += parts.sums[i];
    }

    auto pass(const Floats2& C, size_t n_threads) const {
        check(C.shape(0) > 0 && C.shape(1) == n_features, "C has another number of columns than X");
        Sums parts(samples->n_parts(), C.shape(0), n_features);
        run(samples->n_parts(), n_threads, [&](size_t part, Watch&) {
            parts.values[part] = samples->pass(part, matrix(C), parts.sums_of(part), parts.masses_of(part));
        });
        const auto [sums, masses, value, _] = parts.joined();
        return std::tuple(sums, masses, value);
    }

    size_t n_features;
    std::vector<double> totals;
    std::unique_ptr<Samples> samples;
};

class PyGroups {
  public:
    PyGroups(const Ints1& groups, const Ints1& indptr, const Ints1& neighbor, const Floats1& pull,
             const Floats1& diagonal, double own, double fuzzifier)
        : n_rows(diagonal.shape(0)) {
        const Graph graph{span(groups), span(indptr), span(neighbor), span(pull), span(diagonal), own};
        check_size(graph.indptr.size(), n_rows + 1, "indptr");
        check_size(graph.pull.size(), graph.neighbor.size(), "pull");
        check_borders(graph.groups, n_rows, "groups");
        check_borders(graph.indptr, graph.neighbor.size(), "indptr");
        for (size_t g = 0; g + 1 < graph.groups.size(); ++g)
            for (auto e = graph.indptr[size_t(graph.groups[g])]; e < graph.indptr[size_t(graph.groups[g + 1])]; ++e)
                check(graph.groups[g] <= graph.neighbor[size_t(e)] && graph.neighbor[size_t(e)] < graph.groups[g + 1],
                      "neighbor joins rows of two groups");
        for (size_t g = 0; g + 1 < graph.groups.size(); ++g)
            check(graph.groups[g] < graph.groups[g + 1], "groups has a group without rows");
        check_fuzzifier(fuzzifier);
        for (size_t i = 0; i < n_rows; ++i)
            for (auto e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e)
                check(size_t(graph.neighbor[size_t(e)]) != i, "neighbor joins a row to itself");
        this->groups = chosen->groups(graph, fuzzifier);
    }

    void pack(const Data& X, const Ints1& rows, std::optional<Floats1> weight, const Floats1& mean,
              double unit) {
        check_size(rows.shape(0), n_rows, "rows");
        const Source source = source_of(X, rows, weight, mean, unit);
        n_features = X.shape(1);
        totals.assign(n_features + 2, 0.0);
        groups->pack(source, totals);
    }

    void set_memberships(const Floats2& U) {
        check(U.shape(0) == n_rows && U.shape(1) > 0, "memberships are not of all rows");
        groups->set_memberships(matrix(U));
    }
    NewArray<double, 2> memberships() const {
        auto out = new_matrix(n_rows, groups->n_clusters());
        groups->get_memberships(matrix(out));
        return out;
    }
    NewArray<double, 2> distances() const {
        auto out = new_matrix(n_rows, groups->n_clusters());
        groups->get_distances(matrix(out));
        return out;
    }

    void measure(const Floats2& C, size_t n_threads) {
        check_prototypes(C);
        run(groups->n_parts(), n_threads, [&](size_t part, Watch&) { groups->measure(part, matrix(C)); });
    }
    void set_distances(const Floats2& dist2, size_t n_threads) {
        check_ready();
        check_shape(matrix(dist2), n_rows, groups->n_clusters(), "dist2");
        run(groups->n_parts(), n_threads, [&](size_t part, Watch&) { groups->set_distances(part, matrix(dist2)); });
    }

    auto pass(const Floats2& C, size_t n_sweeps, double tol, double scale, size_t n_threads) {
        check_prototypes(C);
        Sums parts(groups->n_parts(), groups->n_clusters(), n_features);
        run(groups->n_parts(), n_threads, [&](size_t part, Watch& watch) {
            groups->measure(part, matrix(C));
            note(parts, part, groups->descend(part, {n_sweeps, tol, scale}, watch));
            groups->add_sums(part, parts.sums_of(part), parts.masses_of(part));
        });
        return parts.joined();
    }
    std::tuple<double, double> descend(size_t n_sweeps, double tol, double scale, size_t n_threads) {
        check_ready();
        Sums parts(groups->n_parts(), 0, 0);
        run(groups->n_parts(), n_threads, [&](size_t part, Watch& watch) {
            note(parts, part, groups->descend(part, {n_sweeps, tol, scale}, watch));
        });
        const auto [sums, masses, value, change] = parts.joined();
        return {value, change};
    }
    std::tuple<double, double, size_t> refine(double tol, double scale, size_t turns, size_t n_starts,
                                              size_t max_rows, double gain, size_t n_threads) {
        check_ready();
        Sums parts(groups->n_parts(), 0, 0);
        std::vector<size_t> improved(groups->n_parts());
        run(groups->n_parts(), n_threads, [&](size_t part, Watch& watch) {
            const Outcome outcome = groups->refine(part, {tol, scale, turns, n_starts, max_rows, gain}, watch);
            note(parts, part, outcome);
            improved[part] = outcome.n_improved;
        });
        const auto [sums, masses, value, change] = parts.joined();
        return {value, change, std::accumulate(improved.begin(), improved.end(), size_t(0))};
    }
    std::tuple<double, double> evaluate(double scale, size_t n_threads) {
        check_ready();
        Sums parts(groups->n_parts(), 0, 0);
        run(groups->n_parts(), n_threads, [&](size_t part, Watch& watch) {
            note(parts, part, groups->evaluate(part, scale, watch));
        });
        const auto [sums, masses, value, change] = parts.joined();
        return {value, change};
    }

    size_t n_rows, n_features = 0;
    std::vector<double> totals; ///< of its samples, as in Samples
    std::unique_ptr<Groups> groups;

  private:
    static void note(Sums& parts, size_t part, const Outcome& outcome) {
        parts.values[part] = outcome.value;
        parts.changes[part] = outcome.change;
    }
    void check_prototypes(const Floats2& C) const {
        check(n_features > 0 || n_rows == 0, "samples are not packed");
        check_ready();
        check_shape(matrix(C), groups->n_clusters(), n_features, "C");
    }
    void check_ready() const { check(groups->n_clusters() > 0 || n_rows == 0, "memberships are not set"); }
};

/// Passes made by a Python callable: for other metrics, and for data elsewhere.
class CalledPasses final : public Passes {
  public:
    CalledPasses(nb::callable pass, const PyGroups& groups) : pass_(std::move(pass)), groups_(groups) {}
    PassResult pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                    std::span<double> masses, Watch&) override {
        nb::gil_scoped_acquire hold;
        auto at = new_matrix(C.rows, C.cols);
        std::copy_n(C.data, C.size(), at.data());
        const auto [s, m, rest, groups, change] =
            nb::cast<std::tuple<Floats2, Floats1, double, double, double>>(
                pass_(at, effort.n_sweeps, effort.tol));
        check(groups_.groups->n_clusters() == C.rows, "memberships of another number of clusters were set");
        check_shape(matrix(s), sums.rows, sums.cols, "sums");
        check_size(m.shape(0), masses.size(), "masses");
        std::copy_n(s.data(), sums.size(), sums.data);
        std::copy_n(m.data(), masses.size(), masses.data());
        return {rest, groups, change};
    }
    void measure(Matrix<const double>, Watch&) override {}  // as the last pass left them

  private:
    nb::callable pass_;
    const PyGroups& groups_;
};

/// Prototypes, memberships, objectives, numbers of clusters, passes, and convergence.
using RunResult = std::tuple<NewArray<double, 2>, NewArray<double, 2>, NewArray<double, 1>,
                             NewArray<std::int64_t, 1>, size_t, bool>;

template <class T>
NewArray<T, 1> new_vector(const std::vector<T>& values) {
    auto out = new_array<T, 1>({values.size()});
    std::copy(values.begin(), values.end(), out.data());
    return out;
}

RunResult descend_by(Passes& passes, PyGroups& groups, const Floats2& C, const Floats2& U, Options options,
                     double while_apart) {
    const size_t k = C.shape(0), n_features = C.shape(1);
    check(k > 0, "C has no rows");
    check_shape(matrix(U), groups.n_rows, k, "U");
    check_size(options.totals.size(), n_features + 2, "totals");
    check(options.scale > 0.0 && options.step_unit > 0.0, "scale and step_unit must be above 0");
    check(options.max_iter > 0, "max_iter must be above 0");
    const size_t n_threads = options.n_threads;
    Descent descent(passes, *groups.groups, std::move(options), matrix(C), matrix(U));
    run(1, n_threads, [&](size_t, Watch& watch) {
        if (while_apart > 0.0)
            descent.run_while_apart(while_apart, watch);
        else
            descent.run(watch);
    });
    const auto found = descent.prototypes();
    auto centers = new_matrix(found.rows, found.cols), memberships = new_matrix(groups.n_rows, found.rows);
    std::copy_n(found.data, found.size(), centers.data());
    std::copy(descent.memberships().begin(), descent.memberships().end(), memberships.data());
    return {centers, memberships, new_vector(descent.history()), new_vector(descent.sizes()),
            descent.n_passes(), descent.converged()};
}

Options options_of(double alpha, double tol, size_t max_iter, double scale, double step_unit,
                   std::vector<double> totals, bool is_long, std::optional<nb::callable> improve,
                   const PyGroups& groups, size_t n_threads) {
    Options options{alpha, tol, max_iter, scale, step_unit, std::move(totals), is_long, false, n_threads, {}};
    if (improve)
        options.improve_groups = [improve, &groups](double gain) {
            nb::gil_scoped_acquire hold;
            const size_t k = groups.groups->n_clusters();
            const bool has_improved = nb::cast<bool>((*improve)(gain));
            check(groups.groups->n_clusters() == k, "memberships of another number of clusters were set");
            return has_improved;
        };
    return options;
}

/// Algorithm 1 in Euclidean space, for squared memberships.
RunResult descend(const PySamples& samples, PyGroups& groups, const Floats2& C, const Floats2& U, double alpha,
                  double tol, size_t max_iter, bool is_long, std::optional<nb::callable> improve,
                  double while_apart, size_t n_threads) {
    check_shape(matrix(C), C.shape(0), samples.n_features, "C");
    check(groups.n_rows == 0 || groups.n_features == samples.n_features, "samples of groups are not packed");
    FusedPasses passes(*samples.samples, *groups.groups, n_threads);
    std::vector<double> totals = samples.totals;
    if (groups.n_rows > 0)
        for (size_t i = 0; i < totals.size(); ++i) totals[i] += groups.totals[i];
    Options options = options_of(alpha, tol, max_iter, 1.0, 1.0, std::move(totals), is_long, improve, groups, n_threads);
    options.is_plain = while_apart > 0.0;
    return descend_by(passes, groups, C, U, std::move(options), while_apart);
}

/// Algorithm 1 with passes by a callable.
RunResult descend_called(nb::callable pass, PyGroups& groups, const Floats2& C, const Floats2& U, double tol,
                         size_t max_iter, double scale, double step_unit, bool is_long,
                         std::optional<nb::callable> improve, size_t n_threads) {
    CalledPasses passes(std::move(pass), groups);
    std::vector<double> none(C.shape(1) + 2);
    Options options =
        options_of(0.0, tol, max_iter, scale, step_unit, std::move(none), is_long, improve, groups, n_threads);
    return descend_by(passes, groups, C, U, std::move(options), 0.0);
}

NewArray<double, 2> memberships(const Data& X, const Floats2& C, const Floats1& mean, double unit,
                                size_t n_threads) {
    const Source source = source_of(X, {}, {}, mean, unit);
    check(C.shape(0) > 0 && C.shape(1) == X.shape(1), "C has another number of columns than X");
    auto out = new_matrix(X.shape(0), C.shape(0));
    run(parts_of(X.shape(0)), n_threads, [&](size_t part, Watch&) {
        chosen->memberships(source, matrix(C), part * ROWS_A_PART,
                            std::min(X.shape(0), (part + 1) * ROWS_A_PART), matrix(out));
    });
    return out;
}

void memberships_of(const Floats2& dist2, double fuzzifier, const Array<double, 2>& out, size_t n_threads) {
    check_shape(matrix(out), dist2.shape(0), dist2.shape(1), "out");
    check(dist2.shape(1) > 0, "dist2 has no columns");
    check_fuzzifier(fuzzifier);
    run(parts_of(dist2.shape(0)), n_threads, [&](size_t part, Watch&) {
        chosen->from_distances(matrix(dist2), fuzzifier, part * ROWS_A_PART,
                               std::min(dist2.shape(0), (part + 1) * ROWS_A_PART), matrix(out));
    });
}

double weigh(const Floats2& dist2, const Floats2& U, const Floats1& weight, double fuzzifier, double alpha,
             const Array<double, 2>& out, size_t n_threads) {
    const size_t n = dist2.shape(0), k = dist2.shape(1);
    check_shape(matrix(U), n, k, "U");
    check_shape(matrix(out), n, k, "out");
    check_size(weight.shape(0), n, "weight");
    check_fuzzifier(fuzzifier);
    std::vector<double> values(parts_of(n));
    run(values.size(), n_threads, [&](size_t part, Watch&) {
        values[part] = chosen->weigh(matrix(dist2), matrix(U), span(weight), fuzzifier, alpha,
                                     part * ROWS_A_PART, std::min(n, (part + 1) * ROWS_A_PART), matrix(out));
    });
    return std::accumulate(values.begin(), values.end(), 0.0);
}

NewArray<std::int64_t, 1> choose_seeds(const Data& X, std::optional<Floats1> weight, const Floats2& draws,
                                       double unit) {
    const std::vector<double> none(X.shape(1));
    const Source source = source_of(X, {}, weight, Floats1(none.data(), {none.size()}), unit);
    check(X.shape(0) > 0 && draws.shape(1) > 0, "X or draws is empty");
    auto out = new_array<std::int64_t, 1>({draws.shape(0)});
    run(1, 1, [&](size_t, Watch&) { chosen->seeds(source, matrix(draws), span(out)); });
    return out;
}

template <bool SQUARED>
void distances(const Data& X, const Floats2& C, const Array<double, 2>& out, size_t n_threads) {
    const std::vector<double> none(X.shape(1));
    const Source source = source_of(X, {}, {}, Floats1(none.data(), {none.size()}), 1.0);
    check(X.shape(1) == C.shape(1), "C has another number of columns than X");
    check_shape(matrix(out), X.shape(0), C.shape(0), "out");
    run(parts_of(X.shape(0)), n_threads, [&](size_t part, Watch&) {
        chosen->distances(source, matrix(C), SQUARED, part * ROWS_A_PART,
                          std::min(X.shape(0), (part + 1) * ROWS_A_PART), matrix(out));
    });
}

NewArray<double, 2> weighted_medians(const Array<const std::int64_t, 2>& order, const Floats2& values,
                                     const Floats2& W, size_t n_threads) {
    const size_t n_features = values.shape(0), n = W.shape(0);
    check_shape(matrix(values), n_features, n, "values");
    check(order.shape(0) == n_features && order.shape(1) == n && n > 0, "order has another shape than values");
    check_indices({order.data(), order.size()}, n, "order");
    auto out = new_matrix(W.shape(1), n_features);
    run(n_features, n_threads, [&](size_t f, Watch&) {
        chosen->medians(matrix(order), matrix(values), matrix(W), f, f + 1, matrix(out));
    });
    return out;
}

auto reach(const Ints1& indptr, const Ints1& neighbor, const Ints1& targets, double strength, size_t n_steps,
           size_t most) {
    check(indptr.shape(0) > 0 && most > 0, "indptr or the room for rows is empty");
    const size_t n = indptr.shape(0) - 1;
    check_borders(span(indptr), neighbor.shape(0), "indptr");
    check_indices(span(neighbor), n, "neighbor");
    check_indices(span(targets), n, "targets");
    auto rows = new_array<std::int64_t, 2>({targets.shape(0), most});
    auto chances = new_matrix(targets.shape(0), most);
    auto counts = new_array<std::int64_t, 1>({targets.shape(0)});
    run(1, 1, [&](size_t, Watch& watch) {
        approach(span(indptr), span(neighbor), span(targets), strength, n_steps, matrix(rows), matrix(chances),
                 span(counts), watch);
    });
    return std::tuple(rows, chances, counts);
}

}  // namespace

NB_MODULE(_core, m) {
    chosen = &choose_level(std::getenv("FUZZYPAIRS_CPU_LEVEL"));
    m.def("cpu_level", [] { return chosen->name; });
    m.def("cpu_levels", [] {
        std::vector<std::string> names;
        for (const Level* level : usable_levels()) names.emplace_back(level->name);
        return names;
    });
    const auto one = "n_threads"_a = 1;
    nb::class_<PySamples>(m, "Samples")
        .def(nb::init<const Data&, std::optional<Ints1>, std::optional<Floats1>, const Floats1&, double, bool,
                      bool, size_t>(),
             "X"_a.noconvert(), "rows"_a.noconvert().none(), "weight"_a.noconvert().none(), nb::kw_only(),
             "mean"_a.noconvert(), "unit"_a = 1.0, "single"_a = false, "by_products"_a = false, one)
        .def_ro("n_features", &PySamples::n_features)
        .def_prop_ro("totals", [](const PySamples& s) {
            auto out = new_array<double, 1>({s.totals.size()});
            std::copy(s.totals.begin(), s.totals.end(), out.data());
            return out;
        }, nb::rv_policy::move)
        .def("pass_over", &PySamples::pass, "C"_a.noconvert(), one);
    nb::class_<PyGroups>(m, "Groups")
        .def(nb::init<const Ints1&, const Ints1&, const Ints1&, const Floats1&, const Floats1&, double, double>(),
             "groups"_a.noconvert(), "indptr"_a.noconvert(), "neighbor"_a.noconvert(), "pull"_a.noconvert(),
             "diagonal"_a.noconvert(), "own"_a = 1.0, "fuzzifier"_a = 2.0)
        .def("pack", &PyGroups::pack, "X"_a.noconvert(), "rows"_a.noconvert(), "weight"_a.noconvert().none(),
             "mean"_a.noconvert(), "unit"_a = 1.0)
        .def_prop_rw("memberships", &PyGroups::memberships, &PyGroups::set_memberships,
                     nb::for_getter(nb::rv_policy::move))
        .def_prop_ro("distances", &PyGroups::distances, nb::rv_policy::move)
        .def("measure", &PyGroups::measure, "C"_a.noconvert(), one)
        .def("set_distances", &PyGroups::set_distances, "dist2"_a.noconvert(), one)
        .def("pass_over", &PyGroups::pass, "C"_a.noconvert(), "n_sweeps"_a, "tol"_a, "scale"_a, one)
        .def("descend", &PyGroups::descend, "n_sweeps"_a, "tol"_a, "scale"_a, one)
        .def("refine", &PyGroups::refine, "tol"_a, "scale"_a, "turns"_a, "n_starts"_a, "max_rows"_a, "gain"_a, one)
        .def("evaluate", &PyGroups::evaluate, "scale"_a, one);
    m.def("descend", &descend, "samples"_a, "groups"_a, "C"_a.noconvert(), "U"_a.noconvert(), nb::kw_only(),
          "alpha"_a, "tol"_a, "max_iter"_a, "is_long"_a, "improve"_a.none(), "while_apart"_a = 0.0, one);
    m.def("descend_called", &descend_called, "pass_over"_a, "groups"_a, "C"_a.noconvert(), "U"_a.noconvert(),
          nb::kw_only(), "tol"_a, "max_iter"_a, "scale"_a, "step_unit"_a, "is_long"_a, "improve"_a.none(), one);
    m.def("memberships", &memberships, "X"_a.noconvert(), "C"_a.noconvert(), nb::kw_only(), "mean"_a.noconvert(),
          "unit"_a = 1.0, one);
    m.def("memberships_of", &memberships_of, "dist2"_a.noconvert(), "fuzzifier"_a, "out"_a.noconvert(), one);
    m.def("weigh", &weigh, "dist2"_a.noconvert(), "U"_a.noconvert(), "weight"_a.noconvert(), "fuzzifier"_a,
          "alpha"_a, "out"_a.noconvert(), one);
    m.def("choose_seeds", &choose_seeds, "X"_a.noconvert(), "weight"_a.noconvert().none(), "draws"_a.noconvert(),
          "unit"_a = 1.0);
    m.def("squared_distances", &distances<true>, "X"_a.noconvert(), "C"_a.noconvert(), "out"_a.noconvert(), one);
    m.def("manhattan_distances", &distances<false>, "X"_a.noconvert(), "C"_a.noconvert(), "out"_a.noconvert(), one);
    m.def("weighted_medians", &weighted_medians, "order"_a.noconvert(), "values"_a.noconvert(), "W"_a.noconvert(), one);
    m.def("reach", &reach, "indptr"_a.noconvert(), "neighbor"_a.noconvert(), "targets"_a.noconvert(), "strength"_a,
          "n_steps"_a, "most"_a);
}

}  // namespace fuzzypairs
