// The table of one CPU level.
#include "core.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

template <class Pointer>
using FunctionOf = std::remove_pointer_t<Pointer>;
FunctionOf<decltype(Level::samples)> make_samples;
FunctionOf<decltype(Level::groups)> make_groups;
FunctionOf<decltype(Level::compare)> compare;
FunctionOf<decltype(Level::medians)> medians;

#define FUZZYPAIRS_TEXT_OF(name) #name
#define FUZZYPAIRS_TEXT(name) FUZZYPAIRS_TEXT_OF(name)

extern const Level table;
const Level table = {FUZZYPAIRS_TEXT(FUZZYPAIRS_LEVEL), make_samples, make_groups, compare,
                     medians};

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
