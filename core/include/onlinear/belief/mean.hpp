#pragma once
#include <optional>

#include "onlinear/belief/scales.hpp"
#include "onlinear/constraint/truncate.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

template <class T>
class Mean;

struct MeanOptions {
    bool average = false;
    bool late = false;
    int scale = 0;
    std::optional<double> intercept_rate{};
    bool center = false;

    template <class T>
    using Belief = Mean<T>;
    static constexpr const char* name = "Mean";
    static constexpr const char* doc = "A mean alone: first order.";
    static constexpr rule::Metric metric = rule::Metric::mean;
    static constexpr Parts takes{.keep = true,
                                 .threshold = true,
                                 .mean_norm = true,
                                 .targets = true,
                                 .pairs = true,
                                 .distance = true,
                                 .several = true,
                                 .joint = true,
                                 .differences = true,
                                 .sentences = true};
    /// An intercept that moves apart is no part of |mu|^2, and only plain rows have one.
    constexpr Parts takes_now() const noexcept {
        Parts parts = takes;
        if (intercept_rate) parts.mean_norm = parts.distance = parts.differences = parts.sentences = false;
        return parts;
    }
    static constexpr auto parameters() {
        return std::tuple{
            rule::flag("average", &MeanOptions::average, "whether predictions use the average of all means"),
            rule::flag("late", &MeanOptions::late, "whether late rounds count more in the average"),
            rule::choice("scale", &MeanOptions::scale, kScales, "what features are divided by as they come"),
            rule::optional_within("intercept_rate", &MeanOptions::intercept_rate,
                                  rule::Range{.low = 0.0, .high = 1.0, .high_open = false},
                                  "how far the intercept moves with a step, of which it is no part; none: as "
                                  "any feature"),
            rule::flag("center", &MeanOptions::center, "whether features lose their means as they come")};
    }
};

/// A mean alone: first order. Sigma is frozen at I, so variance is |delta|^2.
///
/// With an `intercept_rate` only the features count in |delta|^2: the intercept moves by that share of the
/// step without having a say in it, as in scikit-learn (1, and 0.01 on sparse rows) and in river (1).
///
/// The mean is scale * u, so that a rule's `keep` costs one multiplication however many weights there are.
/// Planes: u, and when averaging, the a of `Averaging`.
template <class T>
class Mean {
public:
    using Scalar = T;
    static constexpr bool kFused = true;
    static constexpr bool kLocal = true;  // a step moves the weights of the row alone
    static constexpr bool kDirectScores = true;

    using Options = MeanOptions;

    constraint::Truncation truncation;
    Scales<T> scales;

    Mean(const Options& options, std::size_t slots, std::size_t blocks, bool apart = false)
        : scales(options.scale, options.center),
          w_(options.average ? 2 : 1, slots, blocks, apart),
          average_(options.average, options.late),
          apart_(options.intercept_rate.has_value()),
          lag_(options.intercept_rate.value_or(1.0) - 1.0) {}

    Planes<T>& planes() noexcept { return w_; }
    const Planes<T>& planes() const noexcept { return w_; }
    double threshold() const noexcept { return threshold_; }
    double mean_norm() const noexcept { return mean_norm_; }
    double mean_scale() const noexcept { return scale_; }
    Blend blend() const noexcept { return average_.blend(scale_, 1); }
    bool predicts_otherwise() const noexcept { return average_.on; }
    bool apart() const noexcept { return apart_; }
    void start(double threshold, bool track_norm) noexcept {
        threshold_ = threshold;
        track_norm_ = track_norm;
    }

    [[gnu::always_inline]] Sums look(const Row<T>& row) const noexcept {
        return {scale_ * plane_score(row, 0), norm2(row)};
    }

    void scores(const Row<T>& row, double* out) const noexcept {
        if (w_.single()) {
            out[0] = scale_ * plane_score(row, 0);
            return;
        }
        plane_scores(row, 0, out);
        for (std::size_t b = 0; b < w_.blocks(); ++b) out[b] *= scale_;
    }

