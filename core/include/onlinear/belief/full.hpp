#pragma once
#include "onlinear/belief/belief.hpp"
#include "onlinear/constraint/truncate.hpp"
#include "onlinear/rule/rule.hpp"
#include "onlinear/simd/simd.hpp"

namespace onlinear::belief {

template <class T>
class Full;

struct FullOptions {
    double initial_variance = 1.0;
    double min_variance = 0.0;
    bool inclusive = false;
    bool average = false;
    bool late = false;

    template <class T>
    using Belief = Full<T>;
    static constexpr const char* name = "Full";
    static constexpr const char* doc = "A Gaussian with a full covariance.";
    static constexpr rule::Metric metric = rule::Metric::gaussian;
    static constexpr Parts takes{.spread = true,
                                 .targets = true,
                                 .pairs = true,
                                 .several = true,
                                 .joint = true,
                                 .differences = true,
                                 .sentences = true};
    /// Inclusive scores are not linear, so no best sequence can be found.
    constexpr Parts takes_now() const noexcept {
        Parts parts = takes;
        parts.sentences = !inclusive;
        return parts;
    }
    static constexpr auto parameters() {
        return std::tuple{
            rule::positive("initial_variance", &FullOptions::initial_variance,
                           "variance of a weight of which nothing is learned yet"),
            rule::nonnegative("min_variance", &FullOptions::min_variance, "least variance of a weight"),
            rule::flag("inclusive", &FullOptions::inclusive, "whether a score counts the instance it is for"),
            rule::flag("average", &FullOptions::average, "whether predictions use the average of all means"),
            rule::flag("late", &FullOptions::late, "whether late rounds count more in the average")};
    }
};

/// A Gaussian with a full covariance over all weights of all blocks, held by its root: Sigma = R' R with R
/// lower triangular.
///
/// A step asks for f = R delta, v = f.f, z = R' f; mu += alpha z; and Sigma^-1 += gain delta delta', which is
/// Carlson's update of the root (AIAA Journal 11, 1973): row by row, with a_0 = 1 and a_j = a_{j-1} + gain
/// f_j^2,
///   R_j <- sqrt(a_{j-1} / a_j) R_j - gain f_j / sqrt(a_{j-1} a_j) z_{j-1},   z_j = z_{j-1} + f_j R_j.
/// Every product with a root is a square, so Sigma is positive whatever is rounded; Sigma -= beta z z'
/// subtracts, and features a few orders of magnitude apart cost it its definiteness. No number of R_j exceeds
/// the root of the variance of its weight, so nothing overflows. Rows of R start as independent weights and
/// stay so until a demand joins them, so bits do not depend on the weights still to come.
///
/// `min_variance` is a floor under what a step leaves of the variance of its own demand, per unit of
/// |delta|^2: the step takes delta' Sigma delta to min_variance |delta|^2 and no lower, by a smaller gain;
/// where steps along other demands have taken it lower, there is no gain. A rule sees the covariance through
/// the variances of demands alone, so this is what bounds its steps; with one feature it is the floor of a
/// diagonal. (A floor under the eigenvalues would cost a decomposition a step. They follow, within about a
/// power of ten.)
///
/// Two floors are always on. One is at what the root can resolve: f = R delta is a sum of numbers R_ji
/// delta_i whose squares sum to sum_i Sigma_ii delta_i^2, the variance the demand would have if its weights
/// were independent, so less than the square of some roundings of that is noise, and steps along noise are as
/// large as it is small. The other is far below what a weight starts from, where steps would leave the
/// numbers of their type. Confidence-Weighted rules get to both on noisy labels.
///
/// Weight (block b, slot s) is row b * slots + s. `inclusive` predictions divide by 1 + v: the second-order
/// perceptron's score, which counts the current instance.
template <class T>
class Full {
public:
    using Scalar = T;
    static constexpr bool kFused = false;  // `variance` leaves R delta behind, so it wants the sign
    static constexpr bool kLocal = false;  // a step moves every weight

