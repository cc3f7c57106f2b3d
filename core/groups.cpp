#include "multistart.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {
namespace {

// Most groups are two to four samples: those of one size are solved WIDTH at a time.
constexpr size_t MOST_ROWS = 4;
constexpr size_t ROWS_A_PART = 1024;

/// All groups of a problem. Rows of a part follow each other in every array.
///
/// In a batched part, row t of WIDTH groups of equal size is one vector for each cluster,
/// and judgements are dense over the few rows of a group. In the other parts a row is
/// filled up to whole vectors by clusters that are infinitely far.
template <class Power>
class PackedGroups final : public Groups {
    using Batch = Group<AcrossGroups, Squared>;
    using One = Group<AcrossClusters, Power>;

    struct Part {
        size_t first_group, n_groups, first_row, n_rows;
        size_t size;                              ///< rows of each group; 0: not batched
        size_t first_tile;                        ///< of its samples
        size_t pulls = 0, diagonals = 0;          ///< first of its batches
        size_t values = 0, lows = 0, vectors = 0; ///< first of its rows, for k clusters
    };

  public:
    PackedGroups(const Graph& graph, Power power, double fuzzifier)
        : groups_(copy(graph.groups)), indptr_(copy(graph.indptr)), neighbor_(copy(graph.neighbor)),
          pull_(copy(graph.pull)), diagonal_(copy(graph.diagonal)), own_(graph.own), power_(power),
          fuzzifier_(fuzzifier) {
        cut();
        pack_judgements();
    }

    size_t n_parts() const override { return parts_.size(); }
    size_t n_clusters() const override { return k_; }

    void pack(const Source& source, std::span<double> totals) override {
        if (parts_.size() == 0) return;
        const Part& end = parts_[parts_.size() - 1];
        X_ = Tiles<double>(end.first_tile + tiles_of(end), source.n_features());
        weight_ = Buffer<double>(X_.n_tiles() * TILE, 0.0);
        for (const Part& part : parts())
            for (size_t t = 0; t < tiles_of(part); ++t) {
                const auto row_at = [&](size_t lane) {
                    const size_t i = t * TILE + lane;
                    return i < part.n_rows ? source.rows[row_of(part, i)] : -1;
                };
                double* weight = &weight_[(part.first_tile + t) * TILE];
                for (size_t lane = 0; lane < TILE && t * TILE + lane < part.n_rows; ++lane)
                    weight[lane] = source.weight_of(size_t(row_at(lane)));
                X_.pack(part.first_tile + t, source, row_at);
                X_.add_totals(part.first_tile + t, weight, totals);
            }
    }

    void set_memberships(Matrix<const double> U) override {
        if (U.cols != k_) resize(U.cols);
        U_.fill(0.0);
        for (const Part& part : parts())
            for (size_t i = 0; i < part.n_rows; ++i)
                for (size_t j = 0; j < k_; ++j) U_[place(part, i, j)] = U[row_of(part, i)][j];
    }

    void get_memberships(Matrix<double> U) const override {
        for (const Part& part : parts())
            for (size_t i = 0; i < part.n_rows; ++i) {
                double total = 0.0, *row = U[row_of(part, i)];
                for (size_t j = 0; j < k_; ++j) {
                    row[j] = std::max(0.0, U_[place(part, i, j)]);
                    total += row[j];
                }
                for (size_t j = 0; j < k_; ++j) row[j] /= total;
            }
    }

    void keep() override { std::memcpy(kept_.data(), U_.data(), U_.size() * sizeof(double)); }
    void go_back() override { std::memcpy(U_.data(), kept_.data(), U_.size() * sizeof(double)); }

