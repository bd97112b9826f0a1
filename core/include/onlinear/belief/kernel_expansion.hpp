#pragma once
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/belief/points.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

inline constexpr std::array<const char*, 2> kRemovals{"smallest", "forgetron"};

struct KernelOptions {
    enum Removal : int { kSmallest, kForgetron };
    KernelKind kernel;
    double gamma = 1.0;
    double degree = 3.0;
    double coef0 = 1.0;
    double initial_variance = 1.0;
    std::size_t budget = 0;  // 0: none
    int removal = kSmallest;

    static constexpr const char* name = "Kernel";
    static constexpr auto parameters() {
        using Self = KernelOptions;
        return std::tuple{rule::Parameter<Self, KernelKind>{"kernel", &Self::kernel, {}, kKernelNames},
                          rule::positive("gamma", &Self::gamma),
                          rule::positive("degree", &Self::degree),
                          rule::nonnegative("coef0", &Self::coef0),
                          rule::positive("initial_variance", &Self::initial_variance),
                          rule::count_or_none("budget", &Self::budget),
                          rule::choice("removal", &Self::removal, kRemovals)};
    }
    KernelFunction function() const { return {kernel, gamma, degree, coef0}; }
};

/// A belief in the space of a kernel, held by the examples that made it.
///
/// Crammer, Kulesza, Dredze 2013, section 4 and Wang, Zhao, Hoi 2012, lemma 1, corrected:
///   mu = sum_p nu_p x_p, one nu per block; Sigma = a I + sum_ef pi_ef d_e d_f'
/// where an element d_e is a kept point in a direction over the blocks: (0: 1) for two classes, (y: 1, s: -1)
/// for a class and its rival. With k_e = <d_e, delta> and c = pi k,
///   m = mu . delta, v = a <delta, delta> + k' c, z = c + a (delta's own element),
///   nu gains alpha z, pi loses beta z z', beta = gain / (1 + gain v).
/// First-order rules keep nu alone. Points equal to a kept one are not kept twice.
///
/// Kernels are evaluated for a block of rows at once, against the kept points and against each other, so that
/// a point kept meanwhile costs nothing more. Every number of a block depends on its two points alone: the
/// size of the blocks, and so the way rows are handed over, does not show in the bits.
///
/// With a budget, a point more than it allows is removed at once:
///   smallest   the one that is missed least, by |nu_p|^2 K(x_p, x_p), or nu_e^2 / -pi_ee with a covariance;
///   the newest
///              excepted
///   forgetron  the oldest, after all were shrunk so far that the damage stays within the mistakes made
///              (Dekel, Shalev-Shwartz, Singer. SIAM Journal on Computing 37, 2008, the self-tuned version;
///              its bound is for the Perceptron and K(x, x) <= 1)
/// With a covariance its elements are unlearned: pi by a Schur complement, so that Sigma grows by what is
/// forgotten and stays positive, and the mean along the same direction. For AROW with the squared loss that
/// is exactly the belief without the example.
template <class T>
class KernelExpansion {
public:
    using Scalar = T;
    using Options = KernelOptions;
    static constexpr bool kFused = false;
    static constexpr bool kNeedsNorm = false;
    static constexpr bool kWithoutVariance = true;  // a point of no length is kept, though it weighs nothing
    static constexpr std::size_t kAhead = 128;      // rows of a block
    static constexpr std::size_t kStretch =
        512;  // points scored at once: their kernels with a block fit the cache

    KernelExpansion(const Options& options, std::size_t slots, std::size_t blocks)
        : options_(options),
          kernel_(options.function()),
          shape_(Planes<T>::shape_of(slots, blocks)),
          points_(Points::layout_for(kernel_.kind, slots), slots),
          ahead_(kernel_, slots),
          a_(options.initial_variance) {}