    double variance(const Row<T>& row, Terms terms) const noexcept { return squared(terms) * norm2(row); }

    void predict(const Row<T>& row, double* out, double* scratch) const noexcept {
        scores(row, out);
        if (!average_.on || average_.rounds == 0) return;
        if (w_.single())
            scratch[0] = plane_score(row, 1);
        else
            plane_scores(row, 1, scratch);
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            out[b] = (average_.scales / scale_ * out[b] + scratch[b]) / average_.total();
    }

    /// |x - mu|^2, to within kAccuracy of itself.
    ///
    /// Where x is zero the weights count with their squares. Those are |mu|^2 less the squares on the row, as
    /// long as the known error of |mu|^2 is small beside the answer; where it is not, `walked` says that
    /// every weight was read.
    double squared_distance(const Row<T>& row, bool& walked) const noexcept {
        double near = 0, on_row = 0;
        for (std::uint32_t j = 0; j < row.size; ++j) {
            const double mu = scale_ * static_cast<double>(w_.data()[row.at[j]]);
            const double gap = static_cast<double>(row.value[j]) - mu;
            near += gap * gap;
            on_row += mu * mu;
        }
        walked = false;
        if (row.dense && row.size == w_.slots()) return near;
        const double far = std::max(mean_norm_ - on_row, 0.0);
        const double error = norm_error_ + kUlp * (mean_norm_ + static_cast<double>(row.size) * on_row);
        if (error <= kAccuracy * (near + far)) return near + far;
        walked = true;
        return near + squares_beside(row);
    }

    void variances(const Row<T>& row, double* out) const noexcept {
        std::fill_n(out, w_.blocks(), norm2(row));
    }

    [[gnu::always_inline]] bool admits(const Step& step, const Evidence& e) noexcept {
        const double kept = scale_ * step.keep;
        const bool lazy = stays_lazy(kept);
        const double scale = lazy ? kept : 1.0, grows = lazy ? 1.0 : std::abs(kept);
        const double move = std::abs(step.mean / scale) * std::sqrt(e.variance + (apart_ ? 1.0 : 0.0));
        // The mean scale * u and the sum over rounds B u + a must be numbers of the weights' type, too:
        // before the step, where B u may be folded into a, and after it, where B is what was not.
        const double scales = average_.on ? average_.scales : 0.0;
        const double before = 1 + scales, after = std::max(1.0, std::abs(scale)) + (lazy ? scales : 0.0);
        if (!(std::abs(step.mean / scale) < kReach<T>)) return false;
        if (!(std::abs(threshold_ + step.threshold) < kReach<double>)) return false;
        if (track_norm_ && !(norm_after(step, e) < kReach<double>)) return false;
        const double reach = reach_ * grows + move;
        if (std::max(reach * after, reach_ * before) < kReach<T>) {
            reach_ = reach;
            return true;
        }
        const double top = largest(), measured = top * grows + move;
        if (!(std::max(measured * after, top * before) < kReach<T>)) return false;
        reach_ = measured;
        return true;
    }

    [[gnu::always_inline]] void apply(const Row<T>& row, Terms terms, const Step& step,
                                      const Evidence& e) noexcept {
        if (step.keep != 1) rescale(step.keep);
        if (track_norm_) follow_norm(step, e);
        threshold_ += step.threshold;
        if (step.mean == 0) return;
        const double du = step.mean / scale_;
        if (average_.on) {
            const T lag = static_cast<T>(-average_.scales);
            const std::size_t plane = w_.stride();
            each(row, terms, du, [=](T* w, T move) {
                w[0] += move;
                w[plane] += lag * move;
            });
        } else if (row.dense && w_.single()) {
            simd<T>().add(w_.data(), row.value, static_cast<T>(du * terms[0].coefficient), padded(row));
        } else {
            each(row, terms, du, [](T* w, T move) { w[0] += move; });
        }
        if (lag_ != 0) hold_intercept(row, terms, du);
        if (track_norm_ && norm_is_doubtful()) remeasure_norm();
    }

