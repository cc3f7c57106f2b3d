// Samples packed in tiles, and what is computed of a tile: distances to the prototypes,
// and sums of its samples by weights.
//
// A tile holds TILE samples, feature after feature: inner loops run over samples and
// need no shuffles. Blocks of prototypes x samples stay in registers.
#pragma once

#include <algorithm>
#include <limits>

#include "core.hpp"
#include "lanes.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

using V = Lanes<double>;
inline constexpr size_t WIDTH = V::width;
inline constexpr size_t TILE = 128;
// Vectors of samples that a block of distances holds, and their samples.
inline constexpr size_t BLOCK_VECTORS = N_REGISTERS == 32 ? 4 : 2;
inline constexpr size_t BLOCK = BLOCK_VECTORS * WIDTH;

/// n rounded up to whole blocks.
inline size_t in_whole_blocks(size_t n) { return (n + BLOCK - 1) / BLOCK * BLOCK; }

// Added to squared distances, which are in units of about their mean: a sample on a
// prototype gets the exact limit of eq. (14), and the product of a few reciprocals is
// finite.
inline constexpr double TINY = 1e-60;

/// Centred samples of type S in units of the spread, TILE to a tile.
template <class S>
class Tiles {
  public:
    Tiles() = default;
    Tiles(size_t n_tiles, size_t n_features)
        : n_tiles_(n_tiles), n_features_(n_features),
          // Features a power of two apart share few places of the cache: where there
          // are many they are moved apart by a cache line.
          stride_(TILE + (n_features < 32 ? 0 : 64 / sizeof(S))),
          values_(n_tiles * n_features * stride_) {}

    size_t n_tiles() const { return n_tiles_; }
    size_t n_features() const { return n_features_; }
    size_t stride() const { return stride_; }
    const S* operator[](size_t t) const { return &values_[t * n_features_ * stride_]; }

    /// Ask for what follows tile t by its length and `lane` / TILE of a tile, at once for as
    /// many lanes as a vector has: memory is waited for while tile t is computed.
    FUZZYPAIRS_INLINE void prefetch_after(size_t t, size_t lane) const {
        const size_t n_bytes = n_features_ * stride_ * sizeof(S) / TILE * WIDTH;
        const char* next = reinterpret_cast<const char*>((*this)[t + 1]) + lane / WIDTH * n_bytes;
        for (size_t at = 0; at < n_bytes; at += 64) __builtin_prefetch(next + at);
    }

    /// Copy rows of X to tile t; `row_at(lane)` is a row of X, or -1 for zeros.
    template <class RowAt>
    void pack(size_t t, const Source& source, RowAt&& row_at) {
        if (source.single.data)
            pack_from(source.single, t, source, row_at);
        else
            pack_from(source.twice, t, source, row_at);
    }

    /// Add the sums of w x, w |x|^2 and w of tile t.
    void add_totals(size_t t, const double* weight, std::span<double> totals) const {
        for (size_t f = 0; f < n_features_; ++f) {
            const S* x = (*this)[t] + f * stride_;
            double first = 0.0, second = 0.0;
            for (size_t i = 0; i < TILE; ++i) {
                first += weight[i] * x[i];
                second += weight[i] * x[i] * x[i];
            }
            totals[f] += first;
            totals[n_features_] += second;
        }
        for (size_t i = 0; i < TILE; ++i) totals[n_features_ + 1] += weight[i];
    }

  private:
    template <class X, class RowAt>
    void pack_from(Matrix<const X> from, size_t t, const Source& source, RowAt&& row_at) {
        S* tile = values_.data() + t * n_features_ * stride_;
        for (size_t lane = 0; lane < TILE; ++lane) {
            const std::int64_t row = row_at(lane);
            const X* x = row < 0 ? nullptr : from[size_t(row)];
            for (size_t f = 0; f < n_features_; ++f)
                tile[f * stride_ + lane] =
                    x ? S((double(x[f]) - source.mean[f]) * source.scale) : S(0);
        }
    }

    size_t n_tiles_ = 0, n_features_ = 0, stride_ = TILE;
    Buffer<S> values_;
};

/// Prototypes as tiles meet them.
struct Prototypes {
    Matrix<const double> C;
    double least;           ///< added to each distance
    Buffer<double> squares; ///< (k,) |c|^2

    Prototypes(Matrix<const double> C, double least) : C(C), least(least), squares(C.rows, 0.0) {
        for (size_t j = 0; j < C.rows; ++j)
            for (size_t f = 0; f < C.cols; ++f) squares[j] += C[j][f] * C[j][f];
    }
};

/// How a distance is computed: sum (x - c)^2, sum |x - c|, or |x|^2 - 2 x.c + |c|^2.
enum class Form { squares, absolutes, products };