    Planes<T>& planes() noexcept { return shape_; }
    const Planes<T>& planes() const noexcept { return shape_; }
    double threshold() const noexcept { return threshold_; }
    double mean_norm() const noexcept { return mean_norm_; }
    void start(double threshold, bool track_norm) noexcept {
        threshold_ = threshold;
        track_norm_ = track_norm;
    }
    /// Whether the rule moves the covariance.
    void learn_covariance(bool yes) noexcept { gaussian_ = yes; }
    bool has_variance() const noexcept { return gaussian_; }
    bool broken() const noexcept { return broken_; }
    /// A custom kernel must not be called from several threads.
    bool serial() const noexcept { return custom(); }

    // ------------------------------------------------------------------ a block of rows ahead

    Block block() const { return Block(kernel_, shape_.slots(), false); }
    Block& ahead() noexcept { return ahead_; }
    /// The rows in `ahead` are about to be learned: evaluate all that can be asked.
    void foresee() {
        const std::size_t n = points_.padded(), m = ahead_.points.padded();
        stride_ = n + m;
        gram_.resize(ahead_.size() * stride_);
        gram(kernel_, ahead_, points_, Range::all(points_), gram_.data(), stride_);
        gram(kernel_, ahead_, ahead_.points, Range::all(ahead_.points), gram_.data() + n, stride_);
        column_.resize(points_.size());
        for (std::size_t p = 0; p < column_.size(); ++p) column_[p] = p;
        ahead_base_ = n;
    }
    /// Row `j` of the block is next.
    void turn(std::size_t j) {
        turn_ = j;
        const double* row = gram_.data() + j * stride_;
        k_.resize(points_.size());
        for (std::size_t p = 0; p < k_.size(); ++p) k_[p] = row[column_[p]];
        own_ = custom() ? row[ahead_base_ + j] : kernel_.own(ahead_.norms[j], ahead_.bias);
    }

    // ------------------------------------------------------------------ the round

    void scores(const Row<T>&, double* out) const {
        std::fill_n(out, blocks(), 0.0);
        each_stretch([&](Range range) { add_scores(k_.data() + range.first, range, out); });
        for (std::size_t b = 0; b < blocks(); ++b) out[b] *= scale_;
    }

    /// Also leaves c = pi k behind for `apply`.
    double variance(const Row<T>&, Terms terms) {
        const double length = squared(terms) * own_;
        if (!gaussian_) return length;
        const std::size_t n = padded_elements();
        ke_.assign(n, 0.0);
        c_.assign(n, 0.0);
        const double v = variance_along(k_.data(), length, terms, ke_.data(), c_.data());
        // Kernels many orders above what a rule adds to the precision leave nothing of the difference but
        // rounding.
        // A little below zero is a variance of zero.
        broken_ = v < -1e-3 * a_ * length;
        return std::max(v, 0.0);
    }
    /// The same of any row, for reading.
    double variance(const Row<T>& row, Terms terms) const {
        const Block one = alone(row);
        std::vector<double> k(points_.padded()), ke(padded_elements()), c(padded_elements());
        gram(kernel_, one, points_, Range::all(points_), k.data(), k.size());
        const double length = squared(terms) * own(one, 0);
        return gaussian_ ? std::max(variance_along(k.data(), length, terms, ke.data(), c.data()), 0.0)
                         : length;
    }

    bool admits(const Step& step, const Evidence& e) noexcept {
        double largest = gaussian_ ? a_ : 1.0;
        if (gaussian_)
            for (const double c : c_) largest = std::max(largest, std::abs(c));
        const double scale = step.keep == 0 ? 1.0 : scale_ * step.keep;
        const double move = std::abs(step.mean / scale) * largest;
        const double beta = step.precision / (1 + step.precision * e.variance);
        if (!(reach_ + move < kReach<double>) || !(beta * largest * largest < kReach<double>)) return false;
        reach_ += move;
        return true;
    }