    using Options = FullOptions;

    constraint::Truncation truncation;

    Full(const Options& options, std::size_t slots, std::size_t blocks, bool apart = false)
        : options_(options),
          w_(options.average ? 2 : 1, slots, blocks, apart),
          average_(options.average, options.late),
          fresh_(static_cast<T>(std::max(options.initial_variance, options.min_variance))),
          ceiling_(static_cast<double>(fresh_)) {
        resize_root(slots, blocks, 0, 0);
    }

    Planes<T>& planes() noexcept { return w_; }
    const Planes<T>& planes() const noexcept { return w_; }
    double threshold() const noexcept { return 0.0; }
    double mean_norm() const noexcept { return 0.0; }
    double mean_scale() const noexcept { return 1.0; }
    Blend blend() const noexcept { return average_.blend(1.0, 1); }
    bool predicts_otherwise() const noexcept { return average_.on || options_.inclusive; }
    void start(double, bool) noexcept {}

    void scores(const Row<T>& row, double* out) const noexcept { plane_scores(row, 0, out); }

    /// Also leaves f = R delta behind for `apply`.
    double variance(const Row<T>& row, Terms terms) {
        product(row, terms, f_);
        return squares(f_);
    }

    double variance(const Row<T>& row, Terms terms) const {
        std::vector<T> f(side());
        product(row, terms, f);
        return squares(f);
    }

    /// a' Sigma b for two differences on the same row.
    double covariance(const Row<T>& row, Terms a, Terms b) {
        product(row, a, f_);
        product(row, b, z_);
        double sum = 0;
        for (std::size_t i = 0; i < side(); ++i)
            sum += static_cast<double>(f_[i]) * static_cast<double>(z_[i]);
        return sum;
    }

    void predict(const Row<T>& row, double* out, double* scratch) const {
        scores(row, out);
        if (average_.on && average_.rounds > 0) {
            plane_scores(row, 1, scratch);
            for (std::size_t b = 0; b < w_.blocks(); ++b)
                out[b] = (average_.scales * out[b] + scratch[b]) / average_.total();
        }
        if (options_.inclusive) {
            variances(row, scratch);
            for (std::size_t b = 0; b < w_.blocks(); ++b) out[b] /= 1 + scratch[b];
        }
    }

    void variances(const Row<T>& row, double* out) const {
        std::vector<T> f(side());
        for (std::uint32_t b = 0; b < w_.blocks(); ++b) {
            const Term one{b, 1.0};
            product(row, Terms(&one, 1), f);
            out[b] = squares(f);
        }
    }

    /// Whether no variance, and no covariance with the demand, would leave the numbers of its type.
    bool holds_variances(const Step& step, const Evidence& e) const noexcept {
        return std::sqrt(ceiling_) * std::sqrt(e.variance) < kReach<T> && step.spread * ceiling_ < kReach<T>;
    }

    /// |z_i| <= sqrt(Sigma_ii v), so a step moves no weight by more than alpha times the root of the largest
    /// variance times v.
    bool admits(const Step& step, const Evidence& e) noexcept {
        if (fits(step, e)) return true;
        remeasure();  // what was only bounded may be far smaller
        measure_ceiling();
        return fits(step, e) || (holds_variances(step, e) && !average_.on && lands(step.mean));
    }

    void apply(const Row<T>& row, Terms terms, const Step& step, const Evidence& e) noexcept {
        turn_root(allowed_gain(row, terms, step.precision, e.variance));
        if (step.mean != 0) move_mean(step.mean);
        if (step.spread != 1) spread_out(step.spread);
    }

    /// Makes delta the direction of the next `apply`.
    void aim(const Row<T>& row, Terms terms) { product(row, terms, f_); }

    void tick() noexcept {
        if (average_.on && average_.tick(1.0))
            w_.each(1, [](T& a) { a /= static_cast<T>(Averaging::kFold); });
    }