    void tick() noexcept {
        if (average_.on && average_.tick(scale_))
            w_.each(1, [](T& a) { a /= static_cast<T>(Averaging::kFold); });
    }

    void grow(std::size_t slots, std::size_t blocks) {
        w_.grow(slots, blocks, w_.planes(), T{0});
        scales.grow(slots);
    }

    T& number(std::uint32_t slot, std::size_t plane, std::size_t block) noexcept {
        return w_.at(slot, plane, block);
    }
    bool untouched(std::uint32_t slot) const noexcept {
        for (std::size_t p = 0; p < w_.planes(); ++p)
            for (std::size_t b = 0; b < w_.blocks(); ++b)
                if (w_.at(slot, p, b) != 0) return false;
        return true;
    }
    /// The scale s of a feature has become 1 / `ratio` of what it was. The mean is Sigma times the sum of the
    /// demands, Sigma = 1 / s^2, and the sum stays when s grows: w becomes ratio^2 w, and s w, which is held,
    /// ratio s w. When s falls w stays: as much again has nobody said. The average is of what was held.
    void restate(std::uint32_t slot, double ratio) noexcept {
        if (ratio > 1) ratio = 1 / ratio;
        const T factor = static_cast<T>(ratio);
        double lost = 0;
        for (std::size_t b = 0; b < w_.blocks(); ++b) {
            const double w = mean_at(slot, b);
            lost += w * w * (1 - ratio * ratio);
            T& u = w_.at(slot, 0, b);
            const T before = u;
            u *= factor;
            if (average_.on) w_.at(slot, 1, b) += static_cast<T>(average_.scales) * (before - u);
        }
        if (track_norm_) {
            constexpr double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
            norm_error_ += kUlp * mean_norm_ + rounding * lost;
            mean_norm_ = std::max(mean_norm_ - lost, 0.0);
        }
        truncation.forget();
    }
    Norm norm() const noexcept { return {mean_norm_, norm_error_}; }
    void set_norm(const Norm& norm) noexcept {
        mean_norm_ = norm.value;
        norm_error_ = norm.error;
    }

    /// A third class has come: the weights w of two classes become blocks -w/2 and +w/2.
    void split() {
        Planes<T> two = w_.reshaped(w_.slots(), 2);
        for (std::uint32_t s = 0; s < w_.slots(); ++s)
            for (std::size_t p = 0; p < w_.planes(); ++p) {
                const T half = w_.at(s, p, 0) / 2;
                two.at(s, p, 0) = -half;
                two.at(s, p, 1) = half;
            }
        w_ = std::move(two);
        mean_norm_ /= 2;
        truncation.forget();
    }

    /// Sets the mean; used for a starting mean and by constraints.
    template <class In>
    void set_mean(const In* values) {
        scale_ = 1;
        w_.write(0, values);
        remeasure();
    }
    void remeasure() {
        reach_ = largest();
        remeasure_norm();
        truncation.forget();
    }

    double stored(std::uint32_t slot, std::size_t block) const noexcept {
        return std::abs(static_cast<double>(w_.at(slot, 0, block)));
    }
    double magnitude(double stored) const noexcept { return std::abs(scale_) * stored; }
    void erase(std::uint32_t slot, std::size_t block) noexcept {
        T& u = w_.at(slot, 0, block);
        const double w = scale_ * static_cast<double>(u);
        if (track_norm_) {
            norm_error_ += kUlp * mean_norm_;
            mean_norm_ = std::max(mean_norm_ - w * w, 0.0);
        }
        if (average_.on) w_.at(slot, 1, block) += static_cast<T>(average_.scales) * u;
        u = 0;
    }

