// The only file that knows Python: arrays are checked here, then nothing else is.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>

#include "descent.hpp"
#include "seeding.hpp"
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
using Ints2 = Array<const std::int64_t, 2>;
/// Samples: float32 stays float32.
using Data = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The CPU level of the module; chosen once at import.
const Level* level = nullptr;

void check(bool holds, const std::string& message) {
    if (!holds) throw nb::value_error(message.c_str());
}

/// Stands for any number above 0 in the shape that is expected.
constexpr size_t MANY = SIZE_MAX;

std::string text_of(size_t length) { return length == MANY ? "many" : std::to_string(length); }

/// The array as a matrix of that shape.
template <class A>
auto matrix(const A& array, size_t rows, size_t cols, const char* name) {
    const size_t n = array.shape(0), m = array.shape(1);
    const auto fits = [](size_t seen, size_t expected) {
        return expected == MANY ? seen > 0 : seen == expected;
    };
    if (!fits(n, rows) || !fits(m, cols))
        check(false, std::string(name) + " has shape (" + std::to_string(n) + ", " +
                         std::to_string(m) + "), expected (" + text_of(rows) + ", " +
                         text_of(cols) + ")");
    return Matrix<std::remove_pointer_t<decltype(array.data())>>{array.data(), n, m};
}

void check_length(size_t seen, size_t expected, const char* name) {
    if (seen != expected)
        check(false, std::string(name) + " has length " + std::to_string(seen) + ", expected " +
                         std::to_string(expected));
}

/// The array as a span.
template <class A>
auto span(const A& array) {
    return std::span(array.data(), array.size());
}

void check_indices(std::span<const std::int64_t> values, size_t below, const char* name) {
    for (const std::int64_t value : values)
        if (value < 0 || size_t(value) >= below)
            check(false, std::string(name) + " has " + std::to_string(value) + ", expected 0 to " +
                             std::to_string(below) + " - 1");
}

/// Borders of ranges: from 0 on, never falling, up to `last`.
void check_borders(std::span<const std::int64_t> values, size_t last, const char* name) {
    check(!values.empty() && values.front() == 0 && size_t(values.back()) == last &&
              std::is_sorted(values.begin(), values.end()),
          std::string(name) + " does not rise from 0 to " + std::to_string(last));
}

/// Memory of a new array, given to Python as it is.
template <int N, class T = double>
NewArray<T, N> new_array(std::array<size_t, N> shape) {
    size_t size = 1;
    for (const size_t length : shape) {
        if (length > 0 && size > PTRDIFF_MAX / sizeof(T) / length) throw std::bad_alloc();
        size *= length;
    }
    // The system's zeros: pages that are not used yet cost nothing.
    T* const data = static_cast<T*>(std::calloc(std::max<size_t>(size, 1), sizeof(T)));
    if (!data) throw std::bad_alloc();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return NewArray<T, N>(data, N, shape.data(), owner);
}
template <class T>
NewArray<T, 1> new_vector(const std::vector<T>& values) {
    auto out = new_array<1, T>({values.size()});
    std::copy(values.begin(), values.end(), out.data());
    return out;
}
NewArray<double, 2> new_matrix(Matrix<const double> values) {
    auto out = new_array<2>({values.rows, values.cols});
    std::copy_n(values.data, values.size(), out.data());
    return out;
}

/// Call `work(watch)` without the GIL; raise what a signal handler raised meanwhile.
template <class Work>
auto run(Work&& work) {
    Watch watch([] {
        nb::gil_scoped_acquire hold;
        return PyErr_CheckSignals() != 0;
    });
    const auto result = [&] {
        nb::gil_scoped_release release;
        return work(watch);
    }();
    if (PyErr_Occurred()) throw nb::python_error();
    return result;
}

/// Call `work(first, last)` for ranges of so many rows, on threads.
template <class Work>
void run_over(size_t n_rows, size_t a_part, size_t n_threads, Work&& work) {
    run([&](Watch& watch) {
        share_out((n_rows + a_part - 1) / a_part, n_threads, watch,
                  [&](size_t part) { work(part * a_part, std::min(n_rows, (part + 1) * a_part)); });
        return true;
    });
}

