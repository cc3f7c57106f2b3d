// Which CPU level to use: the best one that this machine has.
#include "core.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

#ifdef FUZZYPAIRS_X86_LEVELS
#include <cpuid.h>
#endif

namespace fuzzypairs {

#ifdef FUZZYPAIRS_X86_LEVELS
namespace v2 { extern const Level table; }
namespace v3 { extern const Level table; }
namespace v4 { extern const Level table; }

namespace {

constexpr unsigned bits(std::initializer_list<unsigned> positions) {
    unsigned all = 0;
    for (const unsigned position : positions) all |= 1u << position;
    return all;
}
// What the levels of the x86-64 ABI ask for, by the bits of CPUID: FMA, MOVBE, OSXSAVE, AVX
// and F16C; LZCNT; BMI1, AVX2 and BMI2; AVX512 F, DQ, CD, BW and VL. Then the registers
// that the system must save, by the bits of XCR0.
constexpr unsigned V3_LEAF_1 = bits({12, 22, 27, 28, 29}), V3_LEAF_EXTENDED = bits({5});
constexpr unsigned V3_LEAF_7 = bits({3, 5, 8}), V4_LEAF_7 = bits({16, 17, 28, 30, 31});
constexpr unsigned V3_SAVED = bits({1, 2}), V4_SAVED = bits({5, 6, 7});

constexpr bool has(unsigned found, unsigned asked) { return (found & asked) == asked; }

unsigned saved_registers() {
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

}  // namespace

// __builtin_cpu_supports would need a runtime that not every compiler brings.
std::vector<const Level*> usable_levels() {
    std::vector<const Level*> levels{&v2::table};
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, V3_LEAF_1)) return levels;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !has(c, V3_LEAF_EXTENDED)) return levels;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, V3_LEAF_7)) return levels;
    const unsigned saved = saved_registers();
    if (!has(saved, V3_SAVED)) return levels;
    levels.push_back(&v3::table);
    if (has(b, V4_LEAF_7) && has(saved, V4_SAVED)) levels.push_back(&v4::table);
    return levels;
}
#else
namespace generic { extern const Level table; }

std::vector<const Level*> usable_levels() { return {&generic::table}; }
#endif

const Level& choose_level(const char* asked) {
    const auto levels = usable_levels();
    if (!asked || !*asked) return *levels.back();
    std::string names;
    for (const Level* level : levels) {
        if (level->name == std::string(asked)) return *level;
        names += std::string(names.empty() ? "" : ", ") + level->name;
    }
    throw std::invalid_argument("FUZZYPAIRS_CPU_LEVEL is " + std::string(asked) +
                                ", but this machine has " + names);
}

}  // namespace fuzzypairs
