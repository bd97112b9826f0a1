#pragma once
#include "onlinear/belief/belief.hpp"
#include "onlinear/constraint/truncate.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

struct FullOptions {
    double initial_variance = 1.0;
    bool inclusive = false;
    bool average = false;

    static constexpr const char* name = "Full";
    static constexpr auto parameters() {
        return std::tuple{rule::positive("initial_variance", &FullOptions::initial_variance),
                          rule::flag("inclusive", &FullOptions::inclusive),
                          rule::flag("average", &FullOptions::average)};
    }
};

/// A Gaussian with a full covariance over all weights of all blocks.
///
/// z = Sigma delta; mu += alpha z; Sigma -= beta z z', beta = gain / (1 + gain v). With t = sqrt(beta) z the
/// update Sigma_ij -= t_i t_j commutes, so Sigma stays symmetric to the bit. Weight (block b, slot s) is row
/// b * slots + s. `inclusive` predictions divide by 1 + v: the second-order perceptron's score, which counts
/// the current instance.
template <class T>
class Full {
public:
    using Scalar = T;
    static constexpr bool kFused = false;  // `variance` leaves Sigma delta behind, so it wants the sign
    static constexpr bool kNeedsNorm = true;
    static constexpr bool kLocal = false;  // a step moves every weight

    using Options = FullOptions;

    constraint::Truncation truncation;

    Full(const Options& options, std::size_t slots, std::size_t blocks, bool apart = false)
        : options_(options),
          w_(options.average ? 2 : 1, slots, blocks, apart),
          average_{.on = options.average},
          fresh_(static_cast<T>(options.initial_variance)),
          ceiling_(options.initial_variance) {
        resize_covariance(slots, blocks, 0, 0);
    }

    Planes<T>& planes() noexcept { return w_; }
    const Planes<T>& planes() const noexcept { return w_; }
    double threshold() const noexcept { return 0.0; }
    double mean_norm() const noexcept { return 0.0; }
    double mean_scale() const noexcept { return 1.0; }
    Blend blend() const noexcept { return average_.blend(1.0, 1); }
    bool predicts_otherwise() const noexcept { return average_.on || options_.inclusive; }
    void start(double, bool) noexcept {}
    bool broken() const noexcept { return broken_; }

    void scores(const Row<T>& row, double* out) const noexcept { plane_scores(row, 0, out); }

    /// Also leaves z = Sigma delta behind for `apply`.
    double variance(const Row<T>& row, Terms terms) noexcept {
        product(row, terms, z_);
        const double v = along(row, terms, z_);
        // What rounding alone can do to v is far smaller than this.
        broken_ = v < -1e-10 * trace() * row.norm2 * squared(terms);
        return std::max(v, 0.0);
    }

    double variance(const Row<T>& row, Terms terms) const {
        std::vector<T> z(side());
        product(row, terms, z);
        return std::max(along(row, terms, z), 0.0);
    }

    /// a' Sigma b for two differences on the same row.
    double covariance(const Row<T>& row, Terms a, Terms b) noexcept {
        product(row, a, z_);
        return along(row, b, z_);
    }

    void predict(const Row<T>& row, double* out, double* scratch) const {
        scores(row, out);
        if (average_.on && average_.rounds > 0) {
            plane_scores(row, 1, scratch);
            for (std::size_t b = 0; b < w_.blocks(); ++b)
                out[b] = (average_.scales * out[b] + scratch[b]) / average_.rounds;
        }
        if (options_.inclusive) {
            variances(row, scratch);
            for (std::size_t b = 0; b < w_.blocks(); ++b) out[b] /= 1 + scratch[b];
        }
    }

    void variances(const Row<T>& row, double* out) const {
        std::vector<T> z(side());
        for (std::uint32_t b = 0; b < w_.blocks(); ++b) {
            const Term one{b, 1.0};
            product(row, Terms(&one, 1), z);
            out[b] = std::max(along(row, Terms(&one, 1), z), 0.0);
        }
    }

