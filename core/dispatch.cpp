// Which CPU level to use: the best one that this machine has.
#include "core.hpp"

#include <stdexcept>
#include <string>

namespace fuzzypairs {

#ifdef FUZZYPAIRS_X86_LEVELS
namespace v2 { extern const Level table; }
namespace v3 { extern const Level table; }
namespace v4 { extern const Level table; }

std::vector<const Level*> usable_levels() {
    __builtin_cpu_init();
    std::vector<const Level*> levels{&v2::table};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        levels.push_back(&v3::table);
    if (levels.size() == 2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        levels.push_back(&v4::table);
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