    void apply(const Row<T>&, Terms terms, const Step& step, const Evidence& e) {
        if (step.keep != 1) rescale(step.keep);
        if (track_norm_)
            mean_norm_ = std::max(step.keep * step.keep * mean_norm_ + 2 * step.keep * step.mean * e.margin +
                                      step.mean * step.mean * e.variance,
                                  0.0);
        threshold_ += step.threshold;
        if (!step.updates()) return;
        updates_ += 1;
        std::size_t p = keep_point();
        if (gaussian_) {
            along(p, terms, step, e);
        } else {
            for (const Term& term : terms)
                nu_[p * blocks() + term.block] += step.mean / scale_ * term.coefficient;
        }
        if (options_.budget == 0 || points_.size() <= options_.budget) return;
        while (points_.size() > options_.budget) make_way(p);
        reach_ = 0;  // what is unlearned moves the others, by more than any step
        for (const double nu : nu_) reach_ = std::max(reach_, std::abs(nu));
    }

    void tick() noexcept {}

    // ------------------------------------------------------------------ reading

    /// Scores, or variances, of the rows of a block: blocks() a row.
    void read(const Block& block, bool variances, double* out) const {
        if (variances)
            read_variances(block, out);
        else
            read_scores(block, out);
    }
    void read_scores(const Block& block, double* out) const {
        const std::size_t stride = std::min(points_.padded(), kStretch);
        const auto k = std::make_unique_for_overwrite<double[]>(block.size() * stride);
        std::fill_n(out, block.size() * blocks(), 0.0);
        each_stretch([&](Range range) {
            gram(kernel_, block, points_, range, k.get(), stride);
            for (std::size_t i = 0; i < block.size(); ++i)
                add_scores(k.get() + i * stride, range, out + i * blocks());
        });
        for (std::size_t i = 0; i < block.size() * blocks(); ++i) out[i] *= scale_;
    }
    void read_variances(const Block& block, double* out) const {
        const std::size_t n = points_.padded();
        std::vector<double> rows(block.size() * n);
        gram(kernel_, block, points_, Range::all(points_), rows.data(), n);
        std::vector<double> ke(padded_elements()), c(padded_elements());
        for (std::size_t i = 0; i < block.size(); ++i) {
            const double length = own(block, i);
            for (std::uint32_t b = 0; b < blocks(); ++b) {
                const Term term{b, 1.0};
                const double v = gaussian_ ? variance_along(rows.data() + i * n, length, Terms(&term, 1),
                                                            ke.data(), c.data())
                                           : length;
                out[i * blocks() + b] = std::max(v, 0.0);
            }
        }
    }
    void predict(const Row<T>& row, double* out, double*) const { read_one(row, false, out); }
    void variances(const Row<T>& row, double* out) const { read_one(row, true, out); }

    /// The weight itself where there is one: with the linear kernel.
    double mean_at(std::uint32_t slot, std::size_t block) const noexcept {
        if (kernel_.kind.name != KernelKind::kLinear) return std::numeric_limits<double>::quiet_NaN();
        double sum = 0;
        for (std::size_t p = 0; p < points_.size(); ++p)
            sum += nu_[p * blocks() + block] * points_.value(p, slot);
        return scale_ * sum;
    }
    double variance_at(std::uint32_t slot, std::size_t block) const {
        if (kernel_.kind.name != KernelKind::kLinear) return std::numeric_limits<double>::quiet_NaN();
        if (!gaussian_) return 1.0;
        const std::size_t n = padded_elements();
        const Term term{static_cast<std::uint32_t>(block), 1.0};
        std::vector<double> x(n), c(n);
        for (std::size_t e = 0; e < elements_.size(); ++e)
            x[e] = points_.value(elements_[e].point, slot) * overlap(elements_[e], Terms(&term, 1));
        gram_kernels().times(pi_.data(), pi_stride_, n, x.data(), c.data());
        return std::max(a_ + gram_kernels().dot(x.data(), c.data(), n), 0.0);
    }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept { return mean_at(slot, block); }

    // ------------------------------------------------------------------ change of shape