    void spread_out(double factor) noexcept {
        const T root = static_cast<T>(std::sqrt(factor));
        for (T& r : root_) r *= root;
        keep_positive();
        const double widest = widest_variance<T>(std::max(options_.initial_variance, options_.min_variance));
        fresh_ = static_cast<T>(std::min(factor * static_cast<double>(fresh_), widest));
        ceiling_ *= factor;
        // When to narrow is decided by the variances alone: a bound depends on when it was last measured, and
        // a model that was saved and loaded in between would narrow in another round. The bound is rounded.
        if (!(ceiling_ > kMostSpread * widest / 2)) return;
        measure_ceiling();
        if (ceiling_ > kMostSpread * widest) narrow(widest);
    }

    /// Lets the covariance grow a share of the way back to what it is before any learning.
    void inflate(double share) {
        if (!(share > 0)) return;
        std::vector<double> grown = sigma();
        for (double& s : grown) s *= 1 - share;
        for (std::size_t i = 0; i < side(); ++i) grown[i * side() + i] += share * static_cast<double>(fresh_);
        factorise(grown);
    }

    void grow(std::size_t slots, std::size_t blocks) {
        const std::size_t old_slots = w_.slots(), old_blocks = w_.blocks();
        const std::size_t new_slots = std::max(slots, old_slots), new_blocks = std::max(blocks, old_blocks);
        BigArray<T> root =
            resized_root(new_slots, new_blocks, old_slots, old_blocks);  // may not fit into memory
        w_.grow(slots, blocks, w_.planes(), T{0});
        root_ = std::move(root);
        make_room();
    }

    void shrink(std::size_t slots) {
        const std::size_t wide = w_.slots(), old = side();
        if (slots >= wide) return;
        w_.shrink(slots);
        const auto place = [=](std::size_t i) { return i / slots * wide + i % slots; };
        BigArray<T> smaller(side() * side());
        for (std::size_t i = 0; i < side(); ++i)
            for (std::size_t j = 0; j <= i; ++j) smaller[i * side() + j] = root_[place(i) * old + place(j)];
        root_ = std::move(smaller);
        make_room();
    }

    /// Blocks -w/2 and +w/2, independent, each with half the covariance, so that their difference keeps its
    /// own. What comes later, class or feature, starts from half as well, as one that had been there from the
    /// start.
    void split() {
        const std::size_t n = w_.slots();
        Planes<T> two = w_.reshaped(n, 2);
        for (std::uint32_t s = 0; s < n; ++s)
            for (std::size_t p = 0; p < w_.planes(); ++p) {
                const T half = w_.at(s, p, 0) / 2;
                two.at(s, p, 0) = -half;
                two.at(s, p, 1) = half;
            }
        const T root = static_cast<T>(std::sqrt(0.5));
        BigArray<T> larger(4 * n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                larger[i * 2 * n + j] = larger[(n + i) * 2 * n + n + j] = root * root_[i * n + j];
        w_ = std::move(two);
        root_ = std::move(larger);
        keep_positive();
        fresh_ = std::max({fresh_ / 2, static_cast<T>(options_.min_variance), kFloor * kFloor});
        make_room();
    }

    template <class In>
    void set_mean(const In* values) {
        w_.write(0, values);
        remeasure();
    }
    void remeasure() noexcept {
        reach_ = 0;
        w_.each(0, [this](T u) { reach_ = std::max(reach_, std::abs(static_cast<double>(u))); });
    }

    double stored(std::uint32_t slot, std::size_t block) const noexcept {
        return std::abs(mean_at(slot, block));
    }
    double magnitude(double stored) const noexcept { return stored; }
    void erase(std::uint32_t slot, std::size_t block) noexcept {
        if (average_.on) w_.at(slot, 1, block) += static_cast<T>(average_.scales) * w_.at(slot, 0, block);
        w_.at(slot, 0, block) = 0;
    }

    double mean_at(std::uint32_t slot, std::size_t block) const noexcept { return w_.at(slot, 0, block); }
    double variance_at(std::uint32_t slot, std::size_t block) const noexcept {
        return covariance_at(block * w_.slots() + slot, block * w_.slots() + slot);
    }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept {
        if (!average_.on || average_.rounds == 0) return mean_at(slot, block);
        return (average_.scales * w_.at(slot, 0, block) + w_.at(slot, 1, block)) / average_.total();
    }
    const BigArray<T>& root() const noexcept { return root_; }
    std::size_t side() const noexcept { return w_.slots() * w_.blocks(); }

    /// Sigma_ij, of the weights in rows i and j.
    double covariance_at(std::size_t i, std::size_t j) const noexcept {
        double sum = 0;
        for (std::size_t k = std::max(i, j); k < side(); ++k)
            sum += static_cast<double>(root_[k * side() + i]) * static_cast<double>(root_[k * side() + j]);
        return sum;
    }

    /// The whole of Sigma.
    std::vector<double> sigma() const {
        const std::size_t n = side();
        std::vector<double> out(n * n, 0.0);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i <= k; ++i) {
                const double r = static_cast<double>(root_[k * n + i]);
                if (r == 0) continue;
                for (std::size_t j = 0; j <= i; ++j)
                    out[i * n + j] += r * static_cast<double>(root_[k * n + j]);
            }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j) out[j * n + i] = out[i * n + j];
        return out;
    }