    void measure(size_t number, Matrix<const double> C) override {
        const Part& part = parts_[number];
        const Prototypes prototypes(C, TINY);
        Buffer<double> D(k_ * TILE);
        for (size_t t = 0; t < tiles_of(part); ++t) {
            const size_t n_lanes = lanes_of(part, t), tile = part.first_tile + t;
            tile_distances<Form::squares>(X_[tile], X_.stride(), n_lanes, prototypes, D.data());
            for (size_t j = 0; j < k_; ++j)
                for (size_t i = 0; i < n_lanes && t * TILE + i < part.n_rows; ++i)
                    dist2_[place(part, t * TILE + i, j)] =
                        weight_[tile * TILE + i] * D[j * TILE + i];
        }
        invert(part);
    }

    void set_distances(size_t number, Matrix<const double> dist2) override {
        const Part& part = parts_[number];
        for (size_t i = 0; i < part.n_rows; ++i)
            for (size_t j = 0; j < k_; ++j) dist2_[place(part, i, j)] = dist2[row_of(part, i)][j];
        invert(part);
    }

    void get_distances(Matrix<double> dist2) const override {
        for (const Part& part : parts())
            for (size_t i = 0; i < part.n_rows; ++i)
                for (size_t j = 0; j < k_; ++j)
                    dist2[row_of(part, i)][j] = dist2_[place(part, i, j)];
    }

    Outcome descend(size_t number, const Effort& effort, Watch& watch) override {
        const Part& part = parts_[number];
        Solver solver(k_, fuzzifier_);
        Outcome out;
        for_each(
            part, &watch,
            [&](size_t b, Batch batch) {
                V moved = 0.0, before = 0.0;
                for (size_t n = 0; n < effort.n_sweeps; ++n) {
                    before = moved;
                    moved = batch.sweep(effort.scale, solver);
                    if (!any(moved > V(effort.tol))) break;
                }
                const auto is_slow =
                    (moved > V(effort.tol)) & (moved > V(SLOW) * before) & (before > V(0.0));
                in_lanes(part, b, is_slow, [&](One& one) {
                    descend_face(one, effort.tol * effort.scale, watch);
                    out.change = std::max(out.change, one.sweep(effort.scale, solver)[0]);
                });
                out.change = std::max(out.change, largest(select(is_slow, V(0.0), moved)));
                out.value += sum(batch.objective());
            },
            [&](size_t, One one) {
                out.change =
                    std::max(out.change, FUZZYPAIRS_LEVEL::descend(one, effort, solver, watch));
                out.value += one.objective()[0];
            });
        return out;
    }

    Outcome refine(size_t number, const Refinement& options, Watch& watch) override {
        const Part& part = parts_[number];
        Solver solver(k_, fuzzifier_);
        Outcome out;
        for_each(
            part, &watch,
            [&](size_t b, Batch batch) {
                Buffer<double> before(batch.size());
                batch.save(before);
                settle_batch(part, b, batch, options, solver, watch);
                out.change = std::max(out.change, largest(batch.farthest(before)));
                const auto better =
                    try_starts(batch, options, part.first_group + b * WIDTH, solver, watch);
                if (any(better)) settle_batch(part, b, batch, options, solver, watch);
                out.n_improved += size_t(sum(select(better, V(1.0), V(0.0))));
                out.value += sum(batch.objective());
            },
            [&](size_t group, One one) {
                Buffer<double> before(one.size());
                one.save(before);
                settle(one, options.tol, options.scale, solver, watch);
                out.change = std::max(out.change, largest(one.farthest(before)));
                if (one.n_rows <= options.max_rows &&
                    any(try_starts(one, options, group, solver, watch))) {
                    settle(one, options.tol, options.scale, solver, watch);
                    out.n_improved += 1;
                }
                out.value += one.objective()[0];
            });
        return out;
    }

    Outcome evaluate(size_t number, double scale, Watch& watch) override {
        Solver solver(k_, fuzzifier_);
        Outcome out;
        for_each(
            parts_[number], &watch,
            [&](size_t, Batch batch) {
                out.value += sum(batch.objective());
                out.change = std::max(out.change, largest(batch.residual(scale, solver)));
            },
            [&](size_t, One one) {
                out.value += one.objective()[0];
                out.change = std::max(out.change, one.residual(scale, solver)[0]);
            });
        return out;
    }

