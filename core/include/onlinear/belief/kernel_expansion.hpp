#pragma once
#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/belief/dual_covariance.hpp"
#include "onlinear/belief/kernel_options.hpp"
#include "onlinear/belief/points.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

/// A belief in the space of a kernel, held by the examples that made it.
///
/// Crammer, Kulesza, Dredze 2013, section 4 and Wang, Zhao, Hoi 2012, lemma 1, corrected:
///   mu = sum_p nu_p x_p, one nu per block; Sigma = a I + sum_ef pi_ef d_e d_f'
/// where an element d_e is a kept point in a direction over the blocks: (0: 1) for two classes, (y: 1, s: -1)
/// for a class and its rival. With pi = -a^2 H^-1, H = U'U (`DualRoot`), k_e = <d_e, delta> and
/// y = U'^-1 a k, t = U^-1 y,
///   m = mu . delta, v = a <delta, delta> - y'y, z = a (delta's own element) - a t,
///   nu gains alpha z, and H a row: a k beside v + 1/gain + y'y.
/// What a step gives the mean without any precision has no element; it stands in a nu of its own, `plain_`.
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
          covariance_(options.initial_variance) {}

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

    /// Also leaves y behind for `apply`.
    double variance(const Row<T>&, Terms terms) {
        const double length = squared(terms) * own_;
        return gaussian_ ? covariance_.variance(k_.data(), length, terms, y_) : length;
    }
    /// The same of any row, for reading.
    double variance(const Row<T>& row, Terms terms) const {
        const Block one = alone(row);
        std::vector<double> k(points_.padded()), y;
        gram(kernel_, one, points_, Range::all(points_), k.data(), k.size());
        const double length = squared(terms) * own(one, 0);
        return gaussian_ ? covariance_.variance(k.data(), length, terms, y) : length;
    }

    /// The margin along the demand of the last `variance`, which its y gives more exactly than the scores.
    double refined(double margin, Terms terms) const noexcept {
        if (!gaussian_) return margin;
        double sum = covariance_.margin(y_);
        if (has_plain_)
            for (std::size_t p = 0; p < points_.size(); ++p)
                for (const Term& term : terms)
                    sum += k_[p] * plain_[p * blocks() + term.block] * term.coefficient;
        return scale_ * sum;
    }

    /// A step is about to come: t = U^-1 y.
    void expect(const Row<T>&, Terms) {
        if (gaussian_) t_ = covariance_.solved_back(y_);
    }

    bool admits(const Step& step, const Evidence& e) noexcept {
        double largest = 1.0;
        if (gaussian_) {
            for (const double t : t_) largest = std::max(largest, std::abs(t));
            largest *= covariance_.prior();
        }
        const double kept = scale_ * step.keep;
        const bool lazy = stays_lazy(kept);
        const double scale = lazy ? kept : 1.0;
        const double move = std::abs(step.mean / scale) * largest;
        const auto reach = [&] { return (lazy ? reach_ : reach_ * std::abs(kept)) + move; };
        const auto fits = [&] { return reach() * std::max(1.0, std::abs(scale)) < kReach<double>; };
        if (!(e.variance < kReach<double>)) return false;
        if (!fits()) {
            remeasure();  // the bound depends on history, the answer must not
            if (!fits()) return false;
        }
        reach_ = reach();
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
        remeasure();  // what is unlearned moves the others, by more than any step
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
        std::vector<double> y;
        for (std::size_t i = 0; i < block.size(); ++i) {
            const double length = own(block, i);
            for (std::uint32_t b = 0; b < blocks(); ++b) {
                const Term term{b, 1.0};
                out[i * blocks() + b] =
                    gaussian_ ? covariance_.variance(rows.data() + i * n, length, Terms(&term, 1), y)
                              : length;
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
        const Term term{static_cast<std::uint32_t>(block), 1.0};
        std::vector<double> k(points_.size()), y;
        for (std::size_t p = 0; p < k.size(); ++p) k[p] = points_.value(p, slot);
        return covariance_.variance(k.data(), 1.0, Terms(&term, 1), y);
    }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept { return mean_at(slot, block); }

    // ------------------------------------------------------------------ change of shape

    void grow(std::size_t slots, std::size_t blocks) {
        slots = std::max(slots, shape_.slots());
        blocks = std::max(blocks, shape_.blocks());
        if (blocks != this->blocks())
            for (auto* each : {&nu_, &plain_}) {
                if (each->empty()) continue;
                std::vector<double> wider(points_.size() * blocks, 0.0);
                for (std::size_t p = 0; p < points_.size(); ++p)
                    std::copy_n(each->data() + p * this->blocks(), this->blocks(), wider.data() + p * blocks);
                *each = std::move(wider);
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
        return points_.bytes() + (nu_.size() + 3 * points_.size()) * sizeof(double) + covariance_.bytes();
    }
    /// Blocks -w/2 and +w/2, independent, each with half the covariance.
    void split() {
        for (auto* each : {&nu_, &plain_}) {
            if (each->empty()) continue;
            std::vector<double> two(points_.size() * 2);
            for (std::size_t p = 0; p < points_.size(); ++p) {
                two[2 * p] = -(*each)[p] / 2;
                two[2 * p + 1] = (*each)[p] / 2;
            }
            *each = std::move(two);
        }
        mean_norm_ /= 2;
        shape_ = Planes<T>::shape_of(shape_.slots(), 2);
        covariance_.split();
        if (gaussian_) read_off();
    }
    template <class In>
    void set_mean(const In*) {
        throw std::invalid_argument("a kernel belief has no weights to set");
    }
    /// Lets the covariance grow a share of the way back to what it is before any learning.
    void inflate(double share) {
        if (share != 0 && !covariance_.inflate(share)) forget_covariance();
    }

    // ------------------------------------------------------------------ state

    void visit(StateVisitor<T>& v) {
        Tables t = tables();
        v.table("shape", t.shape, 2);
        v.table("nu", nu_, blocks());
        if (gaussian_) v.table("plain", plain_, blocks());
        v.table("born", born_, 1);
        v.table("support", t.support, 3);
        v.table("root", t.root, v.loading() ? 0 : std::max<std::size_t>(covariance_.size(), 1));
        v.table("elements", t.elements, DualCovariance::kColumns);
        v.scalar("scale", scale_);
        v.scalar("prior", covariance_.prior());
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
    struct Tables {
        std::vector<double> shape;     // blocks, slots
        std::vector<double> support;   // point, slot, value
        std::vector<double> root;      // square
        std::vector<double> elements;  // DualCovariance::kColumns numbers each
    };
    void remeasure() noexcept {
        reach_ = 0;
        for (const double nu : nu_) reach_ = std::max(reach_, std::abs(nu));
    }

    /// Lays the points out for the number of features there is now.
    void lay_out() {
        Points fitting(Points::layout_for(kernel_.kind, shape_.slots()), shape_.slots());
        for (std::size_t p = 0; p < points_.size(); ++p) fitting.add(points_.get(p), points_.norm(p));
        points_ = std::move(fitting);
        ahead_ = Block(kernel_, shape_.slots());
    }
    std::size_t blocks() const noexcept { return shape_.blocks(); }
    bool custom() const noexcept { return kernel_.kind.name == KernelKind::kCustom; }

    /// K(x, x) of a row of a block.
    double own(const Block& block, std::size_t i) const {
        if (!custom()) return kernel_.own(block.norms[i], block.bias);
        const double* x = block.rows.data() + i * shape_.slots();
        double self = 0;
        kernel_.kind.custom->evaluate(x, 1, x, 1, shape_.slots(), &self);
        return self + block.bias;
    }

    /// All points, a stretch at a time: scores are added up in this order everywhere, so that they agree to
    /// the bit.
    template <class F>
    void each_stretch(F&& f) const {
        for (std::size_t first = 0; first < points_.size(); first += kStretch)
            f(Range{first, std::min(kStretch, points_.size() - first)});
    }
    void add_scores(const double* k, Range range, double* out) const noexcept {
        const double* nu = nu_.data() + range.first * blocks();
        if (blocks() == 1) {
            out[0] += gram_loops().dot(k, nu, range.count);
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

    /// The current row as a kept point; an equal one is not kept twice.
    std::size_t keep_point() {
        const Points::Sparse& row = ahead_.list[turn_];
        const std::uint64_t hash = Points::hash(row);
        const auto found = places_.find(hash);
        if (found != places_.end() && points_.get(found->second) == row) return found->second;
        const std::size_t p = points_.size();
        points_.add(row, ahead_.norms[turn_]);
        nu_.resize(nu_.size() + blocks(), 0.0);
        if (gaussian_) plain_.resize(nu_.size(), 0.0);
        own_kernel_.push_back(own_);
        born_.push_back(kept_++);
        hashes_.push_back(hash);
        places_[hash] = p;
        column_.push_back(ahead_base_ + turn_);
        k_.push_back(own_);
        return p;
    }

    /// nu += alpha z, and the precision gained along delta.
    void along(std::size_t p, Terms terms, const Step& step, const Evidence& e) {
        const double move = step.mean / scale_ * covariance_.prior();
        if (!covariance_.learn(p, terms, step.precision, e.variance, move, y_, t_)) {
            covariance_.move_mean(y_, move);
            for (const Term& term : terms) plain_[p * blocks() + term.block] += move * term.coefficient;
            has_plain_ = true;
        }
        read_off();
    }
    /// The mean by its points.
    void read_off() {
        nu_ = plain_;
        covariance_.add_mean(nu_, blocks());
    }

    void rescale(double keep) noexcept {
        if (keep == 0) {
            scale_all(0.0);
            scale_ = 1;
            return;
        }
        scale_ *= keep;
        if (stays_lazy(scale_)) return;
        scale_all(scale_);
        scale_ = 1;
    }
    /// Whether the coefficients can stand as they are beside this scale; where not, it is written into them.
    static bool stays_lazy(double scale) noexcept {
        return std::abs(scale) >= 1e-60 && std::abs(scale) <= 1e60;
    }
    void scale_all(double factor) noexcept {
        for (auto* each : {&nu_, &plain_})
            for (double& nu : *each) nu *= factor;
        covariance_.scale_mean(factor);
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
        std::vector<bool> alone(points_.size(), true);  // without elements, the mean alone
        covariance_.each_worth(own_kernel_, [&](std::size_t p, double worth) {
            alone[p] = false;
            out[p] += worth;
        });
        for (std::size_t p = 0; p < out.size(); ++p)
            if (alone[p]) out[p] = length2(p) * own_kernel_[p];
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
        const std::size_t last = points_.size() - 1;
        covariance_.remove_point(p, last);
        if (const auto place = places_.find(hashes_[p]); place != places_.end() && place->second == p)
            places_.erase(place);
        if (p != last) {
            if (const auto place = places_.find(hashes_[last]);
                place != places_.end() && place->second == last)
                place->second = p;
            for (auto* each : {&nu_, &plain_})
                if (!each->empty())
                    std::copy_n(each->data() + last * blocks(), blocks(), each->data() + p * blocks());
        }
        nu_.resize(last * blocks());
        if (gaussian_) plain_.resize(last * blocks());
        for (auto* list : {&born_, &own_kernel_, &k_}) {
            (*list)[p] = list->back();
            list->pop_back();
        }
        hashes_[p] = hashes_.back();
        hashes_.pop_back();
        column_[p] = column_.back();
        column_.pop_back();
        points_.remove(p);
        if (gaussian_) read_off();
    }

    /// Back to the prior; the mean stays.
    void forget_covariance() {
        plain_ = nu_;
        has_plain_ = true;
        covariance_.clear();
    }

    // ------------------------------------------------------------------ state as tables

    Tables tables() const {
        Tables t;
        t.shape = {static_cast<double>(blocks()), static_cast<double>(shape_.slots())};
        for (std::size_t p = 0; p < points_.size(); ++p)
            for (const Points::Entry& e : points_.get(p))
                t.support.insert(t.support.end(),
                                 {static_cast<double>(p), static_cast<double>(e.slot), e.value});
        t.elements = covariance_.table();
        t.root = covariance_.root();
        return t;
    }

    /// Rebuilds everything from loaded tables; refuses what cannot be.
    void restore(const Tables& t) {
        const std::size_t n = born_.size();
        const auto need = [](bool good) {
            if (!good) throw std::invalid_argument("state of a kernel belief does not hold together");
        };
        need(t.shape.size() == 2 && t.shape[0] == static_cast<double>(blocks()) &&
             t.shape[1] == static_cast<double>(shape_.slots()) && nu_.size() == n * blocks() &&
             (!gaussian_ || plain_.size() == nu_.size()) && covariance_.prior() > 0 && scale_ != 0 &&
             kernel_.gamma > 0);
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
        for (std::size_t p = 0; p < n; ++p) {
            Block one(kernel_, shape_.slots(), false);
            one.add(rows[p]);
            own_kernel_.push_back(own(one, 0));
            points_.add(rows[p], one.norms[0]);
            hashes_.push_back(Points::hash(rows[p]));
            places_.emplace(hashes_.back(), p);
        }
        need(covariance_.restore(t.elements, t.root, n, blocks()));
        has_plain_ = std::any_of(plain_.begin(), plain_.end(), [](double nu) { return nu != 0; });
        if (gaussian_) read_off();
        remeasure();
        need(reach_ < kReach<double>);
        column_.clear();
        ahead_ = Block(kernel_, shape_.slots());
    }

    Options options_;
    KernelFunction kernel_;
    Planes<T> shape_;
    Points points_;
    Block ahead_;

    std::vector<double> nu_;          // [point][block], before the scale
    std::vector<double> plain_;       // what of it is no element's, with a covariance
    std::vector<double> born_;        // which update kept the point
    std::vector<double> own_kernel_;  // K(x_p, x_p)
    std::vector<std::uint64_t> hashes_;
    std::unordered_map<std::uint64_t, std::size_t> places_;
    DualCovariance covariance_;

    double scale_ = 1.0, mean_norm_ = 0.0, threshold_ = 0.0, reach_ = 0.0;
    double kept_ = 0.0, updates_ = 0.0, damage_ = 0.0;
    bool gaussian_ = false, track_norm_ = false, has_plain_ = false;

    std::vector<double> gram_;         // rows of the block against points and the block itself
    std::vector<std::size_t> column_;  // where a kept point stands in a row of gram_
    std::size_t stride_ = 0, ahead_base_ = 0, turn_ = 0;
    std::vector<double> k_, y_, t_;
    double own_ = 0.0;
};

}  // namespace onlinear::belief
