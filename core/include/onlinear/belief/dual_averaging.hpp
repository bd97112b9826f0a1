#pragma once
#include "onlinear/belief/belief.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

template <class T>
class DualAveraging;

struct DualAveragingOptions {
    double eta = 1.0;
    double delta0 = 0.01;
    double lam = 1e-4;

    template <class T>
    using Belief = DualAveraging<T>;
    static constexpr const char* name = "DualAveraging";
    static constexpr const char* doc = "Sums of gradients; the mean is derived on read.";
    static constexpr rule::Metric metric = rule::Metric::dual;
    static constexpr Parts takes{.differences = true};
    static constexpr auto parameters() {
        return std::tuple{rule::positive("eta", &DualAveragingOptions::eta, "learning rate"),
                          rule::nonnegative("delta0", &DualAveragingOptions::delta0,
                                            "added to the root of the summed squares"),
                          rule::nonnegative("lam", &DualAveragingOptions::lam, "L1 penalty per round")};
    }
};

/// Sums of gradients u and of their squares G; the mean is derived when it is read.
///
/// Duchi, Hazan, Singer. JMLR 12, 2011, the RDA update with an L1 penalty:
/// mu_p = -eta sign(u_p) max(0, |u_p| - lam t) / (delta0 + sqrt(G_p)). The threshold grows with every round,
/// so all weights move; they are computed when they are read, so those that are not cost nothing.
template <class T>
class DualAveraging {
public:
    using Scalar = T;
    static constexpr bool kFused = true;

    using Options = DualAveragingOptions;

    DualAveraging(const Options& options, std::size_t slots, std::size_t blocks)
        : options_(options), w_(2, slots, blocks) {}

    Planes<T>& planes() noexcept { return w_; }
    const Planes<T>& planes() const noexcept { return w_; }
    double threshold() const noexcept { return 0.0; }
    double mean_norm() const noexcept { return 0.0; }
    void start(double, bool) noexcept {}

    Sums look(const Row<T>& row) const noexcept {
        double score;
        scores(row, &score);
        return {score, row.norm2};
    }

    void scores(const Row<T>& row, double* out) const noexcept {
        const std::size_t width = w_.width(), stride = w_.stride();
        const Reader mean = reader();
        for (std::size_t b = 0; b < w_.blocks(); ++b) {
            const T* w = w_.data() + b;
            out[b] = gather(
                row, [&](std::uint32_t at, T x) { return mean(w[at * width], w[at * width + stride]) * x; });
        }
    }
    void predict(const Row<T>& row, double* out, double*) const noexcept { scores(row, out); }
    double variance(const Row<T>& row, Terms terms) const noexcept { return squared(terms) * row.norm2; }
    void variances(const Row<T>& row, double* out) const noexcept {
        for (std::size_t b = 0; b < w_.blocks(); ++b) out[b] = row.norm2;
    }

    bool admits(const Step& step, const Evidence& e) noexcept {
        const double bound = std::abs(step.mean) * std::sqrt(e.variance) + step.mean * step.mean * e.variance;
        if (!(reach_ + bound < kReach<T>)) {
            remeasure();  // the bound depends on history, the answer must not
            if (!(reach_ + bound < kReach<T>)) return false;
        }
        reach_ += bound;
        return true;
    }

    void apply(const Row<T>& row, Terms terms, const Step& step, const Evidence&) noexcept {
        const std::size_t width = w_.width(), stride = w_.stride();
        for (const Term& term : terms) {
            T* base = w_.data() + term.block;
            const T factor = static_cast<T>(-step.mean * term.coefficient);
            for (std::uint32_t j = 0; j < row.size; ++j) {
                T* w = base + row.at[j] * width;
                const T g = factor * row.value[j];
                w[0] += g;
                w[stride] += g * g;
            }
        }
    }

    void tick() noexcept { rounds_ += 1; }
    void grow(std::size_t slots, std::size_t blocks) { w_.grow(slots, blocks, w_.planes(), T{0}); }
    /// Halving the mean by doubling its denominator leaves the threshold where it was.
    void split() {
        Planes<T> two = w_.reshaped(w_.slots(), 2);
        const T delta0 = static_cast<T>(options_.delta0);
        for (std::uint32_t s = 0; s < w_.slots(); ++s) {
            const T u = w_.at(s, 0, 0), H = delta0 + 2 * std::sqrt(w_.at(s, 1, 0));
            two.at(s, 0, 0) = -u;
            two.at(s, 0, 1) = u;
            two.at(s, 1, 0) = two.at(s, 1, 1) = u == 0 && w_.at(s, 1, 0) == 0 ? T{0} : H * H;
        }
        w_ = std::move(two);
        remeasure();
    }

    /// A starting mean is the gradient sum that yields it: only possible where the denominator is not zero.
    template <class In>
    void set_mean(const In* values) {
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            for (std::uint32_t s = 0; s < w_.slots(); ++s) {
                const double mean = static_cast<double>(*values++);
                const double H = options_.delta0 + std::sqrt(static_cast<double>(w_.at(s, 1, b)));
                w_.at(s, 0, b) = mean == 0 ? T{0}
                                           : static_cast<T>(-mean * H / options_.eta -
                                                            std::copysign(options_.lam * rounds_, mean));
            }
        remeasure();
    }
    void remeasure() {
        reach_ = 0;
        for (std::size_t plane = 0; plane < 2; ++plane)
            w_.each(plane, [this](T u) { reach_ = std::max(reach_, std::abs(static_cast<double>(u))); });
    }

    double mean_at(std::uint32_t slot, std::size_t block) const noexcept {
        return reader()(w_.at(slot, 0, block), w_.at(slot, 1, block));
    }
    double variance_at(std::uint32_t, std::size_t) const noexcept { return 1.0; }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept { return mean_at(slot, block); }

    void visit(StateVisitor<T>& v) {
        v.plane("gradient", w_, 0);
        v.plane("squares", w_, 1);
        v.scalar("rounds", rounds_);
    }
    void loaded() { remeasure(); }

private:
    struct Reader {
        T eta, delta0, threshold;
        T operator()(T u, T G) const noexcept {
            const T excess = std::abs(u) - threshold;
            if (!(excess > 0)) return 0;
            return -std::copysign(eta * excess / (delta0 + std::sqrt(G)), u);
        }
    };
    Reader reader() const noexcept {
        return {static_cast<T>(options_.eta), static_cast<T>(options_.delta0),
                static_cast<T>(options_.lam * rounds_)};
    }

    Options options_;
    Planes<T> w_;
    double rounds_ = 0.0;
    double reach_ = 0.0;
};

}  // namespace onlinear::belief