    void add_sums(size_t number, Matrix<double> sums, std::span<double> masses) const override {
        const Part& part = parts_[number];
        TileSums tile_sums(k_, X_.n_features());
        for (size_t t = 0; t < tiles_of(part); ++t) {
            const size_t n_lanes = lanes_of(part, t), tile = part.first_tile + t;
            for (size_t j = 0; j < k_; ++j)
                for (size_t i = 0; i < n_lanes; ++i) {
                    const size_t at = t * TILE + i;
                    const double u = at < part.n_rows ? U_[place(part, at, j)] : 0.0;
                    tile_sums.weights[j * TILE + i] = u * u;
                }
            for (size_t i = 0; i < n_lanes; i += WIDTH)
                tile_sums.set(X_[tile], X_.stride(), i, V::load(&weight_[tile * TILE + i]));
            tile_sums.add(n_lanes);
        }
        tile_sums.add_to(sums, masses);
    }

  private:
    template <class T>
    static Buffer<T> copy(std::span<const T> from) {
        Buffer<T> out(from.size());
        for (size_t i = 0; i < from.size(); ++i) out[i] = from[i];
        return out;
    }

    std::span<const Part> parts() const { return {parts_.data(), parts_.size()}; }
    size_t size_of(size_t group) const { return size_t(groups_[group + 1] - groups_[group]); }
    static size_t tiles_of(const Part& part) { return (part.n_rows + TILE - 1) / TILE; }
    /// The lanes of tile t that samples lie in, in whole blocks of the distances.
    static size_t lanes_of(const Part& part, size_t t) {
        return std::min(TILE, in_whole_blocks(part.n_rows - t * TILE));
    }

    /// Cut the groups into parts by their sizes alone.
    void cut() {
        const size_t n_groups = groups_.size() == 0 ? 0 : groups_.size() - 1;
        Buffer<Part> parts(2 * n_groups + 1);  // at most two for each group
        size_t n = 0, tile = 0;
        const auto add = [&](size_t first, size_t last, size_t size) {
            const auto row = size_t(groups_[first]), n_rows = size_t(groups_[last]) - row;
            parts[n++] = Part{first, last - first, row, n_rows, size, tile};
            tile += (n_rows + TILE - 1) / TILE;
        };
        for (size_t g = 0, last; g < n_groups; g = last) {
            const size_t size = size_of(g);
            for (last = g + 1; last < n_groups && size_of(last) == size;) ++last;
            if (Power::is_quadratic && size >= 2 && size <= MOST_ROWS) {
                const size_t most = ROWS_A_PART / (size * WIDTH) * WIDTH;
                while (last - g >= WIDTH) {
                    const size_t some = std::min(most, (last - g) / WIDTH * WIDTH);
                    add(g, g + some, size);
                    g += some;
                }
            }
            while (g < last) {
                const size_t some = std::min(last - g, std::max<size_t>(1, ROWS_A_PART / size));
                add(g, g + some, 0);
                g += some;
            }
        }
        parts_ = Buffer<Part>(n);
        for (size_t i = 0; i < n; ++i) parts_[i] = parts[i];
    }

