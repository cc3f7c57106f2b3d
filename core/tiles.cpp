// The fused pass over packed samples: distances, memberships, sums and objective.
#include "tiles.hpp"

#include "core.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {
namespace {

// Parts are large enough to outweigh their sums, and small enough for an interrupt.
constexpr size_t TILES_A_PART = 64, MOST_PARTS = 256;
constexpr double FARTHEST = 1e60;

/// Replace distances by their reciprocals and return the sum of these.
///
/// M reciprocals for one division: that of the product, then products.
template <size_t M, class L>
FUZZYPAIRS_INLINE L invert(L (&d)[M]) {
    L product[M];
    product[0] = d[0];
    for (size_t m = 1; m < M; ++m) product[m] = product[m - 1] * d[m];
    L rest = L(1) / product[M - 1], total = L(0);
    for (size_t m = M - 1; m > 0; --m) {
        const L reciprocal = rest * product[m - 1];
        rest *= d[m];
        d[m] = reciprocal;
        total += reciprocal;
    }
    d[0] = rest;
    return total + rest;
}

/// Replace the distances of the samples in lane i and next to it by reciprocals r, or
/// their squares; return 1 / sum_j r_j. Memberships are r_j times that: eq. (14).
template <bool SQUARED, class A>
FUZZYPAIRS_INLINE Lanes<A> invert_column(size_t k, A* D) {
    using L = Lanes<A>;
    constexpr size_t AT_ONCE = std::is_same_v<A, float> ? 2 : 4;
    L total = A(0);
    in_blocks<AT_ONCE>(k, [&](size_t j, auto size) {
        L d[size];
        for (size_t m = 0; m < size; ++m) d[m] = L::load(D + (j + m) * TILE);
        total += invert<size>(d);
        for (size_t m = 0; m < size; ++m) (SQUARED ? d[m] * d[m] : d[m]).store(D + (j + m) * TILE);
    });
    return L(1) / total;
}

/// Samples stored as S, computed with as A.
template <class S, class A>
class PackedSamples final : public Samples {
  public:
    PackedSamples(size_t n_samples, size_t n_features, bool weighted, bool by_products)
        : n_samples_(n_samples), by_products_(by_products),
          tiles_((n_samples + TILE - 1) / TILE, n_features),
          // Without weights: those of full tiles, and of the last one.
          weight_((weighted ? tiles_.n_tiles() : 2) * TILE, 0.0), weighted_(weighted) {
        const size_t n = tiles_.n_tiles();
        n_parts_ = n == 0 ? 0 : std::min(MOST_PARTS, std::max<size_t>(1, n / TILES_A_PART));
        if (weighted || n == 0) return;
        for (size_t i = 0; i < TILE; ++i) weight_[i] = 1.0;
        for (size_t i = 0; i < used(n - 1); ++i) weight_[TILE + i] = 1.0;
    }

    size_t n_parts() const override { return n_parts_; }

    void pack(size_t part, const Source& source, std::span<double> totals) override {
        if (source.single.data)
            pack_rows(part, source.single, source, totals);
        else
            pack_rows(part, source.twice, source, totals);
    }

    double pass(size_t part, Matrix<const double> C, Matrix<double> sums,
                std::span<double> masses) const override {
        using L = Lanes<A>;
        const Prototypes<A> prototypes(C, by_products_);
        TileSums<A> tile_sums(C.rows, C.cols);
        double value = 0.0;
        for (size_t t = first(part); t < first(part + 1); ++t) {
            const size_t n_lanes = lanes_of(t);
            const S* x = tiles_[t];
            A* D = tile_sums.weights.data();
            tile_distances(x, tiles_.stride(), n_lanes, prototypes, D);
            L of_tile = A(0);
            for (size_t i = 0; i < n_lanes; i += L::width) {
                // With h = 1 / sum_j r_j: w u_j^2 = r_j^2 w h^2, and sum_j w u_j^2 d_j = w h.
                const L harmonic = invert_column<true>(C.rows, D + i);
                const L weighted = L::load(weight(t) + i) * harmonic;
                of_tile += weighted;
                tile_sums.set(x, tiles_.stride(), i, weighted * harmonic);
            }
            tile_sums.add(n_lanes);
            value += sum(of_tile);
        }
        tile_sums.add_to(sums, masses);
        return value;
    }

  private:
    size_t first(size_t part) const { return part * tiles_.n_tiles() / n_parts_; }
    size_t used(size_t t) const { return std::min(TILE, n_samples_ - t * TILE); }
    size_t lanes_of(size_t t) const {
        constexpr size_t BLOCK = 4 * Lanes<A>::width;
        return (used(t) + BLOCK - 1) / BLOCK * BLOCK;
    }
    const double* weight(size_t t) const {
        return &weight_[(weighted_ ? t : t + 1 == tiles_.n_tiles()) * TILE];
    }

    template <class X>
    void pack_rows(size_t part, Matrix<const X> from, const Source& source,
                   std::span<double> totals) {
        for (size_t t = first(part); t < first(part + 1); ++t) {
            const auto row = [&](size_t lane) { return size_t(source.rows[t * TILE + lane]); };
            const size_t n = used(t);
            if (weighted_)
                for (size_t i = 0; i < n; ++i) weight_[t * TILE + i] = source.weight[row(i)];
            const auto from_row = [&](size_t lane) { return lane < n ? from[row(lane)] : nullptr; };
            tiles_.pack(t, from_row, source.mean, source.scale);
            tiles_.add_totals(t, weight(t), n, totals);
        }
    }

    size_t n_samples_, n_parts_;
    bool by_products_;
    Tiles<S> tiles_;
    Buffer<double> weight_;
    bool weighted_;
};

}  // namespace

std::unique_ptr<Samples> make_samples(size_t n_samples, size_t n_features, bool weighted,
                                      bool single_storage, bool single_arithmetic,
                                      bool by_products) {
    if (single_arithmetic)
        return std::make_unique<PackedSamples<float, float>>(n_samples, n_features, weighted, by_products);
    if (single_storage)
        return std::make_unique<PackedSamples<float, double>>(n_samples, n_features, weighted, by_products);
    return std::make_unique<PackedSamples<double, double>>(n_samples, n_features, weighted, by_products);
}

/// Free memberships of rows that are seen once, a tile at a time.
void row_memberships(const Source& source, Matrix<const double> C, size_t first, size_t last,
                     Matrix<double> U) {
    using L = Lanes<double>;
    const Prototypes<double> prototypes(C, false);
    Tiles<double> tile(1, C.cols);
    Buffer<double> D(C.rows * TILE);
    for (size_t start = first; start < last; start += TILE) {
        const size_t n = std::min(TILE, last - start);
        const auto fill = [&](const auto& X) {
            const auto row = [&](size_t lane) { return lane < n ? X[start + lane] : nullptr; };
            tile.pack(0, row, source.mean, source.scale);
        };
        if (source.single.data)
            fill(source.single);
        else
            fill(source.twice);
        tile_distances(tile[0], tile.stride(), TILE, prototypes, D.data());
        for (size_t i = 0; i < n; i += L::width) {
            // So far away that their product would overflow, prototypes are equally near.
            for (size_t j = 0; j < C.rows; ++j)
                min(L::load(&D[j * TILE + i]), L(FARTHEST)).store(&D[j * TILE + i]);
            const L harmonic = invert_column<false>(C.rows, &D[i]);
            for (size_t j = 0; j < C.rows; ++j)
                (L::load(&D[j * TILE + i]) * harmonic).store(&D[j * TILE + i]);
        }
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < C.rows; ++j) U[start + i][j] = D[j * TILE + i];
    }
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