    void grow(std::size_t slots, std::size_t blocks) {
        slots = std::max(slots, shape_.slots());
        blocks = std::max(blocks, shape_.blocks());
        if (blocks != this->blocks()) {
            std::vector<double> wider(points_.size() * blocks, 0.0);
            for (std::size_t p = 0; p < points_.size(); ++p)
                std::copy_n(nu_.data() + p * this->blocks(), this->blocks(), wider.data() + p * blocks);
            nu_ = std::move(wider);
        }
        shape_ = Planes<T>::shape_of(slots, blocks);
        if (slots != points_.slots()) lay_out();
    }
    /// Takes back a growth; no kept point has anything there.
    void shrink(std::size_t slots) {
        if (slots >= shape_.slots()) return;
        shape_ = Planes<T>::shape_of(slots, blocks());
        lay_out();
    }
    std::size_t bytes() const noexcept {
        return points_.bytes() + (nu_.size() + 3 * points_.size() + pi_.size()) * sizeof(double);
    }
    /// Blocks -w/2 and +w/2, independent, each with half the covariance.
    void split() {
        std::vector<double> two(points_.size() * 2);
        for (std::size_t p = 0; p < points_.size(); ++p) {
            two[2 * p] = -nu_[p] / 2;
            two[2 * p + 1] = nu_[p] / 2;
        }
        nu_ = std::move(two);
        mean_norm_ /= 2;
        shape_ = Planes<T>::shape_of(shape_.slots(), 2);
        const std::vector<Element> elements = std::move(elements_);
        const std::vector<double> pi = std::move(pi_);
        const std::size_t stride = pi_stride_, n = elements.size();
        elements_.clear();
        pi_.clear();
        pi_stride_ = 0;
        for (std::uint32_t b = 0; b < 2; ++b)
            for (const Element& e : elements) {
                add_element(e.point, {{b, 1.0}});
                elements_.back().weight = (b == 0 ? -0.5 : 0.5) * e.weight;
            }
        for (std::size_t b = 0; b < 2; ++b)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j)
                    pi_[(b * n + i) * pi_stride_ + b * n + j] = pi[i * stride + j] / 2;
        a_ /= 2;
    }
    template <class In>
    void set_mean(const In*) {
        throw std::invalid_argument("a kernel belief has no weights to set");
    }
    void spread_out(double factor) noexcept {
        a_ *= factor;
        for (double& x : pi_) x *= factor;
    }

    /// Lets the covariance grow a share of the way back to what it is before any learning.
    void inflate(double share) noexcept {
        for (double& x : pi_) x *= 1 - share;
    }

    // ------------------------------------------------------------------ state

    void visit(StateVisitor<T>& v) {
        Tables t = tables();
        v.table("shape", t.shape, 2);
        v.table("nu", nu_, blocks());
        v.table("born", born_, 1);
        v.table("support", t.support, 3);
        v.table("pi", t.pi, std::max<std::size_t>(elements_.size(), 1));
        v.table("elements", t.elements, 5);
        v.scalar("scale", scale_);
        v.scalar("prior", a_);
        v.scalar("gamma", kernel_.gamma);
        v.scalar("mean_norm", mean_norm_);
        v.scalar("threshold", threshold_);
        v.scalar("kept", kept_);
        v.scalar("updates", updates_);
        v.scalar("damage", damage_);
        if (v.loading()) restore(t);
    }
    void loaded() noexcept {}