    /// Write the judgements of batches as dense matrices, lane by lane.
    void pack_judgements() {
        size_t n_pulls = 0, n_diagonals = 0;
        for (size_t i = 0; i < parts_.size(); ++i) {
            Part& part = parts_[i];
            if (part.size == 0) continue;
            part.pulls = n_pulls;
            part.diagonals = n_diagonals;
            n_pulls += part.n_rows * (part.size - 1);
            n_diagonals += part.n_rows;
        }
        batch_pull_ = Buffer<double>(n_pulls, 0.0);
        batch_diagonal_ = Buffer<double>(n_diagonals, 0.0);
        for (const Part& part : parts()) {
            if (part.size == 0) continue;
            for (size_t i = 0; i < part.n_rows; ++i) {
                const size_t row = row_of(part, i), t = i / WIDTH % part.size;
                const std::int64_t first = std::int64_t(row - t);
                batch_diagonal_[part.diagonals + i] = diagonal_[row];
                for (auto e = size_t(indptr_[row]); e < size_t(indptr_[row + 1]); ++e) {
                    const auto q = size_t(neighbor_[e] - first);
                    const size_t edge = i / WIDTH * (part.size - 1) + (q < t ? q : q - 1);
                    batch_pull_[part.pulls + edge * WIDTH + i % WIDTH] = pull_[e];
                }
            }
        }
        for (size_t size = 2; size <= MOST_ROWS; ++size)
            for (size_t t = 0; t < size; ++t) {
                dense_indptr_[size][t + 1] = std::int64_t((t + 1) * (size - 1));
                for (size_t q = 0; q + 1 < size; ++q)
                    dense_neighbor_[size][t * (size - 1) + q] = std::int64_t(q < t ? q : q + 1);
            }
    }

    /// Make room for k clusters.
    void resize(size_t k) {
        k_ = k;
        stride_ = AcrossClusters::vectors(k) * WIDTH;
        size_t n_values = 0, n_lows = 0, n_vectors = 0;
        for (size_t i = 0; i < parts_.size(); ++i) {
            Part& part = parts_[i];
            part.values = n_values;
            part.lows = n_lows;
            part.vectors = n_vectors;
            n_values += part.n_rows * (part.size ? k : stride_);
            n_lows += part.n_rows * (part.size ? 1 : WIDTH);
            n_vectors += part.size ? part.n_rows / WIDTH : part.n_rows;
        }
        U_ = Buffer<double>(n_values);
        kept_ = Buffer<double>(n_values, 0.0);
        dist2_ = Buffer<double>(n_values, INFINITE);
        inverse_ = Buffer<double>(n_values, 0.0);
        low_ = Buffer<double>(n_lows, 0.0);
        near_ = Buffer<bool>(n_vectors, false);
    }

    /// The row of the problem that is row i of a part.
    size_t row_of(const Part& part, size_t i) const {
        if (part.size == 0) return part.first_row + i;
        const size_t vector = i / WIDTH, lane = i % WIDTH;
        const size_t batch = vector / part.size, t = vector % part.size;
        return part.first_row + (batch * WIDTH + lane) * part.size + t;
    }

    /// Where values of row i of a part and cluster j lie.
    size_t place(const Part& part, size_t i, size_t j) const {
        if (part.size == 0) return part.values + i * stride_ + j;
        return part.values + (i / WIDTH * k_ + j) * WIDTH + i % WIDTH;
    }

    Batch batch(const Part& part, size_t b) {
        const size_t vector = b * part.size;
        const size_t at = part.values + vector * k_ * WIDTH;
        return {k_,
                part.size,
                dense_indptr_[part.size],
                dense_neighbor_[part.size],
                0,
                batch_pull_.data() + part.pulls + vector * (part.size - 1) * WIDTH,
                batch_diagonal_.data() + part.diagonals + vector * WIDTH,
                own_,
                U_.data() + at,
                dist2_.data() + at,
                inverse_.data() + at,
                low_.data() + part.lows + vector * WIDTH,
                near_.data() + part.vectors + vector,
                {}};
    }

    One one(size_t first, size_t n_rows, double* U, double* dist2, double* inverse, double* low,
            bool* near) const {
        return {k_,
                n_rows,
                indptr_.data() + first,
                neighbor_.data(),
                std::int64_t(first),
                pull_.data(),
                diagonal_.data() + first,
                own_,
                U,
                dist2,
                inverse,
                low,
                near,
                power_};
    }

