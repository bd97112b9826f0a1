#pragma once
#include "onlinear/belief/belief.hpp"
#include "onlinear/constraint/truncate.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

template <class T>
class Information;

struct InformationOptions {
    double initial_variance = 1.0;
    bool inclusive = false;

    template <class T>
    using Belief = Information<T>;
    static constexpr const char* name = "Information";
    static constexpr const char* doc = "A diagonal Gaussian in natural parameters.";
    static constexpr rule::Metric metric = rule::Metric::gaussian;
    static constexpr Parts takes{.pairs = true, .differences = true};
    static constexpr auto parameters() {
        return std::tuple{rule::positive("initial_variance", &InformationOptions::initial_variance,
                                         "variance of a weight of which nothing is learned yet"),
                          rule::flag("inclusive", &InformationOptions::inclusive,
                                     "whether a score counts the instance it is for")};
    }
};

/// A diagonal Gaussian in its natural parameters: theta = A mu and the precisions A.
///
/// A step (alpha, gain) on a full Gaussian is, in these terms, theta += c delta with
/// c = alpha (1 + gain v) + gain m, and A += gain delta^2. For NAROW and the second-order perceptron c = 1,
/// which is how those papers are written; with the diagonal of A kept these are their own diagonal forms.
/// `inclusive` scores count the current instance, x_p theta_p / (A_p + x_p^2): the second-order perceptron's.
template <class T>
class Information {
public:
    using Scalar = T;
    static constexpr bool kFused = true;
    static constexpr bool kLocal = true;  // a step moves the weights of the row alone

    using Options = InformationOptions;

    constraint::Truncation truncation;

    Information(const Options& options, std::size_t slots, std::size_t blocks)
        : options_(options), w_(2, slots, blocks), fresh_(options.initial_variance) {
        w_.fill(1, static_cast<T>(1 / options.initial_variance));
        remeasure();
    }

    Planes<T>& planes() noexcept { return w_; }
    const Planes<T>& planes() const noexcept { return w_; }
    double threshold() const noexcept { return 0.0; }
    double mean_norm() const noexcept { return 0.0; }
    void start(double, bool) noexcept {}

    Sums look(const Row<T>& row) const noexcept {
        double score;
        scores(row, &score);
        double v;
        variances(row, &v);
        return {score, v};
    }

    void scores(const Row<T>& row, double* out) const noexcept {
        const bool inclusive = options_.inclusive;
        every_block(row, out,
                    [inclusive](T theta, T A, T x) { return x * theta / (inclusive ? A + x * x : A); });
    }
    void predict(const Row<T>& row, double* out, double*) const noexcept { scores(row, out); }
    void variances(const Row<T>& row, double* out) const noexcept {
        every_block(row, out, [](T, T A, T x) { return x * x / A; });
    }

    double variance(const Row<T>& row, Terms terms) const noexcept {
        double total = 0;
        const std::size_t width = w_.width();
        for (const Term& term : terms) {
            const T* A = w_.data() + w_.stride() + term.block;
            total += term.coefficient * term.coefficient *
                     gather(row, [=](std::uint32_t at, T x) { return x * x / A[at * width]; });
        }
        return total;
    }

    bool admits(const Step& step, const Evidence& e) noexcept {
        const double c = std::abs(natural(step, e));
        const double bound = std::max(largest_value_ * c, step.precision * largest_value_ * largest_value_);
        if (!(reach_ + bound < kReach<T>)) {
            remeasure();
            if (!(reach_ + bound < kReach<T>)) return false;
        }
        reach_ += bound;
        return true;
    }

    /// The largest |delta_p| of the coming step, for `admits`.
    void expect(const Row<T>& row, Terms terms) noexcept {
        largest_value_ = std::sqrt(row.norm2 * squared(terms));
    }

