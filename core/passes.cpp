#include "passes.hpp"

namespace fuzzypairs {

PassResult FusedPasses::pass(Matrix<const double> C, const Effort& effort, Matrix<double> sums,
                             std::span<double> masses, Watch& watch) {
    const size_t k = C.rows, size = C.size() + k + 2, n_free = samples_ ? samples_->n_parts() : 0;
    const size_t n_parts = n_free + (groups_ ? groups_->n_parts() : 0);
    parts_.assign(n_parts * size, 0.0);
    share_out(n_parts, n_threads_, watch, [&](size_t part) {
        double* at = &parts_[part * size];
        const Matrix<double> own_sums{at, k, C.cols};
        const std::span<double> own_masses{at + C.size(), k};
        if (part < n_free) {
            at[size - 2] = samples_->pass(part, C, own_sums, own_masses);
            return;
        }
        groups_->measure(part - n_free, C);
        const Outcome outcome = groups_->descend(part - n_free, effort, watch);
        groups_->add_sums(part - n_free, own_sums, own_masses);
        at[size - 2] = outcome.value;
        at[size - 1] = outcome.change;
    });
    // Parts are joined in their order, so the number of threads changes nothing.
    PassResult result;
    std::fill_n(sums.data, sums.size(), 0.0);
    std::fill_n(masses.data(), k, 0.0);
    for (size_t part = 0; part < n_parts; ++part) {
        const double* at = &parts_[part * size];
        for (size_t i = 0; i < C.size(); ++i) sums.data[i] += at[i];
        for (size_t j = 0; j < k; ++j) masses[j] += at[C.size() + j];
        (part < n_free ? result.rest : result.groups) += at[size - 2];
        result.change = std::max(result.change, at[size - 1]);
    }
    return result;
}

Outcome over_parts(const Groups& groups, size_t n_threads, Watch& watch,
                   const std::function<Outcome(size_t)>& work) {
    std::vector<Outcome> outcomes(groups.n_parts());
    share_out(outcomes.size(), n_threads, watch, [&](size_t part) { outcomes[part] = work(part); });
    Outcome all;
    for (const Outcome& one : outcomes) {
        all.value += one.value;
        all.change = std::max(all.change, one.change);
        all.n_improved += one.n_improved;
    }
    return all;
}

RunGroups::Memberships RunGroups::memberships() const {
    const size_t k = groups_.n_clusters();
    Memberships now{k, std::vector<double>(n_rows_ * k)};
    groups_.get_memberships({now.U.data(), n_rows_, k});
    return now;
}

void RunGroups::restore(size_t slot) {
    groups_.set_memberships({saved_[slot].U.data(), n_rows_, saved_[slot].k});
}

void RunGroups::drop(size_t cluster) {
    const auto [k, U] = memberships();
    std::vector<double> left;
    for (size_t i = 0; i < n_rows_; ++i) {
        const double* row = &U[i * k];
        double rest = 0.0;
        for (size_t j = 0; j < k; ++j) rest += j == cluster ? 0.0 : row[j];
        for (size_t j = 0; j < k; ++j)
            if (j != cluster) left.push_back(rest > 0.0 ? row[j] / rest : 1.0 / double(k - 1));
    }
    groups_.set_memberships({left.data(), n_rows_, k - 1});
}

void RunGroups::measure(Matrix<const double> C, Watch& watch) {
    if (is_packed_)
        share_out(groups_.n_parts(), n_threads_, watch,
                  [&](size_t part) { groups_.measure(part, C); });
}

Outcome RunGroups::refine(const Refinement& how, Watch& watch) {
    return over_parts(groups_, n_threads_, watch,
                      [&](size_t part) { return groups_.refine(part, how, watch); });
}

}  // namespace fuzzypairs