    /// Looks at z = Sigma delta itself: features of very different scale can cost Sigma its definiteness, and
    /// then no bound through the variance holds.
    bool admits(const Step& step, const Evidence& e) noexcept {
        double top = 0;
        for (const T z : z_) top = std::max(top, std::abs(static_cast<double>(z)));
        const double move = std::abs(step.mean) * top;
        const double beta = step.precision / (1 + step.precision * e.variance);
        if (!std::isfinite(top) || !(beta * top * top < kReach<T>)) return false;
        const double factor = average_.on ? 1 + average_.scales : 1;
        if (!(step.spread * ceiling_ < kReach<T>)) return false;
        if (!((reach_ + move) * factor < kReach<T>)) {
            remeasure();
            if (!((reach_ + move) * factor < kReach<T>)) return false;
        }
        reach_ += move;
        return true;
    }

    void apply(const Row<T>& row, Terms terms, const Step& step, const Evidence& e) noexcept {
        (void)row;
        (void)terms;
        const std::size_t slots = w_.slots();
        if (step.mean != 0) {
            const T a = static_cast<T>(step.mean), lag = static_cast<T>(-average_.scales);
            for (std::size_t b = 0; b < w_.blocks(); ++b)
                for (std::uint32_t s = 0; s < slots; ++s) {
                    const T move = a * z_[b * slots + s];
                    w_.at(s, 0, b) += move;
                    if (average_.on) w_.at(s, 1, b) += lag * move;
                }
        }
        if (step.precision > 0) {
            const double root = std::sqrt(step.precision / (1 + step.precision * e.variance));
            for (std::size_t i = 0; i < side(); ++i)
                t_[i] = static_cast<T>(root * static_cast<double>(z_[i]));
            kernels<T>().rank_one(sigma_.data(), t_.data(), side());
            keep_positive();
        }
        if (step.spread != 1) spread_out(step.spread);
    }

    /// Makes z = Sigma delta the direction of the next `apply`.
    void aim(const Row<T>& row, Terms terms) noexcept { product(row, terms, z_); }

    void tick() noexcept {
        if (average_.on) average_.tick(1.0);
    }

    void spread_out(double factor) noexcept {
        const T f = static_cast<T>(factor);
        for (T& s : sigma_) s *= f;
        fresh_ *= f;
        ceiling_ *= factor;
    }

    /// Lets the covariance grow a share of the way back to what it is before any learning.
    void inflate(double share) noexcept {
        const T keep = static_cast<T>(1 - share), fresh = static_cast<T>(share) * fresh_;
        for (T& s : sigma_) s *= keep;
        for (std::size_t i = 0; i < side(); ++i) sigma_[i * side() + i] += fresh;
    }

    void grow(std::size_t slots, std::size_t blocks) {
        const std::size_t old_slots = w_.slots(), old_blocks = w_.blocks();
        w_.grow(slots, blocks, w_.planes(), T{0});
        resize_covariance(w_.slots(), w_.blocks(), old_slots, old_blocks);
    }

    void shrink(std::size_t slots) {
        const std::size_t wide = w_.slots(), old = side();
        if (slots >= wide) return;
        w_.shrink(slots);
        const auto place = [=](std::size_t i) { return i / slots * wide + i % slots; };
        BigArray<T> smaller(side() * side());
        for (std::size_t i = 0; i < side(); ++i)
            for (std::size_t j = 0; j < side(); ++j)
                smaller[i * side() + j] = sigma_[place(i) * old + place(j)];
        sigma_ = std::move(smaller);
        make_room();
    }

