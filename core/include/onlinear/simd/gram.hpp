#pragma once
#include <cstddef>

/// The wide loops of kernel expansions, compiled per instruction set like those of simd.hpp.
namespace onlinear {

/// Points stand in panels of this many: panel[dimension][lane].
inline constexpr std::size_t kPanel = 16;

/// Rows of a triangle solved side by side.
inline constexpr std::size_t kSolveRows = 4;

/// u <- uu u + uz z, z <- zu u + zz z.
struct RowMix {
    double uu, uz, zu, zz;

    void operator()(double& u, double& z) const noexcept {
        const double before = u;
        u = uu * before + uz * z;
        z = zu * before + zz * z;
    }
};

struct GramLoops {
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
    /// y <- U'^-1 y for an upper triangular U with rows `stride` apart. Here and below n is a multiple of
    /// kPanel, and U and the vectors are zero past the end, where U may stop. Before `first`, a multiple of
    /// kSolveRows, y is zero.
    void (*solve)(const double* upper, std::size_t stride, std::size_t first, std::size_t n, double* y);
    /// y <- U^-1 y.
    void (*solve_back)(const double* upper, std::size_t stride, std::size_t n, double* y);
    /// `by` on two rows, both zero before `first`.
    void (*mix)(double* u, double* z, std::size_t first, std::size_t n, const RowMix& by);
};

}  // namespace onlinear
