// The fused pass over packed samples: distances, memberships, sums and objective.
#include "tiles.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {
namespace {

// Parts are large enough to outweigh their sums, and small enough for an interrupt.
constexpr size_t TILES_A_PART = 64, MOST_PARTS = 256;
constexpr double FARTHEST = 1e60;

/// Replace distances by their reciprocals and return the sum of these.
///
/// M reciprocals for one division: that of the product, then products.
template <size_t M>
FUZZYPAIRS_INLINE V invert(V (&d)[M]) {
    V product[M];
    product[0] = d[0];
    for (size_t m = 1; m < M; ++m) product[m] = product[m - 1] * d[m];
    V rest = V(1.0) / product[M - 1], total = 0.0;
    for (size_t m = M - 1; m > 0; --m) {
        const V reciprocal = rest * product[m - 1];
        rest *= d[m];
        d[m] = reciprocal;
        total += reciprocal;
    }
    d[0] = rest;
    return total + rest;
}

/// Replace the distances of the samples in lane i and next to it by reciprocals r, or
/// their squares; return 1 / sum_j r_j. Memberships are r_j times that: eq. (14).
template <bool SQUARED>
FUZZYPAIRS_INLINE V invert_column(size_t k, double* D) {
    V total = 0.0;
    in_blocks<4>(k, [&](size_t j, auto size) {
        V d[size];
        for (size_t m = 0; m < size; ++m) d[m] = V::load(D + (j + m) * TILE);
        total += invert<size>(d);
        for (size_t m = 0; m < size; ++m) (SQUARED ? d[m] * d[m] : d[m]).store(D + (j + m) * TILE);
    });
    return V(1.0) / total;
}

/// Samples stored as S.
template <class S>
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
        for (size_t t = first(part); t < first(part + 1); ++t) {
            const size_t n = used(t);
            const auto row = [&](size_t i) { return i < n ? source.rows[t * TILE + i] : -1; };
            if (weighted_)
                for (size_t i = 0; i < n; ++i)
                    weight_[t * TILE + i] = source.weight[size_t(row(i))];
            tiles_.pack(t, source, row);
            tiles_.add_totals(t, weight(t), totals);
        }
    }

    double pass(size_t part, Matrix<const double> C, Matrix<double> sums,
                std::span<double> masses) const override {
        const Prototypes prototypes(C, TINY);
        TileSums tile_sums(C.rows, C.cols);
        double value = 0.0, *D = tile_sums.weights.data();
        for (size_t t = first(part); t < first(part + 1); ++t) {
            const size_t n_lanes = in_whole_blocks(used(t));
            const S* x = tiles_[t];
            if (by_products_)
                tile_distances<Form::products>(x, tiles_.stride(), n_lanes, prototypes, D);
            else
                tile_distances<Form::squares>(x, tiles_.stride(), n_lanes, prototypes, D);
            V of_tile = 0.0;
            for (size_t i = 0; i < n_lanes; i += WIDTH) {
                // With h = 1 / sum_j r_j: w u_j^2 = r_j^2 w h^2, and sum_j w u_j^2 d_j = w h.
                const V harmonic = invert_column<true>(C.rows, D + i);
                const V weighted = V::load(weight(t) + i) * harmonic;
                of_tile += weighted;
                tile_sums.set(x, tiles_.stride(), i, weighted * harmonic);
                tiles_.prefetch_after(t, i);
            }
            tile_sums.add(n_lanes);
            value += sum(of_tile);
        }
        tile_sums.add_to(sums, masses);
        return value;
    }

    void unpack(size_t part, void* out) const override {
        const size_t n_features = tiles_.n_features();
        for (size_t t = first(part); t < first(part + 1); ++t)
            for (size_t i = 0; i < used(t); ++i)
                for (size_t f = 0; f < n_features; ++f)
                    static_cast<S*>(out)[(t * TILE + i) * n_features + f] =
                        tiles_[t][f * tiles_.stride() + i];
    }

  private:
    size_t first(size_t part) const { return part * tiles_.n_tiles() / n_parts_; }
    size_t used(size_t t) const { return std::min(TILE, n_samples_ - t * TILE); }
    const double* weight(size_t t) const {
        return &weight_[(weighted_ ? t : t + 1 == tiles_.n_tiles()) * TILE];
    }

    size_t n_samples_, n_parts_;
    bool by_products_;
    Tiles<S> tiles_;
    Buffer<double> weight_;
    bool weighted_;
};

}  // namespace

std::unique_ptr<Samples> make_samples(size_t n_samples, size_t n_features, bool weighted,
                                      bool single_storage, bool by_products) {
    if (single_storage)
        return std::make_unique<PackedSamples<float>>(n_samples, n_features, weighted, by_products);
    return std::make_unique<PackedSamples<double>>(n_samples, n_features, weighted, by_products);
}

/// Memberships or distances of rows that are seen once, a tile at a time.
void compare(const Source& source, Matrix<const double> C, Wanted wanted, size_t first, size_t last,
             Matrix<double> out) {
    const Prototypes prototypes(C, wanted == Wanted::memberships ? TINY : 0.0);
    Tiles<double> tile(1, C.cols);
    Buffer<double> D(C.rows * TILE);
    for (size_t start = first; start < last; start += TILE) {
        const size_t n = std::min(TILE, last - start), n_lanes = in_whole_blocks(n);
        const double* x = tile[0];
        tile.pack(0, source, [&](size_t i) { return i < n ? std::int64_t(start + i) : -1; });
        if (wanted == Wanted::absolutes)
            tile_distances<Form::absolutes>(x, tile.stride(), n_lanes, prototypes, D.data());
        else
            tile_distances<Form::squares>(x, tile.stride(), n_lanes, prototypes, D.data());
        for (size_t i = 0; wanted == Wanted::memberships && i < n; i += WIDTH) {
            // So far away that their product would overflow, prototypes are equally near.
            for (size_t j = 0; j < C.rows; ++j)
                min(V::load(&D[j * TILE + i]), V(FARTHEST)).store(&D[j * TILE + i]);
            const V harmonic = invert_column<false>(C.rows, &D[i]);
            for (size_t j = 0; j < C.rows; ++j)
                (V::load(&D[j * TILE + i]) * harmonic).store(&D[j * TILE + i]);
        }
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < C.rows; ++j) out[start + i][j] = D[j * TILE + i];
    }
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