    template <class OnBatch, class OnOne>
    void for_each(const Part& part, Watch* watch, OnBatch&& on_batch, OnOne&& on_one) {
        if constexpr (Power::is_quadratic)
            if (part.size > 0) {
                for (size_t b = 0; b < part.n_groups / WIDTH && !(watch && watch->stopped()); ++b)
                    on_batch(b, batch(part, b));
                return;
            }
        for (size_t g = part.first_group; g < part.first_group + part.n_groups; ++g) {
            if (watch && watch->stopped()) return;
            const auto row = size_t(groups_[g]), i = row - part.first_row;
            const size_t at = part.values + i * stride_;
            on_one(g, one(row, size_of(g), U_.data() + at, dist2_.data() + at, inverse_.data() + at,
                          low_.data() + part.lows + i * WIDTH, near_.data() + part.vectors + i));
        }
    }

    void invert(const Part& part) {
        for_each(
            part, nullptr, [](size_t, Batch batch) { batch.invert(); },
            [](size_t, One one) { one.invert(); });
    }

    /// Work on some lanes of a batch one by one.
    template <class Work>
    void in_lanes(const Part& part, size_t b, V::Condition lanes, Work&& work) {
        if (!any(lanes)) return;
        const size_t n_rows = part.size;
        Buffer<double> values(3 * n_rows * stride_, 0.0), lows(n_rows * WIDTH);
        Buffer<bool> near(n_rows);
        double *U = values.data(), *dist2 = U + n_rows * stride_,
               *inverse = dist2 + n_rows * stride_;
        for (size_t lane = 0; lane < WIDTH; ++lane) {
            if (!lanes.bits[lane]) continue;
            const auto at = [&](size_t t, size_t j) {
                return place(part, (b * n_rows + t) * WIDTH + lane, j);
            };
            for (size_t t = 0; t < n_rows; ++t)
                for (size_t j = 0; j < stride_; ++j) {
                    U[t * stride_ + j] = j < k_ ? U_[at(t, j)] : 0.0;
                    dist2[t * stride_ + j] = j < k_ ? dist2_[at(t, j)] : INFINITE;
                }
            const size_t first = part.first_row + (b * WIDTH + lane) * n_rows;
            One group = one(first, n_rows, U, dist2, inverse, lows.data(), near.data());
            group.invert();
            work(group);
            for (size_t t = 0; t < n_rows; ++t)
                for (size_t j = 0; j < k_; ++j) U_[at(t, j)] = U[t * stride_ + j];
        }
    }

    void settle_batch(const Part& part, size_t b, Batch& batch, const Refinement& options,
                      Solver& solver, Watch& watch) {
        const V tol = options.tol;
        if (!any(batch.residual(options.scale, solver) > tol)) return;
        for (size_t n = 0; n < MAX_SWEEPS; ++n)
            if (!any(batch.sweep(options.scale, solver) > tol)) break;
        in_lanes(part, b, batch.residual(options.scale, solver) > tol,
                 [&](One& one) { settle(one, options.tol, options.scale, solver, watch); });
    }

    Buffer<std::int64_t> groups_, indptr_, neighbor_;
    Buffer<double> pull_, diagonal_;
    double own_;
    Power power_;
    double fuzzifier_;
    Buffer<Part> parts_;
    Buffer<double> batch_pull_, batch_diagonal_;
    std::int64_t dense_indptr_[MOST_ROWS + 1][MOST_ROWS + 1] = {};
    std::int64_t dense_neighbor_[MOST_ROWS + 1][MOST_ROWS * MOST_ROWS] = {};
    Tiles<double> X_;
    Buffer<double> weight_;
    size_t k_ = 0, stride_ = 0;
    Buffer<double> U_, kept_, dist2_, inverse_, low_;
    Buffer<bool> near_;
};

}  // namespace

std::unique_ptr<Groups> make_groups(const Graph& graph, double fuzzifier) {
    if (fuzzifier == 2.0)
        return std::make_unique<PackedGroups<Squared>>(graph, Squared{}, fuzzifier);
    return std::make_unique<PackedGroups<General>>(graph, General{fuzzifier}, fuzzifier);
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