/// Rows of X, their weights, what is taken off and the unit, checked.
Source source_of(const Data& X, std::span<const std::int64_t> rows,
                 const std::optional<Floats1>& weight, std::span<const double> mean, double unit) {
    Source source{
        .single = {}, .twice = {}, .rows = rows, .weight = {}, .mean = mean, .scale = 1.0 / unit};
    if (X.dtype() == nb::dtype<float>())
        source.single = {static_cast<const float*>(X.data()), X.shape(0), X.shape(1)};
    else if (X.dtype() == nb::dtype<double>())
        source.twice = {static_cast<const double*>(X.data()), X.shape(0), X.shape(1)};
    else
        throw nb::type_error("X is neither float32 nor float64");
    check(X.shape(1) > 0, "X has no columns");
    check_indices(rows, X.shape(0), "rows");
    if (weight) check_length(weight->size(), X.shape(0), "weight");
    if (weight) source.weight = span(*weight);
    check_length(mean.size(), X.shape(1), "mean");
    check(unit > 0.0 && std::isfinite(source.scale), "unit is not a positive number");
    return source;
}

/// Sums and masses of a pass, and what it found.
std::tuple<NewArray<double, 2>, NewArray<double, 1>, PassResult> pass_at(FusedPasses passes,
                                                                         Matrix<const double> C,
                                                                         const Effort& effort) {
    std::vector<double> sums(C.size()), masses(C.rows);
    const Matrix<double> sums_of{sums.data(), C.rows, C.cols};
    const auto found =
        run([&](Watch& watch) { return passes.pass(C, effort, sums_of, masses, watch); });
    return {new_matrix(sums_of), new_vector(masses), found};
}

struct PySamples {
    size_t n_samples = 0, n_features;
    bool is_single = false;
    std::vector<double> totals;
    std::unique_ptr<Samples> core;

    PySamples(const Data& X, std::optional<Ints1> rows, std::optional<Floats1> weight,
              const Floats1& mean, double unit, bool by_products, size_t n_threads)
        : n_features(X.shape(1)), totals(n_features + 2) {
        std::vector<std::int64_t> all(rows ? 0 : X.shape(0));
        std::iota(all.begin(), all.end(), 0);
        const Source source = source_of(X, rows ? span(*rows) : all, weight, span(mean), unit);
        n_samples = source.rows.size();
        is_single = source.single.data != nullptr;
        core = level->samples(n_samples, n_features, weight.has_value(), is_single, by_products);
        std::vector<double> parts(core->n_parts() * totals.size());
        run_over(core->n_parts(), 1, n_threads, [&](size_t part, size_t) {
            core->pack(part, source, {&parts[part * totals.size()], totals.size()});
        });
        for (size_t i = 0; i < parts.size(); ++i) totals[i % totals.size()] += parts[i];
    }

    auto pass_over(const Floats2& C, size_t n_threads) const {
        const auto [sums, masses, found] =
            pass_at({core.get(), nullptr, n_threads}, matrix(C, MANY, n_features, "C"), {});
        return std::tuple(sums, masses, found.rest);
    }

    /// The rows as packed: packing them again, without mean and unit, gives the same bits.
    nb::object rows() const {
        return is_single ? nb::cast(unpacked<float>()) : nb::cast(unpacked<double>());
    }

  private:
    template <class S>
    NewArray<S, 2> unpacked() const {
        auto out = new_array<2, S>({n_samples, n_features});
        for (size_t part = 0; part < core->n_parts(); ++part) core->unpack(part, out.data());
        return out;
    }
};

struct PyGroups {
    size_t n_rows, n_features = 0;
    std::vector<double> totals; ///< of its samples, as in PySamples
    std::unique_ptr<Groups> core;

    PyGroups(const Ints1& groups, const Ints1& indptr, const Ints1& neighbor, const Floats1& pull,
             const Floats1& diagonal, double own, double fuzzifier)
        : n_rows(diagonal.size()) {
        const Graph graph{.groups = span(groups),
                          .indptr = span(indptr),
                          .neighbor = span(neighbor),
                          .pull = span(pull),
                          .diagonal = span(diagonal),
                          .own = own};
        check_length(indptr.size(), n_rows + 1, "indptr");
        check_length(pull.size(), neighbor.size(), "pull");
        check_borders(graph.groups, n_rows, "groups");
        check_borders(graph.indptr, neighbor.size(), "indptr");
        check(fuzzifier > 1.0 && std::isfinite(fuzzifier), "fuzzifier is not above 1");
        for (size_t g = 0; g + 1 < groups.size(); ++g) {
            const auto first = graph.groups[g], last = graph.groups[g + 1];
            check(first < last, "groups has a group without rows");
            for (auto row = first; row < last; ++row)
                for (auto e = graph.indptr[size_t(row)]; e < graph.indptr[size_t(row) + 1]; ++e) {
                    const auto other = graph.neighbor[size_t(e)];
                    if (!(first <= other && other < last && other != row))
                        check(false, "neighbor joins a row to itself or to another group");
                }
        }
        core = level->groups(graph, fuzzifier);
    }