    void apply(const Row<T>& row, Terms terms, const Step& step, const Evidence& e) noexcept {
        const double c = natural(step, e);
        const std::size_t width = w_.width(), stride = w_.stride();
        for (const Term& term : terms) {
            T* base = w_.data() + term.block;
            const T move = static_cast<T>(c * term.coefficient);
            const T gain = static_cast<T>(step.precision * term.coefficient * term.coefficient);
            for (std::uint32_t j = 0; j < row.size; ++j) {
                T* w = base + row.at[j] * width;
                w[0] += move * row.value[j];
                w[stride] += gain * row.value[j] * row.value[j];
            }
        }
    }

    void tick() noexcept {}
    void grow(std::size_t slots, std::size_t blocks) {
        w_.grow(slots, blocks, 1, static_cast<T>(1 / fresh_));
    }
    /// mu/2 and half the variance in each block: the same theta, twice the precision.
    void split() {
        Planes<T> two = w_.reshaped(w_.slots(), 2);
        for (std::uint32_t s = 0; s < w_.slots(); ++s) {
            two.at(s, 0, 0) = -w_.at(s, 0, 0);
            two.at(s, 0, 1) = w_.at(s, 0, 0);
            two.at(s, 1, 0) = two.at(s, 1, 1) = 2 * w_.at(s, 1, 0);
        }
        w_ = std::move(two);
        fresh_ /= 2;  // what comes later is as if it had been there
        remeasure();
    }
    template <class In>
    void set_mean(const In* values) {
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            for (std::uint32_t s = 0; s < w_.slots(); ++s)
                w_.at(s, 0, b) = static_cast<T>(*values++) * w_.at(s, 1, b);
        remeasure();
    }
    /// Lets every variance grow a share of the way back to what it is before any learning; the mean stays.
    void inflate(double share) {
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            for (std::uint32_t s = 0; s < w_.slots(); ++s) {
                const double mean = mean_at(s, b);
                const double variance = (1 - share) * variance_at(s, b) + share * fresh_;
                w_.at(s, 0, b) = static_cast<T>(mean / variance);
                w_.at(s, 1, b) = static_cast<T>(1 / variance);
            }
        remeasure();
    }
    void remeasure() {
        truncation.forget();
        reach_ = 0;
        for (std::size_t plane = 0; plane < 2; ++plane)
            w_.each(plane, [this](T u) { reach_ = std::max(reach_, std::abs(static_cast<double>(u))); });
    }

    double mean_at(std::uint32_t slot, std::size_t block) const noexcept {
        return static_cast<double>(w_.at(slot, 0, block)) / static_cast<double>(w_.at(slot, 1, block));
    }
    double variance_at(std::uint32_t slot, std::size_t block) const noexcept {
        return 1 / static_cast<double>(w_.at(slot, 1, block));
    }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept { return mean_at(slot, block); }

    double stored(std::uint32_t slot, std::size_t block) const noexcept {
        return std::abs(mean_at(slot, block));
    }
    double magnitude(double stored) const noexcept { return stored; }
    void erase(std::uint32_t slot, std::size_t block) noexcept { w_.at(slot, 0, block) = 0; }

    void visit(StateVisitor<T>& v) {
        v.plane("theta", w_, 0);
        v.plane("precision", w_, 1);
        v.scalar("fresh_variance", fresh_);
    }
    void loaded() {
        need_fresh(static_cast<T>(1 / fresh_));
        remeasure();
    }

private:
    static double natural(const Step& step, const Evidence& e) noexcept {
        return step.mean * (1 + step.precision * e.variance) + step.precision * e.margin;
    }

    template <class F>
    void every_block(const Row<T>& row, double* out, F&& f) const noexcept {
        const std::size_t width = w_.width(), stride = w_.stride();
        for (std::size_t b = 0; b < w_.blocks(); ++b) {
            const T* w = w_.data() + b;
            out[b] = gather(
                row, [&](std::uint32_t at, T x) { return f(w[at * width], w[at * width + stride], x); });
        }
    }

    Options options_;
    Planes<T> w_;
    double fresh_;  // variance of a weight nothing has been learned about: what a new one starts from
    double reach_ = 0.0;
    double largest_value_ = 0.0;
};

}  // namespace onlinear::belief
