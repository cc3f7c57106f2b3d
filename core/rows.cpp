// Functions of rows for spaces of any kind: memberships from given distances, what they
// weigh, and distances to prototypes that are points.
#include <cmath>

#include "core.hpp"
#include "tiles.hpp"

namespace fuzzypairs::FUZZYPAIRS_LEVEL {

/// u_j ~ d_j^(-1/(g-1)), relative to the least distance: neither tiny nor huge ones
/// overflow. Zero distances share everything.
void from_distances(Matrix<const double> dist2, double fuzzifier, size_t first, size_t last,
                    Matrix<double> U) {
    const double exponent = 1.0 / (fuzzifier - 1.0);
    for (size_t i = first; i < last; ++i) {
        const double* d = dist2[i];
        double* u = U[i];
        double least = d[0], total = 0.0;
        for (size_t j = 1; j < dist2.cols; ++j) least = std::min(least, d[j]);
        for (size_t j = 0; j < dist2.cols; ++j) {
            const double ratio = d[j] > least ? least / d[j] : 1.0;
            u[j] = exponent == 1.0 ? ratio : ratio > 0.0 ? std::exp(exponent * std::log(ratio)) : 0.0;
            total += u[j];
        }
        for (size_t j = 0; j < dist2.cols; ++j) u[j] /= total;
    }
}

double weigh(Matrix<const double> dist2, Matrix<const double> U, std::span<const double> weight,
             double fuzzifier, double alpha, size_t first, size_t last, Matrix<double> W) {
    double value = 0.0;
    for (size_t i = first; i < last; ++i)
        for (size_t j = 0; j < U.cols; ++j) {
            const double u = U[i][j], power = fuzzifier == 2.0 ? u * u : std::pow(u, fuzzifier);
            W[i][j] = weight[i] * (power - alpha);
            value += W[i][j] * dist2[i][j];
        }
    return value;
}

namespace {

template <class X, class Term>
void add_terms(Matrix<const X> from, Matrix<const double> C, size_t first, size_t last,
               Matrix<double> out, Term term) {
    using L = Lanes<double>;
    const size_t whole = C.cols / L::width * L::width;
    for (size_t i = first; i < last; ++i)
        for (size_t j = 0; j < C.rows; ++j) {
            L lanes = 0.0;
            for (size_t f = 0; f < whole; f += L::width)
                lanes += term(L::load(from[i] + f) - L::load(C[j] + f));
            double total = sum(lanes);
            for (size_t f = whole; f < C.cols; ++f)
                total += term(Lanes<double, 1>(double(from[i][f]) - C[j][f]))[0];
            out[i][j] = total;
        }
}

}  // namespace

void distances(const Source& source, Matrix<const double> C, bool squared, size_t first, size_t last,
               Matrix<double> out) {
    const auto from = [&](const auto& X) {
        if (squared)
            add_terms(X, C, first, last, out, [](auto gap) { return gap * gap; });
        else
            add_terms(X, C, first, last, out, [](auto gap) { return abs(gap); });
    };
    if (source.single.data)
        from(source.single);
    else
        from(source.twice);
}

}  // namespace fuzzypairs::FUZZYPAIRS_LEVEL