    void pack(const Data& X, const Ints1& rows, std::optional<Floats1> weight, const Floats1& mean,
              double unit) {
        check_length(rows.size(), n_rows, "rows");
        const Source source = source_of(X, span(rows), weight, span(mean), unit);
        n_features = X.shape(1);
        totals.assign(n_features + 2, 0.0);
        core->pack(source, totals);
    }

    void set_memberships(const Floats2& U, size_t n_clusters = MANY) {
        core->set_memberships(matrix(U, n_rows, n_clusters, "memberships"));
    }
    /// Refuse what a callable has set, if it has another number of clusters.
    void check_clusters(size_t expected) const {
        check(core->n_clusters() == expected, "memberships of another number of clusters were set");
    }
    auto memberships() const { return values(&Groups::get_memberships); }
    auto distances() const { return values(&Groups::get_distances); }
    void set_distances(const Floats2& dist2, size_t n_threads) {
        check_ready();
        const auto given = matrix(dist2, n_rows, core->n_clusters(), "dist2");
        run_over(core->n_parts(), 1, n_threads,
                 [&](size_t part, size_t) { core->set_distances(part, given); });
    }

    auto pass_over(const Floats2& C, size_t n_sweeps, double tol, double scale, size_t n_threads) {
        const auto at = prototypes(C);
        const auto [sums, masses, found] =
            pass_at({nullptr, core.get(), n_threads}, at, {n_sweeps, tol, scale});
        return std::tuple(sums, masses, found.groups, found.change);
    }
    auto descend(size_t n_sweeps, double tol, double scale, size_t n_threads) {
        const Outcome all = over_all(n_threads, [&](size_t part, Watch& watch) {
            return core->descend(part, {n_sweeps, tol, scale}, watch);
        });
        return std::tuple(all.value, all.change);
    }
    auto refine(double tol, double scale, size_t turns, size_t n_starts, size_t max_rows,
                double gain, size_t n_threads) {
        const Outcome all = over_all(n_threads, [&](size_t part, Watch& watch) {
            return core->refine(part, {tol, scale, turns, n_starts, max_rows, gain}, watch);
        });
        return std::tuple(all.value, all.change, all.n_improved);
    }
    auto evaluate(double scale, size_t n_threads) {
        const Outcome all = over_all(n_threads, [&](size_t part, Watch& watch) {
            return core->evaluate(part, scale, watch);
        });
        return std::tuple(all.value, all.change);
    }

  private:
    NewArray<double, 2> values(void (Groups::*get)(Matrix<double>) const) const {
        auto out = new_array<2>({n_rows, core->n_clusters()});
        (*core.*get)({out.data(), n_rows, core->n_clusters()});
        return out;
    }

    Matrix<const double> prototypes(const Floats2& C) const {
        check(n_features > 0 || n_rows == 0, "samples are not packed");
        check_ready();
        return matrix(C, core->n_clusters(), n_features, "C");
    }

    void check_ready() const {
        check(core->n_clusters() > 0 || n_rows == 0, "memberships are not set");
    }

    template <class Work>
    Outcome over_all(size_t n_threads, Work&& work) {
        check_ready();
        return run([&](Watch& watch) {
            return over_parts(*core, n_threads, watch,
                              [&](size_t part) { return work(part, watch); });
        });
    }
};

