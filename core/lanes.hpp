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

#if defined(__GNUC__)
template <class T, size_t N>
struct VectorOf {
    typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, size_t N>
using Vector = typename VectorOf<T, N>::type;
#else
/// What the vector types of GCC and Clang can do, as loops.
template <class T, size_t N>
struct Vector {
    T values[N];
    T& operator[](size_t i) { return values[i]; }
    T operator[](size_t i) const { return values[i]; }
};
#define FUZZYPAIRS_LOOP(R, op)                                               \
    template <class T, size_t N>                                             \
    Vector<R, N> operator op(const Vector<T, N>& a, const Vector<T, N>& b) { \
        Vector<R, N> out;                                                    \
        for (size_t i = 0; i < N; ++i) out[i] = a[i] op b[i];                \
        return out;                                                          \
    }
FUZZYPAIRS_LOOP(T, +)
FUZZYPAIRS_LOOP(T, -) FUZZYPAIRS_LOOP(T, *) FUZZYPAIRS_LOOP(T, /) FUZZYPAIRS_LOOP(std::int64_t, <)
    FUZZYPAIRS_LOOP(std::int64_t, ==) FUZZYPAIRS_LOOP(std::int64_t, &)
        FUZZYPAIRS_LOOP(std::int64_t, |)
#undef FUZZYPAIRS_LOOP
#endif

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
    using Register = Vector<T, N>;
    using Condition = Mask<decltype(Register{} < Register{})>;
    static constexpr size_t width = N;

    Register v;

    Lanes() = default;
    Lanes(Register from) : v(from) {}
    Lanes(T x) {
#if defined(__GNUC__)
        v = x - Register{};
#else
        for (size_t i = 0; i < N; ++i) v[i] = x;
#endif
    }
    static Lanes load(const T* from) {
        Lanes out;
        std::memcpy(&out.v, from, sizeof out.v);
        return out;
    }
    /// Load numbers of another type.
    template <class S>
    static Lanes load(const S* from) {
#if defined(__GNUC__)
        return Lanes(__builtin_convertvector(Lanes<S, N>::load(from).v, Register));
#else
        Lanes out;
        for (size_t i = 0; i < N; ++i) out.v[i] = static_cast<T>(from[i]);
        return out;
#endif
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

    friend Lanes select(Condition where, Lanes a, Lanes b) {
#if defined(__GNUC__)
        return where.bits ? a.v : b.v;
#else
        Lanes out;
        for (size_t i = 0; i < N; ++i) out.v[i] = where.bits[i] ? a.v[i] : b.v[i];
        return out;
#endif
    }
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
#if defined(__GNUC__)
        const Lanes<T, N / 2> low = __builtin_shufflevector(a.v, a.v, I...);
        const Lanes<T, N / 2> high = __builtin_shufflevector(a.v, a.v, (N / 2 + I)...);
#else
        const Lanes<T, N / 2> low = Vector<T, N / 2>{{a[I]...}};
        const Lanes<T, N / 2> high = Vector<T, N / 2>{{a[N / 2 + I]...}};
#endif
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