    /// Blocks -w/2 and +w/2, independent, each with half the covariance, so that their difference keeps its
    /// own.
    void split() {
        const std::size_t n = w_.slots();
        Planes<T> two(w_.planes(), n, 2);
        for (std::uint32_t s = 0; s < n; ++s)
            for (std::size_t p = 0; p < w_.planes(); ++p) {
                const T half = w_.at(s, p, 0) / 2;
                two.at(s, p, 0) = -half;
                two.at(s, p, 1) = half;
            }
        BigArray<T> larger(4 * n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                larger[i * 2 * n + j] = larger[(n + i) * 2 * n + n + j] = sigma_[i * n + j] / 2;
        w_ = std::move(two);
        sigma_ = std::move(larger);
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
        const std::size_t i = block * w_.slots() + slot;
        return sigma_[i * side() + i];
    }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept {
        if (!average_.on || average_.rounds == 0) return mean_at(slot, block);
        return (average_.scales * w_.at(slot, 0, block) + w_.at(slot, 1, block)) / average_.rounds;
    }
    const BigArray<T>& sigma() const noexcept { return sigma_; }
    std::size_t side() const noexcept { return w_.slots() * w_.blocks(); }

    void visit(StateVisitor<T>& v) {
        v.plane("mean", w_, 0);
        if (average_.on) {
            v.plane("average", w_, 1);
            v.scalar("average_scales", average_.scales);
            v.scalar("average_rounds", average_.rounds);
        }
        v.matrix("covariance", sigma_, side(), side());
        double fresh = static_cast<double>(fresh_);
        v.scalar("fresh_variance", fresh);
        fresh_ = static_cast<T>(fresh);
    }
    void loaded() {
        if (!(fresh_ > 0)) throw std::invalid_argument("state 'fresh_variance' must be positive");
        remeasure();
        ceiling_ = static_cast<double>(fresh_);
        for (std::size_t i = 0; i < side(); ++i)
            ceiling_ = std::max(ceiling_, static_cast<double>(sigma_[i * side() + i]));
    }

private:
    /// The diagonal never falls below the smallest normal number, so every variance stays positive.
    void keep_positive() noexcept {
        constexpr T floor = std::numeric_limits<T>::min();
        for (std::size_t i = 0; i < side(); ++i) {
            T& d = sigma_[i * side() + i];
            if (!(d > floor)) d = floor;
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

    void product(const Row<T>& row, Terms terms, std::vector<T>& z) const noexcept {
        const std::size_t n = side();
        std::fill(z.begin(), z.end(), T{0});
        for (const Term& term : terms)
            for (std::uint32_t j = 0; j < row.size; ++j) {
                const T delta = static_cast<T>(term.coefficient) * row.value[j];
                if (delta == 0) continue;
                kernels<T>().axpy(z.data(), sigma_.data() + weight_of(row, term, j) * n, delta, n);
            }
    }
    double along(const Row<T>& row, Terms terms, const std::vector<T>& z) const noexcept {
        double sum = 0;
        for (const Term& term : terms)
            for (std::uint32_t j = 0; j < row.size; ++j)
                sum += term.coefficient * static_cast<double>(row.value[j]) *
                       static_cast<double>(z[weight_of(row, term, j)]);
        return sum;
    }
    double trace() const noexcept {
        double sum = 0;
        for (std::size_t i = 0; i < side(); ++i) sum += static_cast<double>(sigma_[i * side() + i]);
        return sum;
    }

    void resize_covariance(std::size_t slots, std::size_t blocks, std::size_t old_slots,
                           std::size_t old_blocks) {
        const std::size_t n = slots * blocks, old = old_slots * old_blocks;
        if (n > (std::size_t{1} << 31) / n) throw std::bad_alloc();
        BigArray<T> larger(n * n);
        for (std::size_t i = 0; i < n; ++i) larger[i * n + i] = fresh_;
        const auto place = [=](std::size_t i) { return i / old_slots * slots + i % old_slots; };
        for (std::size_t i = 0; i < old; ++i)
            for (std::size_t j = 0; j < old; ++j) larger[place(i) * n + place(j)] = sigma_[i * old + j];
        sigma_ = std::move(larger);
        make_room();
    }
    void make_room() {
        z_.assign(side(), T{0});
        t_.assign(side(), T{0});
    }

    Options options_;
    Planes<T> w_;
    Averaging average_;
    BigArray<T> sigma_;
    std::vector<T> z_, t_;
    T fresh_;  // variance of a weight nothing has been learned about: what a new one starts from
    double ceiling_;
    double reach_ = 0.0;
    bool broken_ = false;
};

}  // namespace onlinear::belief
