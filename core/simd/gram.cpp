/// Products of many points with many points; compiled once per instruction set.
#include "tables.hpp"

namespace onlinear {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kLanes = 8, kRows = 8;  // 16 of 32 registers hold sums
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 4, kRows = 3;  // 12 of 16
#else
constexpr std::size_t kLanes = 2, kRows = 1;
#endif
typedef double Wide __attribute__((vector_size(kLanes * sizeof(double)), aligned(8), may_alias));
typedef long long WideInt __attribute__((vector_size(kLanes * sizeof(double)), aligned(8), may_alias));
constexpr std::size_t kVectors = kPanel / kLanes;

inline Wide load(const double* p) { return *reinterpret_cast<const Wide*>(p); }
inline void store(double* p, Wide v) { *reinterpret_cast<Wide*>(p) = v; }

/// R rows against one panel over dimensions [0, n): sums held in registers.
template <std::size_t R>
inline void tile(const double* rows, std::size_t row_stride, const double* panel, std::size_t n, double* out,
                 std::size_t stride, bool first) {
    Wide sum[R][kVectors];
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t v = 0; v < kVectors; ++v)
            sum[r][v] = first ? Wide{} : load(out + r * stride + v * kLanes);
    for (std::size_t k = 0; k < n; ++k) {
        Wide p[kVectors];
        for (std::size_t v = 0; v < kVectors; ++v) p[v] = load(panel + k * kPanel + v * kLanes);
        for (std::size_t r = 0; r < R; ++r) {
            const double x = rows[r * row_stride + k];
            for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] += x * p[v];
        }
    }
    for (std::size_t r = 0; r < R; ++r)
        for (std::size_t v = 0; v < kVectors; ++v) store(out + r * stride + v * kLanes, sum[r][v]);
}

void products(const double* rows, std::size_t n_rows, std::size_t dimensions, const double* panels,
              std::size_t n_panels, double* out, std::size_t stride) {
    constexpr std::size_t kDepth = 256;  // a panel's slice is 32 KB: the first cache
    for (std::size_t start = 0; start < dimensions || start == 0; start += kDepth) {
        const std::size_t n = dimensions - start < kDepth ? dimensions - start : kDepth;
        for (std::size_t p = 0; p < n_panels; ++p) {
            const double* panel = panels + (p * dimensions + start) * kPanel;
            std::size_t r = 0;
            for (; r + kRows <= n_rows; r += kRows)
                tile<kRows>(rows + r * dimensions + start, dimensions, panel, n,
                            out + r * stride + p * kPanel, stride, start == 0);
            for (; r < n_rows; ++r)
                tile<1>(rows + r * dimensions + start, dimensions, panel, n, out + r * stride + p * kPanel,
                        stride, start == 0);
        }
    }
}

/// exp by 2^n exp(r), |r| <= ln(2)/2, and Taylor's series to r^13: an error of about one unit in the last
/// place.
inline Wide exponential(Wide x) {
    const Wide low = Wide{} - 708.0;
    const WideInt tiny = x < low;
    x = tiny ? low : x;
    // Adding 1.5 * 2^52 rounds to a whole number and leaves it in the low bits.
    const Wide magic = Wide{} + 6755399441055744.0;
    const Wide shifted = x * 1.4426950408889634074 + magic;
    const Wide n = shifted - magic;
    const Wide r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    constexpr double c[] = {1.0 / 6227020800,
                            1.0 / 479001600,
                            1.0 / 39916800,
                            1.0 / 3628800,
                            1.0 / 362880,
                            1.0 / 40320,
                            1.0 / 5040,
                            1.0 / 720,
                            1.0 / 120,
                            1.0 / 24,
                            1.0 / 6,
                            0.5,
                            1.0,
                            1.0};
    Wide sum = Wide{} + c[0];
    for (int i = 1; i < 14; ++i) sum = sum * r + c[i];
    const WideInt power = (reinterpret_cast<const WideInt&>(shifted) << 52) + (1023LL << 52);
    sum *= reinterpret_cast<const Wide&>(power);
    return tiny ? Wide{} : sum;
}

/// Whole vectors of it; one piece of code for every number, so that its place in a row does not show in the
/// bits.
[[gnu::noinline]] void whole_gaussians(double* x, std::size_t n, double gamma, double own,
                                       const double* norms) {
    for (std::size_t i = 0; i < n; i += kLanes) {
        const Wide distance = own + load(norms + i) - 2 * load(x + i);
        store(x + i, exponential(-gamma * (distance > 0 ? distance : Wide{})));
    }
}

