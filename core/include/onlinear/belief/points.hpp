#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "onlinear/rows/row.hpp"
#include "onlinear/simd/simd.hpp"

/// Points and the kernels between them.
namespace onlinear::belief {

/// A kernel from outside the core, on dense rows: out[i * n_b + j] = K(a_i, b_j).
struct CustomKernel {
    virtual ~CustomKernel() = default;
    virtual void evaluate(const double* a, std::size_t n_a, const double* b, std::size_t n_b,
                          std::size_t dimensions, double* out) const = 0;
};

inline constexpr std::array<const char*, 3> kKernelNames{"linear", "poly", "rbf"};

/// One of the named kernels, or a custom one.
struct KernelKind {
    enum Name : int { kLinear, kPoly, kRbf, kCustom };
    int name = kRbf;
    std::shared_ptr<const CustomKernel> custom;
    friend bool operator==(const KernelKind&, const KernelKind&) = default;
};

struct KernelFunction {
    KernelKind kind;
    double gamma = 1.0;
    double degree = 3.0;
    double coef0 = 1.0;

    /// From products and squared norms to kernels, in place, for one row of a Gram matrix.
    ///
    /// `bias` is what the intercept's feature, 1 in every row, put into the products: it is one more
    /// direction of the kernel's space, K(x, z) + 1, not one more feature for the kernel to bend.
    void finish(double* products, std::size_t n, double own, const double* norms, double bias) const {
        if (kind.name == KernelKind::kLinear) return;
        if (kind.name == KernelKind::kRbf) {
            gram_loops().gaussians(products, n, gamma, own, norms);
        } else if (kind.name == KernelKind::kPoly && whole_degree()) {
            gram_loops().powers(products, n, coef0 - bias, static_cast<unsigned>(degree));
        } else if (kind.name == KernelKind::kPoly) {
            for (std::size_t j = 0; j < n; ++j) products[j] = std::pow(coef0 - bias + products[j], degree);
        }
        if (bias != 0)
            for (std::size_t j = 0; j < n; ++j) products[j] += bias;
    }
    /// K(x, x) from the squared norm of x; a custom kernel must be asked.
    double own(double norm, double bias) const {
        if (kind.name == KernelKind::kRbf) return 1.0 + bias;
        double self = norm;
        finish(&self, 1, norm, &norm, bias);
        return self;
    }

private:
    bool whole_degree() const noexcept { return degree == std::floor(degree) && degree <= 64; }
};

/// Rows kept for products with other rows.
///
///   panels  few features: groups of kPanel points, [group][feature][lane], as the product kernel reads them
///   plain   one dense row after another, as a custom kernel reads them
///   sparse  many features: index and value of what is not zero
/// Which one depends on the number of features and the kernel alone, so it never shows in the bits.
class Points {
public:
    enum class Layout { panels, plain, sparse };
    static constexpr std::size_t kFew = 4096;

    Points(Layout layout, std::size_t slots) : layout_(layout), slots_(slots) {}
    static Layout layout_for(const KernelKind& kind, std::size_t slots) {
        if (kind.name == KernelKind::kCustom) return Layout::plain;
        return slots <= kFew ? Layout::panels : Layout::sparse;
    }

    Layout layout() const noexcept { return layout_; }
    std::size_t size() const noexcept { return norms_.size(); }
    std::size_t slots() const noexcept { return slots_; }
    std::size_t bytes() const noexcept {
        std::size_t out = values_.size() * sizeof(double);
        for (const Sparse& row : sparse_) out += row.size() * sizeof(Entry);
        return out;
    }
    std::size_t padded() const noexcept { return (size() + kPanel - 1) / kPanel * kPanel; }
    const double* panels() const noexcept { return values_.data(); }
    const double* plain() const noexcept { return values_.data(); }
    const double* norms() const noexcept { return norms_.data(); }
    double norm(std::size_t p) const noexcept { return norms_[p]; }

    struct Entry {
        std::uint32_t slot;
        double value;
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    using Sparse = std::vector<Entry>;

    void clear() noexcept {
        values_.clear();
        sparse_.clear();
        norms_.clear();
    }
    void add(const Sparse& row, double norm) {
        const std::size_t p = size();
        norms_.push_back(norm);
        if (layout_ == Layout::sparse) {
            sparse_.push_back(row);
            return;
        }
        if (layout_ == Layout::plain)
            values_.resize((p + 1) * slots_, 0.0);
        else if (p % kPanel == 0)
            values_.resize(values_.size() + kPanel * slots_, 0.0);
        for (const Entry& e : row) at(p, e.slot) = e.value;
    }
    Sparse get(std::size_t p) const {
        if (layout_ == Layout::sparse) return sparse_[p];
        Sparse row;
        for (std::uint32_t s = 0; s < slots_; ++s)
            if (const double v = value(p, s); v != 0) row.push_back({s, v});
        return row;
    }
    double value(std::size_t p, std::uint32_t slot) const noexcept {
        if (layout_ != Layout::sparse) return values_[index(p, slot)];
        const Sparse& row = sparse_[p];
        const auto found = std::lower_bound(row.begin(), row.end(), slot,
                                            [](const Entry& e, std::uint32_t s) { return e.slot < s; });
        return found != row.end() && found->slot == slot ? found->value : 0.0;
    }
    /// Point `p` goes; the last takes its place.
    void remove(std::size_t p) {
        const std::size_t last = size() - 1;
        if (layout_ == Layout::sparse) {
            sparse_[p] = std::move(sparse_[last]);
            sparse_.pop_back();
        } else {
            for (std::uint32_t s = 0; s < slots_; ++s) {
                at(p, s) = at(last, s);
                at(last, s) = 0;
            }
            if (layout_ == Layout::plain)
                values_.resize(last * slots_);
            else
                values_.resize((last + kPanel - 1) / kPanel * kPanel * slots_);
        }
        norms_[p] = norms_[last];
        norms_.pop_back();
    }