    double mean_at(std::uint32_t slot, std::size_t block) const noexcept {
        return scale_ * w_.at(slot, 0, block);
    }
    double variance_at(std::uint32_t, std::size_t) const noexcept { return 1.0; }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept {
        if (!average_.on || average_.rounds == 0) return mean_at(slot, block);
        return (average_.scales * w_.at(slot, 0, block) + w_.at(slot, 1, block)) / average_.total();
    }

    void visit(StateVisitor<T>& v) {
        v.plane("mean", w_, 0);
        if (average_.on) {
            v.plane("average", w_, 1);
            v.scalar("average_scales", average_.scales);
            v.scalar("average_rounds", average_.rounds);
        }
        v.scalar("scale", scale_);
        v.scalar("mean_norm", mean_norm_);
        v.scalar("norm_error", norm_error_);
        v.scalar("threshold", threshold_);
        scales.visit(v, w_.slots());
    }
    void loaded() {
        average_.count();
        reach_ = largest();
        truncation.forget();
    }

    static std::size_t padded(const Row<T>& row) noexcept {
        constexpr std::size_t g = Planes<T>::kVector;
        return (row.size + g - 1) / g * g;
    }

private:
    /// Whether the weights can stand as they are beside this scale; where not, it is written into them.
    ///
    /// Under a scale that rises u would fall below the normal numbers of its type, and B, the sum of scales,
    /// would leave them. With an average, B u + a cancels as the scale falls, so there it is written long
    /// before the digits are gone.
    bool stays_lazy(double scale) const noexcept {
        constexpr double largest = sizeof(T) == 4 ? 1e12 : 1e60;
        const double size = std::abs(scale);
        return size >= (average_.on ? 0.1 : 1 / largest) && size <= largest;
    }
    static constexpr double kAccuracy = sizeof(T) == 4 ? 1e-5 : 1e-10;
    static constexpr double kUlp = std::numeric_limits<double>::epsilon();

    /// |x|^2 as it counts in a step.
    [[gnu::always_inline]] double norm2(const Row<T>& row) const noexcept {
        return apart_ ? norm2_of_features(row) : row.norm2;
    }
    static std::uint32_t first_feature(const Row<T>& row) noexcept { return row.size > 0 && row.at[0] == 0; }
    /// Added up anew: small squares are lost in a sum that holds the intercept's own 1.
    [[gnu::noinline]] double norm2_of_features(const Row<T>& row) const noexcept {
        const std::uint32_t first = first_feature(row);
        return simd<T>().norm2(row.value + first, row.size - first);
    }
    /// Takes back what a step has moved the intercept too far.
    [[gnu::noinline]] void hold_intercept(const Row<T>& row, Terms terms, double du) noexcept {
        if (first_feature(row) == 0) return;
        for (const Term& term : terms) {
            const T move = static_cast<T>(lag_ * du * term.coefficient) * row.value[0];
            w_.at(0, 0, term.block) += move;
            if (average_.on) w_.at(0, 1, term.block) -= static_cast<T>(average_.scales) * move;
        }
    }

    double plane_score(const Row<T>& row, std::size_t plane) const noexcept {
        if (row.dense && w_.planes() == 1) return simd<T>().dot(w_.data(), row.value, padded(row));
        const T* w = w_.data() + plane * w_.stride();
        return simd<T>().sparse_dot(w, row.at, row.value, row.size, row.next, row.n_next);
    }
    void plane_scores(const Row<T>& row, std::size_t plane, double* out) const noexcept {
        simd<T>().lanes(w_.data() + plane * w_.stride(), row.at, row.value, row.size, w_.width(), w_.lanes(),
                        out, row.next, row.n_next);
    }

    template <class F>
    void each(const Row<T>& row, Terms terms, double factor, F&& f) noexcept {
        const std::size_t width = width_for(row, w_);
        for (const Term& term : terms) {
            T* w = w_.data() + term.block;
            const T c = static_cast<T>(factor * term.coefficient);
            for (std::uint32_t j = 0; j < row.size; ++j) f(w + row.at[j] * width, c * row.value[j]);
        }
    }