// Loops that run at least once are written so: before an empty one, totals would have to
// be in memory.
template <Form FORM, size_t J, class S>
void distance_block(const S* x, size_t stride, const Prototypes& prototypes, size_t first,
                    const V (&square)[BLOCK_VECTORS], double* D) {
    const Matrix<const double> C = prototypes.C;
    V total[J][BLOCK_VECTORS];
    for (size_t j = 0; j < J; ++j)
        for (V& t : total[j]) t = FORM == Form::products ? 0.0 : prototypes.least;
    size_t f = 0;
    do {
        V here[BLOCK_VECTORS];
        for (size_t v = 0; v < BLOCK_VECTORS; ++v) here[v] = V::load(x + f * stride + v * WIDTH);
        for (size_t j = 0; j < J; ++j) {
            const V there = C[first + j][f];
            for (size_t v = 0; v < BLOCK_VECTORS; ++v) {
                const V gap = here[v] - there;
                if constexpr (FORM == Form::products)
                    total[j][v] += here[v] * there;
                else if constexpr (FORM == Form::squares)
                    total[j][v] += gap * gap;
                else
                    total[j][v] += abs(gap);
            }
        }
    } while (++f < C.cols);
    for (size_t j = 0; j < J; ++j)
        for (size_t v = 0; v < BLOCK_VECTORS; ++v) {
            V d = total[j][v];
            if constexpr (FORM == Form::products) {
                // A distance that is not above its rounding error counts as that.
                const V size = square[v] + V(prototypes.squares[first + j]);
                const V error = size * V(std::numeric_limits<double>::epsilon());
                d = max(size - (d + d), error + V(prototypes.least));
            }
            d.store(D + (first + j) * TILE + v * WIDTH);
        }
}

/// Set D[j * TILE + i] to the distance of sample i of a tile to prototype j.
template <Form FORM, class S>
void tile_distances(const S* x, size_t stride, size_t n_lanes, const Prototypes& prototypes,
                    double* D) {
    constexpr size_t MOST = FORM == Form::products || N_REGISTERS == 32 ? 6 : 4;
    for (size_t i = 0; i < n_lanes; i += BLOCK) {
        V square[BLOCK_VECTORS];
        for (V& total : square) total = 0.0;
        if constexpr (FORM == Form::products)
            for (size_t f = 0; f < prototypes.C.cols; ++f)
                for (size_t v = 0; v < BLOCK_VECTORS; ++v) {
                    const V here = V::load(x + f * stride + i + v * WIDTH);
                    square[v] += here * here;
                }
        in_blocks<MOST>(prototypes.C.rows, [&](size_t j, auto size) {
            distance_block<FORM, size>(x + i, stride, prototypes, j, square, D + i);
        });
    }
}

template <size_t J, size_t F>
void sum_block(const double* x, size_t n_lanes, const double* W, double* sums, size_t n_columns) {
    V total[J][F];
    for (size_t j = 0; j < J; ++j)
        for (size_t f = 0; f < F; ++f) total[j][f] = 0.0;
    size_t i = 0;
    do {
        V here[F];
        for (size_t f = 0; f < F; ++f) here[f] = V::load(x + f * TILE + i);
        for (size_t j = 0; j < J; ++j) {
            const V weight = V::load(W + j * TILE + i);
            for (size_t f = 0; f < F; ++f) total[j][f] += weight * here[f];
        }
    } while ((i += WIDTH) < n_lanes);
    for (size_t j = 0; j < J; ++j)
        for (size_t f = 0; f < F; ++f) sums[j * n_columns + f] += sum(total[j][f]);
}

/// Sums of samples for each cluster, (k, n_features + 1): the last column is what their
/// weights add up to.
class TileSums {
  public:
    TileSums(size_t k, size_t n_features)
        : weights(k * TILE), sums_(k * (n_features + 1), 0.0), weighted_((n_features + 1) * TILE),
          k_(k), n_columns_(n_features + 1) {}

    /// Set sample i and the next ones of a tile times `factor`.
    template <class S>
    FUZZYPAIRS_INLINE void set(const S* x, size_t stride, size_t i, V factor) {
        for (size_t f = 0; f + 1 < n_columns_; ++f)
            (V::load(x + f * stride + i) * factor).store(&weighted_[f * TILE + i]);
        factor.store(&weighted_[(n_columns_ - 1) * TILE + i]);
    }

    /// Add the samples that were set, times their weights.
    void add(size_t n_lanes) {
        // So many rows of weights stay in the first cache while all features go by.
        constexpr size_t CACHED = 16;
        constexpr size_t J = N_REGISTERS == 32 ? 6 : 4, F = N_REGISTERS == 32 ? 4 : 3;
        for (size_t some = 0; some < k_; some += CACHED)
            in_blocks<F>(n_columns_, [&](size_t f, auto n_f) {
                in_blocks<J>(std::min(CACHED, k_ - some), [&](size_t j, auto n_j) {
                    sum_block<n_j, n_f>(&weighted_[f * TILE], n_lanes, &weights[(some + j) * TILE],
                                        &sums_[(some + j) * n_columns_ + f], n_columns_);
                });
            });
    }

    void add_to(Matrix<double> sums, std::span<double> masses) const {
        for (size_t j = 0; j < k_; ++j) {
            const double* from = &sums_[j * n_columns_];
            for (size_t f = 0; f + 1 < n_columns_; ++f) sums[j][f] += from[f];
            masses[j] += from[n_columns_ - 1];
        }
    }

    Buffer<double> weights; ///< (k, TILE)

  private:
    Buffer<double> sums_;
    Buffer<double> weighted_; ///< (n_features + 1, TILE)
    size_t k_, n_columns_;
};

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