    static std::uint64_t hash(const Sparse& row) noexcept {
        std::uint64_t h = 0x9E3779B97F4A7C15u;
        for (const Entry& e : row) {
            h = (h ^ e.slot) * 0xBF58476D1CE4E5B9u;
            h = (h ^ (h >> 29) ^ std::bit_cast<std::uint64_t>(e.value)) * 0x94D049BB133111EBu;
        }
        return h ^ (h >> 32);
    }

    const Sparse& sparse(std::size_t p) const noexcept { return sparse_[p]; }

private:
    std::size_t index(std::size_t p, std::size_t slot) const noexcept {
        return layout_ == Layout::plain ? p * slots_ + slot
                                        : (p / kPanel * slots_ + slot) * kPanel + p % kPanel;
    }
    double& at(std::size_t p, std::size_t slot) noexcept { return values_[index(p, slot)]; }

    Layout layout_;
    std::size_t slots_;
    std::vector<double> values_;
    std::vector<Sparse> sparse_;
    std::vector<double> norms_;
};

/// A batch of rows on their way: as rows, for the left side of a product, and when they are there to be
/// learned also as points, for the right.
class Block {
public:
    Block(const KernelFunction& kernel, std::size_t slots, bool learning = true)
        : points(Points::layout_for(kernel.kind, slots), slots), learning_(learning) {}

    Points points;                     // empty unless learning
    std::vector<double> rows;          // dense, one after another; empty when sparse
    std::vector<Points::Sparse> list;  // what is not zero; empty unless sparse or learning
    std::vector<double> norms;         // squared
    double bias = 0;                   // the intercept's feature, in slot 0: 1 or 0, the same in every row

    std::size_t size() const noexcept { return norms.size(); }
    void clear() noexcept {
        points.clear();
        rows.clear();
        list.clear();
        norms.clear();
    }
    template <class T>
    void add(const Row<T>& row) {
        bias = row.size > 0 && row.at[0] == 0 ? static_cast<double>(row.value[0]) : 0.0;
        if (!learning_ && dense()) {
            double* x = new_row();
            double norm = 0;
            for (std::uint32_t j = 0; j < row.size; ++j) {
                const auto v = static_cast<double>(row.value[j]);
                x[row.at[j]] = v;
                norm += v * v;
            }
            norms.push_back(norm);
            return;
        }
        Points::Sparse entries;
        entries.reserve(row.size);
        for (std::uint32_t j = 0; j < row.size; ++j)
            if (const auto v = static_cast<double>(row.value[j]); v != 0) entries.push_back({row.at[j], v});
        add(std::move(entries));
    }
    void add(Points::Sparse entries) {
        bias = !entries.empty() && entries[0].slot == 0 ? 1.0 : 0.0;
        double norm = 0;
        for (const Points::Entry& e : entries) norm += e.value * e.value;
        norms.push_back(norm);
        if (learning_) points.add(entries, norm);
        if (dense()) {
            double* x = new_row();
            for (const Points::Entry& e : entries) x[e.slot] = e.value;
        }
        if (learning_ || !dense()) list.push_back(std::move(entries));
    }

private:
    bool dense() const noexcept { return points.layout() != Points::Layout::sparse; }
    double* new_row() {
        rows.resize(rows.size() + points.slots(), 0.0);
        return rows.data() + rows.size() - points.slots();
    }

    bool learning_;
};

/// A run of points; begins where a panel does.
struct Range {
    std::size_t first, count;
    static Range all(const Points& points) { return {0, points.size()}; }
    std::size_t panels() const noexcept { return (count + kPanel - 1) / kPanel; }
};

/// Products of every row of a sparse block with every point of a range.
inline void sparse_products(const Block& block, const Points& points, Range range, double* out,
                            std::size_t stride) {
    thread_local std::vector<double>
        x;  // all zero between calls: clearing a long one would cost more than the products
    if (x.size() < points.slots()) x.resize(points.slots(), 0.0);
    for (std::size_t i = 0; i < block.size(); ++i) {
        for (const Points::Entry& e : block.list[i]) x[e.slot] = e.value;
        for (std::size_t p = 0; p < range.count; ++p) {
            double sum = 0;
            for (const Points::Entry& e : points.sparse(range.first + p)) sum += e.value * x[e.slot];
            out[i * stride + p] = sum;
        }
        for (const Points::Entry& e : block.list[i]) x[e.slot] = 0;
    }
}

/// out[i * stride + p] = K(row i of the block, point p of the range); `stride` at least the range's panels in
/// full.
inline void gram(const KernelFunction& kernel, const Block& block, const Points& points, Range range,
                 double* out, std::size_t stride) {
    if (range.count == 0) return;
    if (points.layout() == Points::Layout::plain) {
        std::vector<double> dense(block.size() * range.count);
        kernel.kind.custom->evaluate(block.rows.data(), block.size(),
                                     points.plain() + range.first * points.slots(), range.count,
                                     points.slots(), dense.data());
        for (std::size_t i = 0; i < dense.size(); ++i)
            out[i / range.count * stride + i % range.count] = dense[i] + block.bias;
        return;
    }
    if (points.layout() == Points::Layout::panels)
        gram_loops().products(block.rows.data(), block.size(), points.slots(),
                              points.panels() + range.first * points.slots(), range.panels(), out, stride);
    else
        sparse_products(block, points, range, out, stride);
    for (std::size_t i = 0; i < block.size(); ++i)
        kernel.finish(out + i * stride, range.count, block.norms[i], points.norms() + range.first,
                      block.bias);
}

}  // namespace onlinear::belief