/// Passes made by a Python callable: for other metrics, and for data elsewhere.
class CalledPasses final : public Passes {
  public:
    CalledPasses(nb::object pass, const PyGroups& groups)
        : pass_(std::move(pass)), groups_(groups) {}
    PassResult pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                    std::span<double> masses, Watch&) override {
        nb::gil_scoped_acquire hold;
        const auto [s, m, rest, groups, change] =
            nb::cast<std::tuple<Floats2, Floats1, double, double, double>>(
                pass_(new_matrix(C), effort.n_sweeps, effort.tol));
        groups_.check_clusters(C.rows);
        matrix(s, sums.rows, sums.cols, "sums");
        check_length(m.size(), masses.size(), "masses");
        std::copy_n(s.data(), sums.size(), sums.data);
        std::copy_n(m.data(), masses.size(), masses.data());
        return {rest, groups, change};
    }

  private:
    nb::object pass_;
    const PyGroups& groups_;
};

/// Algorithm 1 with fused passes over samples, or with passes by a callable.
auto descend(nb::object samples, PyGroups& groups, const Floats2& C, const Floats2& U, double alpha,
             double tol, size_t max_iter, double scale, double step_unit, bool is_long,
             std::optional<nb::callable> improve, std::optional<Floats1> totals_of_pass,
             size_t n_threads) {
    const size_t k = C.shape(0), n_features = C.shape(1);
    const auto centers = matrix(C, MANY, n_features, "C");
    check(scale > 0.0 && step_unit > 0.0, "scale and step_unit must be above 0");
    check(max_iter > 0, "max_iter must be above 0");
    groups.set_memberships(U, k);

    std::unique_ptr<Passes> passes;
    std::vector<double> totals(n_features + 2);
    if (nb::isinstance<PySamples>(samples)) {
        const auto& packed = nb::cast<const PySamples&>(samples);
        matrix(C, k, packed.n_features, "C");
        check(groups.n_rows == 0 || groups.n_features == n_features,
              "samples of groups are not packed");
        passes = std::make_unique<FusedPasses>(packed.core.get(), groups.core.get(), n_threads);
        for (size_t i = 0; i < totals.size(); ++i)
            totals[i] = packed.totals[i] + (groups.n_rows > 0 ? groups.totals[i] : 0.0);
    } else {
        if (!PyCallable_Check(samples.ptr()))
            throw nb::type_error("samples are neither packed nor a callable");
        passes = std::make_unique<CalledPasses>(samples, groups);
        if (totals_of_pass) {
            check_length(totals_of_pass->size(), totals.size(), "totals");
            std::copy_n(totals_of_pass->data(), totals.size(), totals.data());
        }
    }
    Options options{.alpha = alpha,
                    .tol = tol,
                    .max_iter = max_iter,
                    .scale = scale,
                    .step_unit = step_unit,
                    .totals = totals,
                    .is_long = is_long,
                    .improve_groups = {}};
    if (improve)
        options.improve_groups = [&](double gain) {
            nb::gil_scoped_acquire hold;
            const size_t before = groups.core->n_clusters();
            const bool has_improved = nb::cast<bool>((*improve)(gain));
            groups.check_clusters(before);
            return has_improved;
        };
    Descent descent(*passes, {*groups.core, groups.n_rows, groups.n_features > 0, n_threads},
                    std::move(options), centers);
    run([&](Watch& watch) {
        descent.run(watch);
        return true;
    });
    const Point& end = descent.end();
    return std::tuple(new_matrix({end.C.data(), end.k, n_features}), groups.memberships(),
                      new_vector(descent.history()), new_vector(descent.sizes()),
                      descent.n_passes(), descent.converged());
}

/// Compare rows of X with prototypes C on threads.
void compare(const Data& X, const Floats2& C, std::span<const double> mean, double unit,
             Wanted wanted, Matrix<double> out, size_t n_threads) {
    constexpr size_t ROWS_A_PART = 4096;
    const Source source = source_of(X, {}, {}, mean, unit);
    const auto at = matrix(C, MANY, X.shape(1), "C");
    run_over(X.shape(0), ROWS_A_PART, n_threads, [&](size_t first, size_t last) {
        level->compare(source, at, wanted, first, last, out);
    });
}

auto memberships(const Data& X, const Floats2& C, const Floats1& mean, double unit,
                 size_t n_threads) {
    const auto out = new_array<2>({X.shape(0), C.shape(0)});
    compare(X, C, span(mean), unit, Wanted::memberships, {out.data(), X.shape(0), C.shape(0)},
            n_threads);
    return out;
}