    void visit(StateVisitor<T>& v) {
        v.plane("mean", w_, 0);
        if (average_.on) {
            v.plane("average", w_, 1);
            v.scalar("average_scales", average_.scales);
            v.scalar("average_rounds", average_.rounds);
        }
        v.matrix("covariance_root", root_, side(), side());
        double fresh = static_cast<double>(fresh_);
        v.scalar("fresh_variance", fresh);
        fresh_ = static_cast<T>(fresh);
    }
    void loaded() {
        need_fresh(fresh_);
        for (std::size_t i = 0; i < side(); ++i)
            for (std::size_t j = i + 1; j < side(); ++j)
                if (root_[i * side() + j] != 0)
                    throw std::invalid_argument("state 'covariance_root' is not lower triangular");
        average_.count();
        remeasure();
        measure_ceiling();
        // What starts at the largest variance is measured as a little more, as roots are rounded.
        if (!(ceiling_ <= 2 * kReach<T>))
            throw std::invalid_argument("state 'covariance_root' holds a value that is not possible");
    }

private:
    /// Whether the bounds say that a step leaves only numbers of the weights' type; if so, it is counted.
    bool fits(const Step& step, const Evidence& e) noexcept {
        const double move = std::abs(step.mean) * std::sqrt(ceiling_) * std::sqrt(e.variance);
        const double factor = average_.on ? 1 + average_.scales : 1;
        if (!holds_variances(step, e) || !((reach_ + move) * factor < kReach<T>)) return false;
        reach_ += move;
        return true;
    }
    void measure_ceiling() noexcept {
        ceiling_ = static_cast<double>(fresh_);
        for (std::size_t i = 0; i < side(); ++i) ceiling_ = std::max(ceiling_, covariance_at(i, i));
    }