private:
    struct Element {
        std::size_t point;
        std::vector<Term> direction;  // the first coefficient positive
        double weight = 0.0;          // its share of the mean, before the scale
    };
    struct Tables {
        std::vector<double> shape;     // blocks, slots
        std::vector<double> support;   // point, slot, value
        std::vector<double> pi;        // square
        std::vector<double> elements;  // element, point, block, coefficient, weight
    };

    /// Lays the points out for the number of features there is now.
    void lay_out() {
        Points fitting(Points::layout_for(kernel_.kind, shape_.slots()), shape_.slots());
        for (std::size_t p = 0; p < points_.size(); ++p) fitting.add(points_.get(p), points_.norm(p));
        points_ = std::move(fitting);
        ahead_ = Block(kernel_, shape_.slots());
    }
    std::size_t blocks() const noexcept { return shape_.blocks(); }
    bool custom() const noexcept { return kernel_.kind.name == KernelKind::kCustom; }
    std::size_t padded_elements() const noexcept { return (elements_.size() + kPanel - 1) / kPanel * kPanel; }

    /// K(x, x) of a row of a block.
    double own(const Block& block, std::size_t i) const {
        if (!custom()) return kernel_.own(block.norms[i], block.bias);
        const double* x = block.rows.data() + i * shape_.slots();
        double self = 0;
        kernel_.kind.custom->evaluate(x, 1, x, 1, shape_.slots(), &self);
        return self + block.bias;
    }

    /// All points, a stretch at a time: scores are added up in this order wherever they are asked for.
    template <class F>
    void each_stretch(F&& f) const {
        for (std::size_t first = 0; first < points_.size(); first += kStretch)
            f(Range{first, std::min(kStretch, points_.size() - first)});
    }
    void add_scores(const double* k, Range range, double* out) const noexcept {
        const double* nu = nu_.data() + range.first * blocks();
        if (blocks() == 1) {
            out[0] += gram_kernels().dot(k, nu, range.count);
            return;
        }
        for (std::size_t p = 0; p < range.count; ++p)
            for (std::size_t b = 0; b < blocks(); ++b) out[b] += k[p] * nu[p * blocks() + b];
    }
    void read_one(const Row<T>& row, bool variances, double* out) const { read(alone(row), variances, out); }
    Block alone(const Row<T>& row) const {
        Block one(kernel_, shape_.slots(), false);
        one.add(row);
        return one;
    }

    /// a <delta, delta> + k' pi k; leaves pi k in `c`.
    double variance_along(const double* k, double length, Terms terms, double* ke, double* c) const {
        for (std::size_t e = 0; e < elements_.size(); ++e)
            ke[e] = k[elements_[e].point] * overlap(elements_[e], terms);
        gram_kernels().times(pi_.data(), pi_stride_, padded_elements(), ke, c);
        double v = a_ * length;
        for (std::size_t e = 0; e < elements_.size(); ++e) v += ke[e] * c[e];
        return v;
    }

    static double overlap(const Element& element, Terms terms) noexcept {
        double sum = 0;
        for (const Term& a : element.direction)
            for (const Term& b : terms)
                if (a.block == b.block) sum += a.coefficient * b.coefficient;
        return sum;
    }

    /// The current row as a kept point; an equal one is not kept twice.
    std::size_t keep_point() {
        const Points::Sparse& row = ahead_.list[turn_];
        const std::uint64_t hash = Points::hash(row);
        const auto found = places_.find(hash);
        if (found != places_.end() && points_.get(found->second) == row) return found->second;
        const std::size_t p = points_.size();
        points_.add(row, ahead_.norms[turn_]);
        nu_.resize(nu_.size() + blocks(), 0.0);
        own_kernel_.push_back(own_);
        born_.push_back(kept_++);
        hashes_.push_back(hash);
        places_[hash] = p;
        column_.push_back(ahead_base_ + turn_);
        k_.push_back(own_);
        return p;
    }

    std::size_t add_element(std::size_t point, std::vector<Term> direction) {
        const std::size_t e = elements_.size();
        elements_.push_back({point, std::move(direction), 0.0});
        if (elements_.size() > pi_stride_) {
            const std::size_t stride = std::max(2 * pi_stride_, 4 * kPanel);
            std::vector<double> larger(stride * stride, 0.0);
            for (std::size_t i = 0; i < e; ++i)
                std::copy_n(pi_.data() + i * pi_stride_, e, larger.data() + i * stride);
            pi_ = std::move(larger);
            pi_stride_ = stride;
        }
        return e;
    }

    /// nu += alpha z, pi -= beta z z' with z = c + a delta.
    void along(std::size_t p, Terms terms, const Step& step, const Evidence& e) {
        std::vector<Term> direction(terms.begin(), terms.end());
        std::sort(direction.begin(), direction.end(),
                  [](const Term& a, const Term& b) { return a.block < b.block; });
        const double sign = direction[0].coefficient < 0 ? -1.0 : 1.0;
        for (Term& term : direction) term.coefficient *= sign;
        std::size_t own = elements_.size();
        for (std::size_t i = 0; i < elements_.size(); ++i)
            if (elements_[i].point == p && same(elements_[i].direction, direction)) own = i;
        if (own == elements_.size()) own = add_element(p, direction);
        c_.resize(padded_elements(), 0.0);
        c_[own] += a_ * sign;
        if (step.mean != 0)
            for (std::size_t i = 0; i < elements_.size(); ++i)
                shift(elements_[i], step.mean / scale_ * c_[i]);
        if (step.precision > 0) {
            const double root = std::sqrt(step.precision / (1 + step.precision * e.variance));
            for (double& c : c_) c *= root;
            gram_kernels().add_outer(pi_.data(), pi_stride_, padded_elements(), -1.0, c_.data());
        }
        if (step.spread != 1) spread_out(step.spread);
    }
    void shift(Element& element, double by) noexcept {
        element.weight += by;
        for (const Term& term : element.direction)
            nu_[element.point * blocks() + term.block] += by * term.coefficient;
    }
    static bool same(const std::vector<Term>& a, const std::vector<Term>& b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i].block != b[i].block || a[i].coefficient != b[i].coefficient) return false;
        return true;
    }

    void rescale(double keep) noexcept {
        if (keep == 0) {
            std::fill(nu_.begin(), nu_.end(), 0.0);
            for (Element& e : elements_) e.weight = 0;
            scale_ = 1;
            reach_ = 0;
            return;
        }
        scale_ *= keep;
        if (std::abs(scale_) >= 1e-60) return;
        for (double& nu : nu_) nu *= scale_;
        for (Element& e : elements_) e.weight *= scale_;
        reach_ *= std::abs(scale_);
        scale_ = 1;
    }

    // ------------------------------------------------------------------ the budget

    /// One point goes; `newest` has just come.
    void make_way(std::size_t& newest) {
        std::size_t gone = 0;
        double least = std::numeric_limits<double>::infinity();
        const std::vector<double> worth = options_.removal == Options::kForgetron ? born_ : worths();
        for (std::size_t p = 0; p < points_.size(); ++p) {
            if (p == newest && points_.size() > 1) continue;
            if (worth[p] < least) {
                least = worth[p];
                gone = p;
            }
        }
        if (options_.removal == Options::kForgetron) rescale(shrinkage(gone));
        if (track_norm_) {
            const double along_mean = pull(gone);
            mean_norm_ = std::max(mean_norm_ - 2 * along_mean + length2(gone) * own_kernel_[gone], 0.0);
        }
        if (newest == points_.size() - 1) newest = gone;
        remove(gone);
    }
    /// How much each kept point would be missed.
    std::vector<double> worths() const {
        std::vector<double> out(points_.size(), 0.0);
        if (!gaussian_)
            for (std::size_t p = 0; p < out.size(); ++p) out[p] = length2(p) * own_kernel_[p];
        for (std::size_t e = 0; e < elements_.size(); ++e) {
            const double known = -pi_[e * pi_stride_ + e], w = elements_[e].weight;
            out[elements_[e].point] += known > 0 ? w * w / known : w * w * own_kernel_[elements_[e].point];
        }
        return out;
    }
    /// |nu_p|^2 over the blocks.
    double length2(std::size_t p) const noexcept {
        double sum = 0;
        for (std::size_t b = 0; b < blocks(); ++b) sum += nu_[p * blocks() + b] * nu_[p * blocks() + b];
        return scale_ * scale_ * sum;
    }
    /// <nu_p x_p, mu>: how far the mean goes the way of a kept point.
    double pull(std::size_t p) const {
        Block one(kernel_, shape_.slots(), false);
        one.add(points_.get(p));
        std::vector<double> f(blocks());
        read(one, false, f.data());
        double sum = 0;
        for (std::size_t b = 0; b < blocks(); ++b) sum += scale_ * nu_[p * blocks() + b] * f[b];
        return sum;
    }
    /// The largest factor on the mean with which removing point p does no more damage than mistakes allow:
    /// damage + phi^2 (s^2 K - 2 s f) + 2 phi s <= 15/32 mistakes, s the point's coefficient and f its
    /// margin.
    double shrinkage(std::size_t p) {
        const double s2 = length2(p), s = std::sqrt(s2);
        const double A = s2 * own_kernel_[p] - 2 * pull(p);
        const double c = std::min(damage_ - 15.0 / 32.0 * updates_, 0.0);
        double phi = 1;
        if (A + 2 * s + c > 0) phi = -c / (s + std::sqrt(std::max(s2 - A * c, 0.0)));
        damage_ += phi * phi * A + 2 * phi * s;
        return phi;
    }

    void remove(std::size_t p) {
        for (std::size_t e = elements_.size(); e-- > 0;)
            if (elements_[e].point == p) remove_element(e);
        const std::size_t last = points_.size() - 1;
        if (const auto place = places_.find(hashes_[p]); place != places_.end() && place->second == p)
            places_.erase(place);
        if (p != last) {
            if (const auto place = places_.find(hashes_[last]);
                place != places_.end() && place->second == last)
                place->second = p;
            for (Element& e : elements_)
                if (e.point == last) e.point = p;
            std::copy_n(nu_.data() + last * blocks(), blocks(), nu_.data() + p * blocks());
        }
        nu_.resize(last * blocks());
        for (auto* list : {&born_, &own_kernel_, &k_}) {
            (*list)[p] = list->back();
            list->pop_back();
        }
        hashes_[p] = hashes_.back();
        hashes_.pop_back();
        column_[p] = column_.back();
        column_.pop_back();
        points_.remove(p);
    }

    /// pi <- pi - pi_e pi_e' / pi_ee and nu <- nu - nu_e pi_e / pi_ee, without e.
    void remove_element(std::size_t e) {
        const std::size_t n = elements_.size(), last = n - 1;
        const auto row = [this](std::size_t i) { return pi_.data() + i * pi_stride_; };
        const double pivot = row(e)[e];
        const double weight = elements_[e].weight;
        double largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(row(e)[i]));
        // Where the quotient has nothing left to say, the element is forgotten whole: Sigma grows by more,
        // and stays positive all the same.
        const double share = std::max(std::abs(weight), largest) / std::abs(pivot);
        if (pivot < 0 && largest * share < kReach<double>) {
            std::vector<double> column(row(e), row(e) + padded_elements());
            for (std::size_t i = 0; i < n; ++i) shift(elements_[i], -(weight / pivot) * column[i]);
            const double root = 1 / std::sqrt(-pivot);
            for (double& c : column) c *= root;
            gram_kernels().add_outer(pi_.data(), pi_stride_, padded_elements(), 1.0, column.data());
        }
        shift(elements_[e], -elements_[e].weight);
        if (e != last) {
            for (std::size_t i = 0; i < n; ++i) row(i)[e] = row(i)[last];
            std::copy_n(row(last), n, row(e));
            row(e)[e] = row(last)[last];
        }
        for (std::size_t i = 0; i < n; ++i) row(i)[last] = row(last)[i] = 0;
        if (e != last) elements_[e] = std::move(elements_[last]);
        elements_.pop_back();
    }

    // ------------------------------------------------------------------ state as tables

    Tables tables() const {
        Tables t;
        t.shape = {static_cast<double>(blocks()), static_cast<double>(shape_.slots())};
        for (std::size_t p = 0; p < points_.size(); ++p)
            for (const Points::Entry& e : points_.get(p))
                t.support.insert(t.support.end(),
                                 {static_cast<double>(p), static_cast<double>(e.slot), e.value});
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            for (std::size_t j = 0; j < elements_.size(); ++j) t.pi.push_back(pi_[i * pi_stride_ + j]);
            for (const Term& term : elements_[i].direction)
                t.elements.insert(t.elements.end(),
                                  {static_cast<double>(i), static_cast<double>(elements_[i].point),
                                   static_cast<double>(term.block), term.coefficient, elements_[i].weight});
        }
        return t;
    }

    /// Rebuilds everything from loaded tables; refuses what cannot be.
    void restore(const Tables& t) {
        const std::size_t n = born_.size();
        const auto need = [](bool good) {
            if (!good) throw std::invalid_argument("state of a kernel belief does not hold together");
        };
        need(t.shape.size() == 2 && t.shape[0] == static_cast<double>(blocks()) &&
             t.shape[1] == static_cast<double>(shape_.slots()) && nu_.size() == n * blocks() && a_ > 0 &&
             scale_ != 0 && kernel_.gamma > 0);
        std::vector<Points::Sparse> rows(n);
        for (std::size_t i = 0; i < t.support.size(); i += 3) {
            const double p = t.support[i], slot = t.support[i + 1];
            need(p >= 0 && p < static_cast<double>(n) && slot >= 0 &&
                 slot < static_cast<double>(shape_.slots()));
            Points::Sparse& row = rows[static_cast<std::size_t>(p)];
            need(row.empty() || row.back().slot < static_cast<std::uint32_t>(slot));
            row.push_back({static_cast<std::uint32_t>(slot), t.support[i + 2]});
        }
        points_ = Points(Points::layout_for(kernel_.kind, shape_.slots()), shape_.slots());
        places_.clear();
        hashes_.clear();
        own_kernel_.clear();
        reach_ = 0;
        for (const double nu : nu_) reach_ = std::max(reach_, std::abs(nu));
        for (std::size_t p = 0; p < n; ++p) {
            Block one(kernel_, shape_.slots(), false);
            one.add(rows[p]);
            own_kernel_.push_back(own(one, 0));
            points_.add(rows[p], one.norms[0]);
            hashes_.push_back(Points::hash(rows[p]));
            places_.emplace(hashes_.back(), p);
        }
        elements_.clear();
        pi_.clear();
        pi_stride_ = 0;
        for (std::size_t i = 0; i < t.elements.size(); i += 5) {
            const double e = t.elements[i], p = t.elements[i + 1], block = t.elements[i + 2];
            const auto known = static_cast<double>(elements_.size());
            need((e == known || e == known - 1) && p >= 0 && p < static_cast<double>(n) && block >= 0 &&
                 block < static_cast<double>(blocks()));
            if (e == known) add_element(static_cast<std::size_t>(p), {});
            need(elements_.back().point == static_cast<std::size_t>(p));
            elements_.back().direction.push_back({static_cast<std::uint32_t>(block), t.elements[i + 3]});
            elements_.back().weight = t.elements[i + 4];
        }
        const std::size_t m = elements_.size();
        need(t.pi.size() == m * m);
        for (std::size_t i = 0; i < m; ++i) std::copy_n(t.pi.data() + i * m, m, pi_.data() + i * pi_stride_);
        column_.clear();
        ahead_ = Block(kernel_, shape_.slots());
    }

    Options options_;
    KernelFunction kernel_;
    Planes<T> shape_;
    Points points_;
    Block ahead_;

    std::vector<double> nu_;          // [point][block], before the scale
    std::vector<double> born_;        // which update kept the point
    std::vector<double> own_kernel_;  // K(x_p, x_p)
    std::vector<std::uint64_t> hashes_;
    std::unordered_map<std::uint64_t, std::size_t> places_;
    std::vector<Element> elements_;
    std::vector<double> pi_;
    std::size_t pi_stride_ = 0;

    double a_, scale_ = 1.0, mean_norm_ = 0.0, threshold_ = 0.0, reach_ = 0.0;
    double kept_ = 0.0, updates_ = 0.0, damage_ = 0.0;
    bool gaussian_ = false, track_norm_ = false;
    bool broken_ = false;  // whether the last variance was lost to rounding

    std::vector<double> gram_;         // rows of the block against points and the block itself
    std::vector<std::size_t> column_;  // where a kept point stands in a row of gram_
    std::size_t stride_ = 0, ahead_base_ = 0, turn_ = 0;
    std::vector<double> k_, ke_, c_;
    double own_ = 0.0;
};

}  // namespace onlinear::belief