template <Wanted WANTED>
void distances(const Data& X, const Floats2& C, const Array<double, 2>& out, size_t n_threads) {
    compare(X, C, std::vector<double>(X.shape(1)), 1.0, WANTED,
            matrix(out, X.shape(0), C.shape(0), "out"), n_threads);
}

/// Rows of X as they are, and their weights.
Source rows_of(const Data& X, const std::optional<Floats1>& weight, std::span<const double> mean) {
    check(X.shape(0) > 0, "X has no rows");
    return source_of(X, {}, weight, mean, 1.0);
}

auto mean_and_variance(const Data& X, std::optional<Floats1> weight, size_t n_threads) {
    const std::vector<double> zeros(X.shape(1));
    const Source source = rows_of(X, weight, zeros);
    const Moments found = run([&](Watch& watch) { return moments(source, n_threads, watch); });
    return std::tuple(new_vector(found.mean), found.variance);
}

auto directions(const Data& X, std::optional<Floats1> weight, const Floats1& mean,
                size_t n_threads) {
    const Source source = rows_of(X, weight, span(mean));
    const auto sums =
        run([&](Watch& watch) { return sum_of_directions(source, n_threads, watch); });
    return new_matrix({sums.data(), X.shape(1), X.shape(1)});
}

auto label_sums(const Data& X, const Ints1& labels, size_t n_clusters,
                std::optional<Floats1> weight, const Floats1& mean, size_t n_threads) {
    const Source source = rows_of(X, weight, span(mean));
    check_length(labels.size(), X.shape(0), "labels");
    check_indices(span(labels), n_clusters, "labels");
    const auto sums = run([&](Watch& watch) {
        return sums_of_labels(source, span(labels), n_clusters, n_threads, watch);
    });
    return new_matrix({sums.data(), n_clusters, X.shape(1) + 1});
}

auto kmeans_plusplus(const Data& X, std::optional<Floats1> weight, const Floats2& draws,
                     size_t n_threads) {
    const std::vector<double> zeros(X.shape(1));
    const Source source = rows_of(X, weight, zeros);
    const auto numbers = matrix(draws, MANY, MANY, "draws");
    return new_vector(
        run([&](Watch& watch) { return choose_seeds(*level, source, numbers, n_threads, watch); }));
}

/// The column of the largest value of each row; the first of several.
auto largest_columns(const Floats2& U) {
    const auto values = matrix(U, U.shape(0), MANY, "U");
    auto out = new_array<1, std::int64_t>({values.rows});
    for (size_t i = 0; i < values.rows; ++i)
        out.data()[i] = std::max_element(values[i], values[i] + values.cols) - values[i];
    return out;
}

NewArray<double, 2> weighted_medians(const Ints2& order, const Floats2& values, const Floats2& W,
                                     size_t n_threads) {
    const auto weights = matrix(W, MANY, MANY, "W");
    const auto sorted = matrix(values, MANY, weights.rows, "values");
    const auto by_value = matrix(order, sorted.rows, sorted.cols, "order");
    check_indices(span(order), weights.rows, "order");
    auto out = new_array<2>({weights.cols, sorted.rows});
    const Matrix<double> C{out.data(), weights.cols, sorted.rows};
    run_over(sorted.rows, 1, n_threads,
             [&](size_t f, size_t) { level->medians(by_value, sorted, weights, f, C); });
    return out;
}

auto reach(const Ints1& indptr, const Ints1& neighbor, const Ints1& targets, double strength,
           size_t n_steps, size_t most) {
    check(indptr.size() > 0 && most > 0, "indptr or the room for rows is empty");
    const size_t n = indptr.size() - 1;
    check_borders(span(indptr), neighbor.size(), "indptr");
    check_indices(span(neighbor), n, "neighbor");
    check_indices(span(targets), n, "targets");
    const auto rows = new_array<2, std::int64_t>({targets.size(), most});
    const auto chances = new_array<2>({targets.size(), most});
    const auto counts = new_array<1, std::int64_t>({targets.size()});
    run([&](Watch& watch) {
        approach(span(indptr), span(neighbor), span(targets), strength, n_steps,
                 {rows.data(), targets.size(), most}, {chances.data(), targets.size(), most},
                 {counts.data(), targets.size()}, watch);
        return true;
    });
    return std::tuple(rows, chances, counts);
}

}  // namespace

