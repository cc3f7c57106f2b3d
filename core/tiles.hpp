// Samples packed in tiles, and what is computed of a tile: squared distances to the
// prototypes, and sums of its samples by weights.
//
// A tile holds TILE samples, feature after feature: inner loops run over samples and
// need no shuffles. Blocks of prototypes x samples stay in registers.
#pragma once

#include <algorithm>
#include <limits>

#include "lanes.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

inline constexpr size_t TILE = 128;

// Added to squared distances, which are in units of about their mean: a sample on a
// prototype gets the exact limit of eq. (14), and the product of a few reciprocals is
// finite.
template <class A>
inline constexpr A TINY = std::is_same_v<A, float> ? A(1e-18) : A(1e-60);

/// Prototypes as tiles meet them, in the precision A of the arithmetic.
template <class A>
struct Prototypes {
    size_t k, n_features;
    bool by_products;  ///< d = |x|^2 - 2 x.c + |c|^2, else sum (x - c)^2
    Buffer<A> values;  ///< (k, n_features)
    Buffer<A> squares; ///< (k,) |c|^2

    Prototypes(Matrix<const double> C, bool by_products)
        : k(C.rows), n_features(C.cols), by_products(by_products), values(C.size()),
          squares(C.rows) {
        for (size_t i = 0; i < C.size(); ++i) values[i] = static_cast<A>(C.data[i]);
        for (size_t j = 0; j < k; ++j) {
            A total = 0;
            for (size_t f = 0; f < n_features; ++f) {
                const A c = values[j * n_features + f];
                total += c * c;
            }
            squares[j] = total;
        }
    }
};

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

    /// Copy rows of X to tile t; `source(lane)` is a row of X, or nullptr for zeros.
    template <class Source>
    void pack(size_t t, Source&& source, std::span<const double> mean, double scale) {
        S* tile = values_.data() + t * n_features_ * stride_;
        for (size_t lane = 0; lane < TILE; ++lane) {
            const auto* x = source(lane);
            for (size_t f = 0; f < n_features_; ++f)
                tile[f * stride_ + lane] =
                    x ? static_cast<S>((static_cast<double>(x[f]) - mean[f]) * scale) : S(0);
        }
    }

    /// Add the sums of w x, w |x|^2 and w of the first n samples of tile t.
    void add_totals(size_t t, const double* weight, size_t n, std::span<double> totals) const {
        for (size_t f = 0; f < n_features_; ++f) {
            const S* x = (*this)[t] + f * stride_;
            double first = 0.0, second = 0.0;
            for (size_t i = 0; i < n; ++i) {
                first += weight[i] * x[i];
                second += weight[i] * x[i] * x[i];
            }
            totals[f] += first;
            totals[n_features_] += second;
        }
        for (size_t i = 0; i < n; ++i) totals[n_features_ + 1] += weight[i];
    }

  private:
    size_t n_tiles_ = 0, n_features_ = 0, stride_ = TILE;
    Buffer<S> values_;
};

template <size_t J, size_t V, bool BY_PRODUCTS, class A, class S>
void distance_block(const S* x, size_t stride, const Prototypes<A>& C, size_t first,
                    const Lanes<A> (&square)[V], A* D) {
    using L = Lanes<A>;
    const size_t n_features = C.n_features;
    const A* c = C.values.data() + first * n_features;
    L total[J][V];
    for (size_t j = 0; j < J; ++j)
        for (size_t v = 0; v < V; ++v) total[j][v] = BY_PRODUCTS ? A(0) : TINY<A>;
    for (size_t f = 0; f < n_features; ++f) {
        L here[V];
        for (size_t v = 0; v < V; ++v) here[v] = L::load(x + f * stride + v * L::width);
        for (size_t j = 0; j < J; ++j) {
            const L there = c[j * n_features + f];
            for (size_t v = 0; v < V; ++v) {
                if constexpr (BY_PRODUCTS) {
                    total[j][v] += here[v] * there;
                } else {
                    const L gap = here[v] - there;
                    total[j][v] += gap * gap;
                }
            }
        }
    }
    for (size_t j = 0; j < J; ++j)
        for (size_t v = 0; v < V; ++v) {
            L d = total[j][v];
            if constexpr (BY_PRODUCTS) {
                // A distance that is not above its rounding error counts as that.
                const L scale = square[v] + L(C.squares[first + j]);
                const L error = scale * L(std::numeric_limits<A>::epsilon()) + L(TINY<A>);
                d = max(scale - (d + d), error);
            }
            d.store(D + (first + j) * TILE + v * L::width);
        }
}

/// Set D[j * TILE + i] to the squared distance of sample i of a tile to prototype j.
template <class A, class S>
void tile_distances(const S* x, size_t stride, size_t n_lanes, const Prototypes<A>& C, A* D) {
    using L = Lanes<A>;
    constexpr size_t V = N_REGISTERS == 32 ? 4 : 2;
    constexpr size_t MOST = N_REGISTERS == 32 ? 6 : 4, MOST_PRODUCTS = 6;
    for (size_t i = 0; i < n_lanes; i += V * L::width) {
        L square[V];
        for (size_t v = 0; v < V; ++v) square[v] = A(0);
        if (!C.by_products) {
            in_blocks<MOST>(C.k, [&](size_t j, auto size) {
                distance_block<size, V, false>(x + i, stride, C, j, square, D + i);
            });
            continue;
        }
        for (size_t f = 0; f < C.n_features; ++f)
            for (size_t v = 0; v < V; ++v) {
                const L here = L::load(x + f * stride + i + v * L::width);
                square[v] += here * here;
            }
        in_blocks<MOST_PRODUCTS>(C.k, [&](size_t j, auto size) {
            distance_block<size, V, true>(x + i, stride, C, j, square, D + i);
        });
    }
}

template <size_t J, size_t F, class A>
void sum_block(const A* x, size_t n_lanes, const A* W, double* sums, size_t n_columns) {
    using L = Lanes<A>;
    L total[J][F];
    for (size_t j = 0; j < J; ++j)
        for (size_t f = 0; f < F; ++f) total[j][f] = A(0);
    for (size_t i = 0; i < n_lanes; i += L::width) {
        L here[F];
        for (size_t f = 0; f < F; ++f) here[f] = L::load(x + f * TILE + i);
        for (size_t j = 0; j < J; ++j) {
            const L weight = L::load(W + j * TILE + i);
            for (size_t f = 0; f < F; ++f) total[j][f] += weight * here[f];
        }
    }
    for (size_t j = 0; j < J; ++j)
        for (size_t f = 0; f < F; ++f) sums[j * n_columns + f] += sum(total[j][f]);
}

/// Sums of samples for each cluster, (k, n_features + 1): the last column is what their
/// weights add up to.
template <class A>
class TileSums {
  public:
    TileSums(size_t k, size_t n_features)
        : weights(k * TILE), sums_(k * (n_features + 1), 0.0),
          weighted_((n_features + 1) * TILE), k_(k), n_columns_(n_features + 1) {}

    /// Set sample i and the next ones of a tile times `factor`.
    template <class S>
    FUZZYPAIRS_INLINE void set(const S* x, size_t stride, size_t i, Lanes<A> factor) {
        using L = Lanes<A>;
        for (size_t f = 0; f + 1 < n_columns_; ++f)
            (L::load(x + f * stride + i) * factor).store(&weighted_[f * TILE + i]);
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

    Buffer<A> weights; ///< (k, TILE)

  private:
    Buffer<double> sums_;
    Buffer<A> weighted_; ///< (n_features + 1, TILE)
    size_t k_, n_columns_;
};

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