    void rescale(double keep) noexcept {
        if (keep == 0) {
            if (average_.on) fold_average();  // the sum so far must survive u = 0
            w_.each(0, [](T& u) { u = 0; });
            scale_ = 1;
            truncation.forget();
            return;
        }
        scale_ *= keep;
        if (stays_lazy(scale_)) return;
        const T factor = static_cast<T>(scale_);
        if (average_.on) fold_average();
        if (w_.planes() == 1)
            simd<T>().scale(w_.data(), factor, w_.size());
        else
            w_.each(0, [factor](T& u) { u *= factor; });
        scale_ = 1;
        truncation.forget();
    }
    /// The sum of means so far, B u + a, moves into a.
    void fold_average() noexcept {
        const T scales = static_cast<T>(average_.scales);
        for (std::uint32_t s = 0; s < w_.slots(); ++s)
            for (std::size_t b = 0; b < w_.blocks(); ++b) w_.at(s, 1, b) += scales * w_.at(s, 0, b);
        average_.scales = 0;
    }

    double norm_after(const Step& step, const Evidence& e) const noexcept {
        return step.keep * step.keep * mean_norm_ + 2 * step.keep * step.mean * e.margin +
               step.mean * step.mean * e.variance;
    }
    /// |keep mu + alpha delta|^2 from what is known; the rounding of terms that cancel is counted in
    /// `norm_error_`.
    void follow_norm(const Step& step, const Evidence& e) noexcept {
        const double kept = step.keep * step.keep * mean_norm_,
                     crossed = 2 * step.keep * step.mean * e.margin,
                     added = step.mean * step.mean * e.variance;
        mean_norm_ = std::max(kept + crossed + added, 0.0);
        // The weights themselves are rounded to T, the norm is not: what may have come between them.
        constexpr double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
        norm_error_ = step.keep * step.keep * norm_error_ + rounding * (kept + std::abs(crossed) + added);
    }
    bool norm_is_doubtful() const noexcept {
        // Measuring reads every weight, so the more there are the more updates it must serve.
        const double updates = std::max(4096.0, static_cast<double>(w_.slots() * w_.blocks()) / 4);
        return norm_error_ > updates * static_cast<double>(std::numeric_limits<T>::epsilon()) * mean_norm_;
    }
    void remeasure_norm() noexcept {
        double sum = 0, lost = 0;  // compensated, so that the error does not grow with the number of weights
        w_.each(0, [&](T u) {
            const double square = static_cast<double>(u) * static_cast<double>(u), next = sum + square;
            lost += sum >= square ? (sum - next) + square : (square - next) + sum;
            sum = next;
        });
        mean_norm_ = scale_ * scale_ * (sum + lost);
        norm_error_ = 4 * kUlp * mean_norm_;
    }
    /// sum of mu_p^2 over the weights that `row` does not touch; one block, so an address is a slot.
    double squares_beside(const Row<T>& row) const noexcept {
        double sum = 0;
        std::uint32_t j = 0;
        for (std::uint32_t s = 0; s < w_.slots(); ++s) {
            while (j < row.size && row.at[j] < s) ++j;
            if (j < row.size && row.at[j] == s) continue;
            const double mu = scale_ * static_cast<double>(w_.data()[s]);
            sum += mu * mu;
        }
        return sum;
    }
    double largest() const noexcept {
        double top = 0;
        w_.each(0, [&top](T u) { top = std::max(top, std::abs(static_cast<double>(u))); });
        return top;
    }

    Planes<T> w_;
    Averaging average_;
    double scale_ = 1.0;
    double mean_norm_ = 0.0;
    double norm_error_ = 0.0;  // an upper bound on how far mean_norm_ is from the truth
    double threshold_ = 0.0;
    double reach_ = 0.0;  // an upper bound on |u|, kept by `admits`
    bool track_norm_ = false;
    bool apart_;  // whether the intercept has no part in the variance
    double lag_;  // what its moves are a step's, less 1
};

}  // namespace onlinear::belief