NB_MODULE(_core, m) {
    level = &choose_level(std::getenv("FUZZYPAIRS_CPU_LEVEL"));
    const auto one = "n_threads"_a = 1;
    const auto X = "X"_a.noconvert(), C = "C"_a.noconvert(), U = "U"_a.noconvert();
    const auto out = "out"_a.noconvert(), mean = "mean"_a.noconvert();
    const auto weight = "weight"_a.noconvert().none();
    const auto unit = "unit"_a = 1.0;
    m.def("cpu_level", [] { return level->name; });
    m.def("cpu_levels", [] {
        std::vector<std::string> names;
        for (const Level* usable : usable_levels()) names.emplace_back(usable->name);
        return names;
    });
    nb::class_<PySamples>(m, "Samples")
        .def(nb::init<const Data&, std::optional<Ints1>, std::optional<Floats1>, const Floats1&,
                      double, bool, size_t>(),
             X, "rows"_a.noconvert().none(), weight, nb::kw_only(), mean, unit,
             "by_products"_a = false, one)
        .def_ro("n_features", &PySamples::n_features)
        .def_prop_ro(
            "totals", [](const PySamples& s) { return new_vector(s.totals); }, nb::rv_policy::move)
        .def_prop_ro("rows", &PySamples::rows)
        .def_ro("n_samples", &PySamples::n_samples)
        .def("pass_over", &PySamples::pass_over, C, one);
    nb::class_<PyGroups>(m, "Groups")
        .def(nb::init<const Ints1&, const Ints1&, const Ints1&, const Floats1&, const Floats1&,
                      double, double>(),
             "groups"_a.noconvert(), "indptr"_a.noconvert(), "neighbor"_a.noconvert(),
             "pull"_a.noconvert(), "diagonal"_a.noconvert(), "own"_a = 1.0, "fuzzifier"_a = 2.0)
        .def("pack", &PyGroups::pack, X, "rows"_a.noconvert(), weight, mean, unit)
        .def_prop_rw(
            "memberships", &PyGroups::memberships,
            [](PyGroups& groups, const Floats2& U) { groups.set_memberships(U); },
            nb::for_getter(nb::rv_policy::move))
        .def_prop_ro("distances", &PyGroups::distances, nb::rv_policy::move)
        .def("set_distances", &PyGroups::set_distances, "dist2"_a.noconvert(), one)
        .def("pass_over", &PyGroups::pass_over, C, "n_sweeps"_a, "tol"_a, "scale"_a, one)
        .def("descend", &PyGroups::descend, "n_sweeps"_a, "tol"_a, "scale"_a, one)
        .def("refine", &PyGroups::refine, "tol"_a, "scale"_a, "turns"_a, "n_starts"_a, "max_rows"_a,
             "gain"_a, one)
        .def("evaluate", &PyGroups::evaluate, "scale"_a, one);
    m.def("descend", &descend, "samples"_a, "groups"_a, C, U, nb::kw_only(), "alpha"_a = 0.0,
          "tol"_a, "max_iter"_a, "scale"_a = 1.0, "step_unit"_a = 1.0, "is_long"_a,
          "improve"_a.none(), "totals"_a.noconvert().none() = nb::none(), one);
    m.def("memberships", &memberships, X, C, nb::kw_only(), mean, unit, one);
    m.def("squared_distances", &distances<Wanted::squares>, X, C, out, one);
    m.def("manhattan_distances", &distances<Wanted::absolutes>, X, C, out, one);
    m.def("mean_and_variance", &mean_and_variance, X, weight, one);
    m.def("directions", &directions, X, weight, mean, one);
    m.def("label_sums", &label_sums, X, "labels"_a.noconvert(), "n_clusters"_a, weight, mean, one);
    m.def("kmeans_plusplus", &kmeans_plusplus, X, weight, "draws"_a.noconvert(), one);
    m.def("largest_columns", &largest_columns, U);
    m.def("weighted_medians", &weighted_medians, "order"_a.noconvert(), "values"_a.noconvert(),
          "W"_a.noconvert(), one);
    m.def("reach", &reach, "indptr"_a.noconvert(), "neighbor"_a.noconvert(),
          "targets"_a.noconvert(), "strength"_a, "n_steps"_a, "most"_a);
}

}  // namespace fuzzypairs
