#include "walks.hpp"

#include <algorithm>
#include <vector>

namespace fuzzypairs {

// The chance h_i to get to the target within t steps is 1 at the target, and elsewhere
// `strength` times the mean over the neighbours of i of their chances within t - 1 steps.
// Between steps only the largest chances are kept, so that a step costs these and their
// neighbours.
void approach(std::span<const std::int64_t> indptr, std::span<const std::int64_t> neighbor,
              std::span<const std::int64_t> targets, double strength, size_t n_steps,
              Matrix<std::int64_t> rows, Matrix<double> chances, std::span<std::int64_t> counts,
              Watch& watch) {
    const size_t room = rows.cols - 1;
    std::vector<double> sums(indptr.size() - 1, 0.0), found;
    std::vector<size_t> touched;
    for (size_t t = 0; t < targets.size() && !watch.stopped(); ++t) {
        std::int64_t* row = rows[t];
        double* chance = chances[t];
        row[0] = targets[t];
        chance[0] = 1.0;
        size_t n_kept = 1;
        for (size_t step = 0; step < n_steps; ++step) {
            touched.clear();
            for (size_t a = 0; a < n_kept; ++a)
                for (auto e = indptr[size_t(row[a])]; e < indptr[size_t(row[a]) + 1]; ++e) {
                    const auto i = size_t(neighbor[size_t(e)]);
                    if (sums[i] == 0.0) touched.push_back(i);
                    sums[i] += chance[a];
                }
            found.clear();
            for (const size_t i : touched) {
                sums[i] *= strength / double(indptr[i + 1] - indptr[i]);
                if (i == size_t(row[0])) sums[i] = 0.0;  // it is there already
                found.push_back(sums[i]);
            }
            double bar = 0.0;
            if (found.size() > room) {
                const auto nth = found.begin() + std::ptrdiff_t(found.size() - room - 1);
                std::nth_element(found.begin(), nth, found.end());
                bar = *nth;
            }
            n_kept = 1;
            // Of those at the bar itself, the first found fill what room is left.
            for (const bool at_bar : {false, true})
                for (const size_t i : touched) {
                    const bool taken = at_bar ? sums[i] == bar && bar > 0.0 : sums[i] > bar;
                    if (!taken || n_kept > room) continue;
                    row[n_kept] = std::int64_t(i);
                    chance[n_kept++] = sums[i];
                }
            for (const size_t i : touched) sums[i] = 0.0;
        }
        counts[t] = std::int64_t(n_kept);
    }
}

}  // namespace fuzzypairs