void gaussians(double* x, std::size_t n, double gamma, double own, const double* norms) {
    const std::size_t whole = n / kLanes * kLanes;
    whole_gaussians(x, whole, gamma, own, norms);
    if (whole == n) return;
    double rest[kLanes] = {}, rest_norms[kLanes] = {};
    for (std::size_t j = whole; j < n; ++j) {
        rest[j - whole] = x[j];
        rest_norms[j - whole] = norms[j];
    }
    whole_gaussians(rest, kLanes, gamma, own, rest_norms);
    for (std::size_t j = whole; j < n; ++j) x[j] = rest[j - whole];
}

/// The binary way, a bit of the degree at a time.
template <class Number>
inline Number power(Number base, unsigned degree) {
    Number out = Number{} + 1.0;
    for (; degree > 0; degree /= 2) {
        if (degree % 2) out *= base;
        base *= base;
    }
    return out;
}

void powers(double* x, std::size_t n, double base, unsigned degree) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) store(x + i, power(base + load(x + i), degree));
    for (; i < n; ++i) x[i] = power(base + x[i], degree);
}

/// a . b of whole panels, in kPanel partial sums.
struct Sums {
    Wide sums[kVectors] = {};

    void add(const double* a, const double* b, std::size_t n) {
        for (std::size_t j = 0; j < n; j += kPanel)
            for (std::size_t v = 0; v < kVectors; ++v)
                sums[v] += load(a + j + v * kLanes) * load(b + j + v * kLanes);
    }
    double total() const {
        double sum = 0;
        for (std::size_t v = 0; v < kVectors; ++v)
            for (std::size_t lane = 0; lane < kLanes; ++lane) sum += sums[v][lane];
        return sum;
    }
};

double dot(const double* a, const double* b, std::size_t n) {
    const std::size_t whole = n / kPanel * kPanel;
    Sums sums;
    sums.add(a, b, whole);
    if (whole < n) {
        double rest_a[kPanel] = {}, rest_b[kPanel] = {};
        for (std::size_t j = whole; j < n; ++j) {
            rest_a[j - whole] = a[j];
            rest_b[j - whole] = b[j];
        }
        sums.add(rest_a, rest_b, kPanel);
    }
    return sums.total();
}

/// Four rows at a time: first what they say of each other, then one sweep over what stands to their right.
void solve(const double* upper, std::size_t stride, std::size_t first, std::size_t n, double* y) {
    for (std::size_t j = first; j < n; j += kSolveRows) {
        const double* rows = upper + j * stride;
        double known[kSolveRows];
        for (std::size_t r = 0; r < kSolveRows; ++r) {
            const double own = rows[r * stride + j + r];
            if (own == 0) return;  // past the last row
            double left = y[j + r];
            for (std::size_t q = 0; q < r; ++q) left -= known[q] * rows[q * stride + j + r];
            y[j + r] = known[r] = left / own;
        }
        // The sweep begins at a whole vector, which may hold some of the four: those are put back.
        for (std::size_t k = (j + kSolveRows) / kLanes * kLanes; k < n; k += kLanes) {
            Wide sum = load(y + k);
            for (std::size_t r = 0; r < kSolveRows; ++r) sum -= known[r] * load(rows + r * stride + k);
            store(y + k, sum);
        }
        for (std::size_t r = 0; r < kSolveRows; ++r) y[j + r] = known[r];
    }
}

void solve_back(const double* upper, std::size_t stride, std::size_t n, double* y) {
    for (std::size_t j = n; j > 0;) {
        j -= kSolveRows;
        const double* rows = upper + j * stride;
        double left[kSolveRows];
        for (std::size_t r = 0; r < kSolveRows; ++r) {
            left[r] = y[j + r];
            y[j + r] = 0;  // the sweep begins at a whole vector, which may hold some of the four
        }
        Wide sums[kSolveRows] = {};
        for (std::size_t k = (j + kSolveRows) / kLanes * kLanes; k < n; k += kLanes) {
            const Wide t = load(y + k);
            for (std::size_t r = 0; r < kSolveRows; ++r) sums[r] += t * load(rows + r * stride + k);
        }
        for (std::size_t r = kSolveRows; r-- > 0;) {
            const double own = rows[r * stride + j + r];
            if (own == 0) continue;  // past the last row
            for (std::size_t lane = 0; lane < kLanes; ++lane) left[r] -= sums[r][lane];
            for (std::size_t q = r + 1; q < kSolveRows; ++q) left[r] -= rows[r * stride + j + q] * y[j + q];
            y[j + r] = left[r] / own;
        }
    }
}

void mix(double* u, double* z, std::size_t first, std::size_t n, const RowMix& by) {
    for (std::size_t k = first / kLanes * kLanes; k < n; k += kLanes) {
        const Wide a = load(u + k), b = load(z + k);
        store(u + k, by.uu * a + by.uz * b);
        store(z + k, by.zu * a + by.zz * b);
    }
}

}  // namespace

namespace ONLINEAR_LEVEL {
GramLoops gram_loops() { return {products, gaussians, powers, dot, solve, solve_back, mix}; }
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
