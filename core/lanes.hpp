// Numbers side by side in one register of the machine, without intrinsics.
#pragma once

#include <utility>

#include "arrays.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

#if defined(__AVX512F__)
inline constexpr size_t REGISTER_BYTES = 64, N_REGISTERS = 32;
#elif defined(__AVX__)
inline constexpr size_t REGISTER_BYTES = 32, N_REGISTERS = 16;
#elif defined(__aarch64__)
inline constexpr size_t REGISTER_BYTES = 16, N_REGISTERS = 32;
#else
inline constexpr size_t REGISTER_BYTES = 16, N_REGISTERS = 16;
#endif

template <class T, size_t N>
struct VectorOf {
    typedef T type __attribute__((vector_size(N * sizeof(T))));
};

/// Which lanes a condition holds in.
template <class V>
struct Mask {
    V bits;
    friend Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
    friend Mask operator|(Mask a, Mask b) { return {a.bits | b.bits}; }
    friend bool any(Mask a) {
        bool some = false;
        for (size_t i = 0; i < sizeof(V) / sizeof(a.bits[0]); ++i) some |= a.bits[i] != 0;
        return some;
    }
};

template <class T, size_t N = REGISTER_BYTES / sizeof(T)>
struct Lanes;
template <class T, size_t N, size_t... I>
T sum_halves(Lanes<T, N> a, std::index_sequence<I...>);

/// N numbers of type T; arithmetic acts on each lane.
template <class T, size_t N>
struct Lanes {
    using Register = typename VectorOf<T, N>::type;
    using Condition = Mask<decltype(Register{} < Register{})>;
    static constexpr size_t width = N;

    Register v;

    Lanes() = default;
    Lanes(Register from) : v(from) {}
    Lanes(T x) : v(x - Register{}) {}
    static Lanes load(const T* from) {
        Lanes out;
        std::memcpy(&out.v, from, sizeof out.v);
        return out;
    }
    /// Load numbers of another type.
    template <class S>
    static Lanes load(const S* from) {
        return Lanes(__builtin_convertvector(Lanes<S, N>::load(from).v, Register));
    }
    void store(T* to) const { std::memcpy(to, &v, sizeof v); }
    T operator[](size_t i) const { return v[i]; }

    friend Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
    friend Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
    friend Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
    friend Lanes operator/(Lanes a, Lanes b) { return a.v / b.v; }
    Lanes& operator+=(Lanes b) { return *this = *this + b; }
    Lanes& operator-=(Lanes b) { return *this = *this - b; }
    Lanes& operator*=(Lanes b) { return *this = *this * b; }
    friend Condition operator<(Lanes a, Lanes b) { return {a.v < b.v}; }
    friend Condition operator>(Lanes a, Lanes b) { return {b.v < a.v}; }
    friend Condition operator==(Lanes a, Lanes b) { return {a.v == b.v}; }

    friend Lanes select(Condition where, Lanes a, Lanes b) { return where.bits ? a.v : b.v; }
    friend Lanes min(Lanes a, Lanes b) { return select(a < b, a, b); }
    friend Lanes max(Lanes a, Lanes b) { return select(a > b, a, b); }
    friend Lanes abs(Lanes a) { return max(a, Lanes(T(0)) - a); }

    /// The sum of all lanes, by halves: always in the same order.
    friend T sum(Lanes a) { return sum_halves(a, std::make_index_sequence<N / 2>{}); }
    /// The largest lane; lanes that are not numbers are passed over.
    friend T largest(Lanes a) {
        T most = a[0];
        for (size_t i = 1; i < N; ++i) most = most > a[i] ? most : a[i];
        return most;
    }
};

template <class T, size_t N, size_t... I>
T sum_halves(Lanes<T, N> a, std::index_sequence<I...>) {
    if constexpr (N == 1) {
        return a[0];
    } else {
        const Lanes<T, N / 2> low = __builtin_shufflevector(a.v, a.v, I...);
        const Lanes<T, N / 2> high = __builtin_shufflevector(a.v, a.v, (N / 2 + I)...);
        return sum(low + high);
    }
}

template <size_t N>
using Constant = std::integral_constant<size_t, N>;

/// Call `body(first, size)` for blocks of n items; the size, MOST or what is left at
/// the end, is a `Constant`, so that the block can be held in registers.
template <size_t MOST, class Body>
FUZZYPAIRS_INLINE void in_blocks(size_t n, Body&& body, size_t first = 0) {
    for (; first + MOST <= n; first += MOST) body(first, Constant<MOST>{});
    if constexpr (MOST > 1)
        if (first < n) in_blocks<MOST - 1>(n, body, first);
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
