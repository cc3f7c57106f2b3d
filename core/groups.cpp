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
        size_t first_pull = 0;                    ///< of its batches
        size_t first_value = 0, first_vector = 0; ///< of its rows, for k clusters
    };

  public:
    PackedGroups(const Graph& graph, Power power, double fuzzifier)
        : groups_(copy(graph.groups)), indptr_(copy(graph.indptr)), neighbor_(copy(graph.neighbor)),
          pull_(copy(graph.pull)), diagonal_(graph.diagonal.size()), own_(graph.own), power_(power),
          fuzzifier_(fuzzifier) {
        cut();
        pack_judgements(graph);
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
            for_values(part, [&](size_t at, size_t row, size_t j) { U_[at] = U[row][j]; });
    }

    void get_memberships(Matrix<double> U) const override {
        for (const Part& part : parts())
            for_values(part,
                       [&](size_t at, size_t row, size_t j) { U[row][j] = std::max(0.0, U_[at]); });
        for (size_t i = 0; i < U.rows; ++i) {
            double total = 0.0;
            for (size_t j = 0; j < k_; ++j) total += U[i][j];
            for (size_t j = 0; j < k_; ++j) U[i][j] /= total;
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
            for (size_t i = 0; i < n_lanes; i += WIDTH) {
                const V weight = V::load(&weight_[tile * TILE + i]);
                for (size_t j = 0; j < k_; ++j)
                    store(weight * V::load(&D[j * TILE + i]), dist2_, part, t * TILE + i, j);
            }
        }
        invert(part);
    }

    void set_distances(size_t number, Matrix<const double> dist2) override {
        const Part& part = parts_[number];
        for_values(part, [&](size_t at, size_t row, size_t j) { dist2_[at] = dist2[row][j]; });
        invert(part);
    }

    void get_distances(Matrix<double> dist2) const override {
        for (const Part& part : parts())
            for_values(part, [&](size_t at, size_t row, size_t j) { dist2[row][j] = dist2_[at]; });
    }

    Outcome descend(size_t number, const Effort& effort, Watch& watch) override {
        return for_groups(number, watch, [&](auto& group, size_t, Solver& solver, Outcome& out) {
            const double change = FUZZYPAIRS_LEVEL::descend(group, effort, solver, watch);
            out.change = std::max(out.change, change);
        });
    }

    Outcome refine(size_t number, const Refinement& options, Watch& watch) override {
        return for_groups(
            number, watch, [&](auto& group, size_t first, Solver& solver, Outcome& out) {
                Buffer<double> before(group.size());
                group.save(before);
                settle(group, options.tol, options.scale, solver, watch);
                out.change = std::max(out.change, largest(group.farthest(before)));
                const size_t n_improved = try_starts(group, options, first, solver, watch);
                if (n_improved > 0) settle(group, options.tol, options.scale, solver, watch);
                out.n_improved += n_improved;
            });
    }

    Outcome evaluate(size_t number, double scale, Watch& watch) override {
        return for_groups(number, watch, [&](auto& group, size_t, Solver& solver, Outcome& out) {
            out.change = std::max(out.change, largest(group.residual(scale, solver)));
        });
    }

    void add_sums(size_t number, Matrix<double> sums, std::span<double> masses) const override {
        const Part& part = parts_[number];
        TileSums tile_sums(k_, X_.n_features());
        for (size_t t = 0; t < tiles_of(part); ++t) {
            const size_t n_lanes = lanes_of(part, t), tile = part.first_tile + t;
            for (size_t i = 0; i < n_lanes; i += WIDTH) {
                tile_sums.set(X_[tile], X_.stride(), i, V::load(&weight_[tile * TILE + i]));
                for (size_t j = 0; j < k_; ++j) {
                    const V u = load(U_, part, t * TILE + i, j);
                    (u * u).store(&tile_sums.weights[j * TILE + i]);
                }
            }
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
    void pack_judgements(const Graph& graph) {
        size_t n_pulls = 0;
        for (size_t i = 0; i < parts_.size(); ++i) {
            parts_[i].first_pull = n_pulls;
            if (parts_[i].size > 0) n_pulls += parts_[i].n_rows * (parts_[i].size - 1);
        }
        batch_pull_ = Buffer<double>(n_pulls, 0.0);
        for (const Part& part : parts())
            for (size_t i = 0; i < part.n_rows; ++i) {
                const size_t row = row_of(part, i);
                diagonal_[part.first_row + i] = graph.diagonal[row];
                if (part.size == 0) continue;
                const size_t t = i / WIDTH % part.size;
                for (auto e = size_t(indptr_[row]); e < size_t(indptr_[row + 1]); ++e) {
                    const size_t q = size_t(neighbor_[e]) + t - row;
                    const size_t edge = i / WIDTH * (part.size - 1) + (q < t ? q : q - 1);
                    batch_pull_[part.first_pull + edge * WIDTH + i % WIDTH] = pull_[e];
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
        size_t n_values = 0, n_vectors = 0;
        for (size_t i = 0; i < parts_.size(); ++i) {
            Part& part = parts_[i];
            part.first_value = n_values;
            part.first_vector = n_vectors;
            n_values += part.n_rows * (part.size ? k : stride_);
            n_vectors += part.n_rows / (part.size ? WIDTH : 1);
        }
        U_ = Buffer<double>(n_values);
        kept_ = Buffer<double>(n_values, 0.0);
        dist2_ = Buffer<double>(n_values, INFINITE);
        inverse_ = Buffer<double>(n_values, 0.0);
        low_ = Buffer<double>(n_vectors * WIDTH, 0.0);
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
        if (part.size == 0) return part.first_value + i * stride_ + j;
        return part.first_value + (i / WIDTH * k_ + j) * WIDTH + i % WIDTH;
    }

    /// Values of cluster j in row i of a part and the next ones; zero beyond its end.
    V load(const Buffer<double>& values, const Part& part, size_t i, size_t j) const {
        // Batches have whole vectors of rows, which lie side by side.
        if (part.size > 0 && i < part.n_rows) return V::load(&values[place(part, i, j)]);
        double out[WIDTH] = {};
        for (size_t lane = 0; lane < WIDTH && i + lane < part.n_rows; ++lane)
            out[lane] = values[place(part, i + lane, j)];
        return V::load(out);
    }
    void store(V from, Buffer<double>& values, const Part& part, size_t i, size_t j) const {
        if (part.size > 0 && i < part.n_rows) return from.store(&values[place(part, i, j)]);
        for (size_t lane = 0; lane < WIDTH && i + lane < part.n_rows; ++lane)
            values[place(part, i + lane, j)] = from[lane];
    }

    /// Call `work(place, row of the problem, cluster)` for the values of a part.
    template <class Work>
    void for_values(const Part& part, Work&& work) const {
        for (size_t i = 0; i < part.n_rows; ++i)
            for (size_t j = 0; j < k_; ++j) work(place(part, i, j), row_of(part, i), j);
    }

    /// Call `work(group, number of the first)` for each batch or group of a part.
    template <class Work>
    void for_each(const Part& part, Work&& work) {
        const auto rows_at = [&](size_t vector, size_t stride) -> Rows {
            const size_t at = part.first_value + vector * stride;
            vector += part.first_vector;
            return {.U = &U_[at],
                    .dist2 = &dist2_[at],
                    .inverse = &inverse_[at],
                    .low = &low_[vector * WIDTH],
                    .near = &near_[vector]};
        };
        if constexpr (Power::is_quadratic)
            for (size_t g = 0; part.size > 0 && g < part.n_groups; g += WIDTH) {
                const size_t n = part.size, row = g * n;
                const double* pull = &batch_pull_[part.first_pull + row * (n - 1)];
                const double* diagonal = &diagonal_[part.first_row + row];
                const Judgements judgements{.indptr = dense_indptr_[n],
                                            .neighbor = dense_neighbor_[n],
                                            .origin = 0,
                                            .pull = pull,
                                            .diagonal = diagonal,
                                            .own = own_};
                Batch batch{judgements, rows_at(row / WIDTH, k_ * WIDTH), k_, n, {}};
                work(batch, part.first_group + g);
            }
        for (size_t g = 0; part.size == 0 && g < part.n_groups; ++g) {
            const size_t group = part.first_group + g, row = size_t(groups_[group]);
            const Judgements judgements{.indptr = &indptr_[row],
                                        .neighbor = neighbor_.data(),
                                        .origin = std::int64_t(row),
                                        .pull = pull_.data(),
                                        .diagonal = &diagonal_[row],
                                        .own = own_};
            One one{judgements, rows_at(row - part.first_row, stride_), k_, size_of(group), power_};
            work(one, group);
        }
    }

    /// Call `work` for each batch or group of a part until stopped; add their objectives.
    template <class Work>
    Outcome for_groups(size_t number, Watch& watch, Work&& work) {
        Solver solver(k_, fuzzifier_);
        Outcome out;
        for_each(parts_[number], [&](auto& group, size_t first) {
            if (watch.stopped()) return;
            work(group, first, solver, out);
            out.value += group.value();
        });
        return out;
    }

    void invert(const Part& part) {
        for_each(part, [](auto& group, size_t) { group.invert(); });
    }

    Buffer<std::int64_t> groups_, indptr_, neighbor_;
    Buffer<double> pull_, diagonal_; ///< diagonals in the order of the parts
    double own_;
    Power power_;
    double fuzzifier_;
    Buffer<Part> parts_;
    Buffer<double> batch_pull_;
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
