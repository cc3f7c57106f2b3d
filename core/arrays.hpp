// Views of rows, and owned memory that begins on a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

// Kernels are compiled once for each CPU level, in a namespace of that name.
#ifndef FUZZYPAIRS_LEVEL
#define FUZZYPAIRS_LEVEL baseline
#endif

// Functions outside the namespace of a level must leave no code behind: the linker
// would keep one copy of it, perhaps one for a CPU that this machine does not have.
#define FUZZYPAIRS_INLINE inline __attribute__((always_inline))

namespace fuzzypairs {

using std::size_t;

/// A row-major matrix that somebody else owns; `matrix[i]` is its row i.
template <class T>
struct Matrix {
    T* data = nullptr;
    size_t rows = 0, cols = 0;

    FUZZYPAIRS_INLINE T* operator[](size_t i) const { return data + i * cols; }
    FUZZYPAIRS_INLINE size_t size() const { return rows * cols; }
    FUZZYPAIRS_INLINE operator Matrix<const T>() const { return {data, rows, cols}; }
};

namespace FUZZYPAIRS_LEVEL {

/// Memory for n numbers, not initialised, aligned for any vector register.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);
    static constexpr size_t CACHE_LINE = 64;
    struct Release {
        void operator()(void* memory) const { ::operator delete(memory); }
    };

  public:
    Buffer() = default;
    // Aligned by hand: the allocator keeps small blocks at hand for plain requests only.
    explicit Buffer(size_t n) : memory_(::operator new(n * sizeof(T) + CACHE_LINE)), size_(n) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        data_ = reinterpret_cast<T*>((address + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    }
    Buffer(size_t n, T value) : Buffer(n) { fill(value); }

    void fill(T value) {
        for (size_t i = 0; i < size_; ++i) data_[i] = value;
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }

  private:
    std::unique_ptr<void, Release> memory_;
    T* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace FUZZYPAIRS_LEVEL
}  // namespace fuzzypairs