    /// Whether the mean after the step is small enough, though the bound could not say so: without this a
    /// mean that has come near the limit could never be corrected.
    bool lands(double alpha) noexcept {
        const std::size_t n = side(), slots = w_.slots();
        std::fill(z_.begin(), z_.end(), T{0});
        for (std::size_t j = 0; j < n; ++j)
            if (f_[j] != 0) simd<T>().axpy(z_.data(), root_.data() + j * n, f_[j], j + 1);
        double top = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double now = mean_at(static_cast<std::uint32_t>(i % slots), i / slots);
            const double next = std::abs(now + alpha * static_cast<double>(z_[i]));
            if (!(next < kReach<T>)) return false;
            top = std::max(top, next);
        }
        reach_ = top;
        return true;
    }

    /// The gain of a step, held where it would leave less of the demand's variance than it may.
    double allowed_gain(const Row<T>& row, Terms terms, double gain, double v) const noexcept {
        const double norm2 = squared(terms) * row.norm2, left = v / (1 + gain * v);
        const double low = std::max(options_.min_variance, kLeast * static_cast<double>(fresh_)) * norm2;
        const double noise = kResolution * kResolution;
        if (left >= std::max(low, noise * ceiling_ * norm2)) return gain;  // no variance is above the ceiling
        const double least = std::max(low, noise * independent_variance(row, terms));
        if (left >= least) return gain;
        return v > least ? std::min(gain, (1 - least / v) / least) : 0.0;
    }
    /// sum_i Sigma_ii delta_i^2.
    double independent_variance(const Row<T>& row, Terms terms) const noexcept {
        double sum = 0;
        for (const Term& term : terms)
            for (std::uint32_t e = 0; e < row.size; ++e) {
                const std::size_t i = weight_of(row, term, e);
                const double delta = term.coefficient * static_cast<double>(row.value[e]);
                if (delta != 0) sum += delta * delta * covariance_at(i, i);
            }
        return sum;
    }
    /// Holds every variance at `widest` or below; correlations stay.
    void narrow(double widest) noexcept {
        const std::size_t n = side();
        ceiling_ = static_cast<double>(fresh_);
        for (std::size_t i = 0; i < n; ++i) {
            const double variance = covariance_at(i, i);
            ceiling_ = std::max(ceiling_, std::min(variance, widest));
            if (!(variance > widest)) continue;
            const T root = static_cast<T>(std::sqrt(widest / variance));
            for (std::size_t k = i; k < n; ++k) root_[k * n + i] *= root;
        }
    }

    /// z = Sigma delta and the new root, in one sweep over the rows.
    void turn_root(double gain) noexcept {
        const auto& wide = simd<T>();
        wide.factors(f_.data(), side(), gain, sums_.data(), keep_.data(), turn_.data());
        std::fill(z_.begin(), z_.end(), T{0});
        wide.turn_rows(root_.data(), side(), f_.data(), keep_.data(), turn_.data(), kFloor, z_.data());
    }

    /// Cholesky's factors from the last row up: Sigma = R' R with R lower triangular.
    void factorise(std::vector<double>& sigma) {
        const std::size_t n = side();
        for (std::size_t j = n; j-- > 0;) {
            double* row = sigma.data() + j * n;
            const double own = std::max(std::sqrt(std::max(row[j], 0.0)), static_cast<double>(kFloor));
            for (std::size_t i = 0; i < j; ++i) row[i] /= own;
            row[j] = own;
            for (std::size_t k = 0; k < j; ++k)
                for (std::size_t i = 0; i <= k; ++i) sigma[k * n + i] -= row[k] * row[i];
            for (std::size_t i = 0; i <= j; ++i) root_[j * n + i] = static_cast<T>(row[i]);
        }
    }

    void move_mean(double alpha) noexcept {
        const std::size_t slots = w_.slots();
        const T a = static_cast<T>(alpha), lag = static_cast<T>(-average_.scales);
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            for (std::uint32_t s = 0; s < slots; ++s) {
                const T move = a * z_[b * slots + s];
                w_.at(s, 0, b) += move;
                if (average_.on) w_.at(s, 1, b) += lag * move;
            }
    }

    void keep_positive() noexcept {
        for (std::size_t i = 0; i < side(); ++i) {
            T& own = root_[i * side() + i];
            if (!(own > kFloor)) own = kFloor;
        }
    }

    std::uint32_t slot_of(const Row<T>& row, std::uint32_t j) const noexcept { return w_.slot_of(row.at[j]); }

    /// The row of Sigma an entry stands for.
    std::size_t weight_of(const Row<T>& row, const Term& term, std::uint32_t j) const noexcept {
        if (!row.flat) return term.block * w_.slots() + slot_of(row, j);
        return row.at[j] % w_.width() * w_.slots() + row.at[j] / w_.width();
    }

    void plane_scores(const Row<T>& row, std::size_t plane, double* out) const noexcept {
        const std::size_t width = w_.width();
        for (std::size_t b = 0; b < w_.blocks(); ++b) {
            const T* w = w_.data() + plane * w_.stride() + b;
            out[b] = gather(row, [=](std::uint32_t at, T x) { return w[at * width] * x; });
        }
    }

    /// f = R delta. A row of R ends at its own weight, so of a dense row only that much is read.
    void product(const Row<T>& row, Terms terms, std::vector<T>& f) const {
        std::fill(f.begin(), f.end(), T{0});
        if (row.flat || !row.dense) return gathered_product(row, terms, f);
        thread_local std::vector<T> x;
        x.assign(row.value, row.value + row.size);
        x.resize(row.size + kTrianglePadding, T{0});
        for (const Term& term : terms)
            simd<T>().add_product(root_.data(), side(), term.block * w_.slots(), x.data(), row.size,
                                  static_cast<T>(term.coefficient), f.data());
    }
    void gathered_product(const Row<T>& row, Terms terms, std::vector<T>& f) const {
        thread_local std::vector<std::pair<std::size_t, T>> delta;
        delta.clear();
        const std::size_t n = side();
        std::size_t first = n;
        for (const Term& term : terms)
            for (std::uint32_t e = 0; e < row.size; ++e) {
                delta.emplace_back(weight_of(row, term, e), static_cast<T>(term.coefficient) * row.value[e]);
                first = std::min(first, delta.back().first);
            }
        for (std::size_t j = first; j < n; ++j) {
            const T* root = root_.data() + j * n;
            T sum = 0;
            for (const auto& [i, x] : delta) sum += root[i] * x;
            f[j] = sum;
        }
    }
    static double squares(const std::vector<T>& f) noexcept {
        double sum = 0;
        for (const T x : f) sum += static_cast<double>(x) * static_cast<double>(x);
        return sum;
    }

    void resize_root(std::size_t slots, std::size_t blocks, std::size_t old_slots, std::size_t old_blocks) {
        root_ = resized_root(slots, blocks, old_slots, old_blocks);
        make_room();
    }
    /// The root with room for more weights, which start from the variance of those never met.
    BigArray<T> resized_root(std::size_t slots, std::size_t blocks, std::size_t old_slots,
                             std::size_t old_blocks) const {
        const std::size_t n = slots * blocks, old = old_slots * old_blocks;
        if (n > (std::size_t{1} << 31) / n) throw std::bad_alloc();
        BigArray<T> larger(n * n);
        const T own = static_cast<T>(std::sqrt(static_cast<double>(fresh_)));
        for (std::size_t i = 0; i < n; ++i) larger[i * n + i] = own;
        const auto place = [=](std::size_t i) { return i / old_slots * slots + i % old_slots; };
        for (std::size_t i = 0; i < old; ++i)
            for (std::size_t j = 0; j <= i; ++j) larger[place(i) * n + place(j)] = root_[i * old + j];
        return larger;
    }
    void make_room() {
        for (std::vector<T>* scratch : {&f_, &z_, &keep_, &turn_}) scratch->assign(side(), T{0});
        sums_.assign(side(), 0.0);
    }

    /// Relative accuracy of R delta: some roundings.
    static constexpr double kResolution = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
    /// The smallest share of the variance a weight starts from.
    static constexpr double kLeast = sizeof(T) == 4 ? 1e-20 : 1e-200;
    /// The square of a root this small is still a normal number, so every variance stays positive.
    static constexpr T kFloor = static_cast<T>(sizeof(T) == 4 ? 1.1e-19 : 1.5e-154);

    Options options_;
    Planes<T> w_;
    Averaging average_;
    BigArray<T> root_;
    std::vector<T> f_, z_, keep_, turn_;  // of the demand at hand; f = R delta
    std::vector<double> sums_;
    T fresh_;  // variance of a weight nothing has been learned about: what a new one starts from
    double ceiling_;
    double reach_ = 0.0;
};

}  // namespace onlinear::belief
