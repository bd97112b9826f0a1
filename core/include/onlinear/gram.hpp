#pragma once
#include <cstddef>

/// The wide loops of kernel expansions, compiled per instruction set like those of kernels.hpp.
namespace onlinear {

/// Points stand in panels of this many: panel[dimension][lane].
inline constexpr std::size_t kPanel = 16;

struct GramKernels {
    /// out[row * stride + panel * kPanel + lane] = rows[row] . point, for `panels` whole panels.
    ///
    /// Every number is one sum over the dimensions in rising order, so it depends on the two points alone,
    /// whatever stands beside them in the block.
    void (*products)(const double* rows, std::size_t n_rows, std::size_t dimensions, const double* panels,
                     std::size_t n_panels, double* out, std::size_t stride);
    /// From products to Gaussians of distances: x = exp(-gamma max(0, own + norms - 2 x)).
    void (*gaussians)(double* x, std::size_t n, double gamma, double own, const double* norms);
    /// x = (base + x)^degree.
    void (*powers)(double* x, std::size_t n, double base, unsigned degree);
    /// a . b: kPanel partial sums, added in order at the end.
    double (*dot)(const double* a, const double* b, std::size_t n);
    /// out = P k for a symmetric matrix with rows `stride` apart; n a multiple of kPanel, zeros past the end.
    void (*times)(const double* matrix, std::size_t stride, std::size_t n, const double* k, double* out);
    /// P += sign t t', the same way; `sign` is 1 or -1.
    void (*add_outer)(double* matrix, std::size_t stride, std::size_t n, double sign, const double* t);
};

const GramKernels& gram_kernels() noexcept;

}  // namespace onlinear
