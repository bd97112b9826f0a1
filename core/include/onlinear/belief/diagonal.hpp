#pragma once
#include "onlinear/belief/scales.hpp"
#include "onlinear/constraint/truncate.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

inline constexpr std::array<const char*, 3> kProjections{"kl", "drop", "exact"};

template <class T>
class Diagonal;

struct DiagonalOptions {
    enum Projection : int { kKl, kDrop, kExact };
    int projection = kKl;
    double initial_variance = 1.0;
    double min_variance = 0.0;
    bool average = false;
    bool late = false;
    int scale = 0;
    bool center = false;

    template <class T>
    using Belief = Diagonal<T>;
    static constexpr const char* name = "Diagonal";
    static constexpr const char* doc = "A Gaussian with a diagonal covariance.";
    static constexpr rule::Metric metric = rule::Metric::gaussian;
    static constexpr Parts takes{.spread = true,
                                 .targets = true,
                                 .pairs = true,
                                 .several = true,
                                 .joint = true,
                                 .differences = true,
                                 .sentences = true};
    static constexpr auto parameters() {
        return std::tuple{
            rule::choice("projection", &DiagonalOptions::projection, kProjections,
                         "how the full update becomes a diagonal again"),
            rule::positive("initial_variance", &DiagonalOptions::initial_variance,
                           "variance of a weight of which nothing is learned yet"),
            rule::nonnegative("min_variance", &DiagonalOptions::min_variance, "least variance of a weight"),
            rule::flag("average", &DiagonalOptions::average,
                       "whether predictions use the average of all means"),
            rule::flag("late", &DiagonalOptions::late, "whether late rounds count more in the average"),
            rule::choice("scale", &DiagonalOptions::scale, kScales,
                         "what features are divided by as they come"),
            rule::flag("center", &DiagonalOptions::center, "whether features lose their means as they come")};
    }
};

/// A Gaussian with a diagonal covariance.
///
/// The full update Sigma^-1 += gain delta delta' leaves the diagonals; it is projected back:
///   kl    sigma / (1 + gain sigma delta^2): the diagonal of the inverse, nearest in KL
///   drop  sigma - beta (sigma delta)^2, beta = gain / (1 + gain v): the diagonal of the full update (L2)
///   exact the optimum among diagonals: the rule finds alpha and gain from the profile (sigma_p delta_p^2)
/// Covariance is spread * sigma, so that a rule's `spread` costs one multiplication.
/// Planes: mean, sigma, and when averaging, the a of `Averaging`.
template <class T>
class Diagonal {
public:
    using Scalar = T;
    static constexpr bool kFused = true;
    static constexpr bool kLocal = true;  // a step moves the weights of the row alone
    static constexpr bool kDirectScores = true;
    static constexpr bool kVarianceShowsFaults = true;

    using Options = DiagonalOptions;

    constraint::Truncation truncation;
    Scales<T> scales;

    Diagonal(const Options& options, std::size_t slots, std::size_t blocks, bool apart = false)
        : scales(options.scale, options.center),
          options_(options),
          w_(options.average ? 3 : 2, slots, blocks, apart),
          average_(options.average, options.late),
          floor_(static_cast<T>(
              std::max(options.min_variance, static_cast<double>(std::numeric_limits<T>::min())))),
          fresh_(std::max(static_cast<T>(options.initial_variance), floor_)),
          ceiling_(static_cast<double>(fresh_)) {
        w_.fill(1, fresh_);
    }

    Planes<T>& planes() noexcept { return w_; }
    const Planes<T>& planes() const noexcept { return w_; }
    bool exact() const noexcept { return options_.projection == Options::kExact; }
    double threshold() const noexcept { return 0.0; }
    double mean_norm() const noexcept { return 0.0; }
    double mean_scale() const noexcept { return 1.0; }
    Blend blend() const noexcept { return average_.blend(1.0, 2); }
    bool predicts_otherwise() const noexcept { return average_.on; }
    void start(double, bool) noexcept {}

    [[gnu::always_inline]] Sums look(const Row<T>& row) const noexcept {
        const Sums sums =
            row.dense && w_.planes() == 2
                ? look_dense(row)
                : simd<T>().sparse_look(w_.data(), row.at, row.value, row.size, row.next, row.n_next);
        return {sums.margin, spread_ * sums.variance};
    }

    void scores(const Row<T>& row, double* out) const noexcept {
        if (w_.single())
            out[0] = plane_score(row, 0);
        else
            plane_scores(row, 0, out);
    }

    double variance(const Row<T>& row, Terms terms) const noexcept {
        double total = 0;
        const std::size_t width = width_for(row, w_);
        if (terms.size() == 2 && terms[0].coefficient * terms[0].coefficient == 1 &&
            terms[1].coefficient * terms[1].coefficient ==
                1) {  // a class against its rival: one sweep for both
            const T *a = w_.data() + w_.stride() + terms[0].block,
                    *b = w_.data() + w_.stride() + terms[1].block;
            return spread_ * gather(row, [=](std::uint32_t at, T x) {
                       return (a[at * width] + b[at * width]) * x * x;
                   });
        }
        for (const Term& term : terms) {
            const T* w = w_.data() + w_.stride() + term.block;
            total += term.coefficient * term.coefficient *
                     gather(row, [=](std::uint32_t at, T x) { return w[at * width] * x * x; });
        }
        return spread_ * total;
    }

    /// Prefetches the variances of a row in two blocks. Always inlined, as all that only prefetches
    /// (rows/stage.hpp says why).
    [[gnu::always_inline]] void prefetch_variances(const Row<T>& row, std::uint32_t one,
                                                   std::uint32_t other) const noexcept {
        const T* const w = w_.data() + w_.stride();
        const std::size_t width = width_for(row, w_);
        for (std::uint32_t j = 0; j < row.size; ++j) {
            __builtin_prefetch(w + row.at[j] * width + one, 1);
            __builtin_prefetch(w + row.at[j] * width + other, 1);
        }
    }

    void predict(const Row<T>& row, double* out, double* scratch) const noexcept {
        scores(row, out);
        if (!average_.on || average_.rounds == 0) return;
        if (w_.single())
            scratch[0] = plane_score(row, 2);
        else
            plane_scores(row, 2, scratch);
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            out[b] = (average_.scales * out[b] + scratch[b]) / average_.total();
    }

    void variances(const Row<T>& row, double* out) const noexcept {
        if (w_.single()) {
            out[0] = look(row).variance;
            return;
        }
        simd<T>().lanes_squared(w_.data() + w_.stride(), row.at, row.value, row.size, w_.width(), w_.lanes(),
                                out);
        for (std::size_t b = 0; b < w_.blocks(); ++b) out[b] *= spread_;
    }

    /// The numbers q_p = sigma_p delta_p^2 > 0, for rules that solve the diagonal problem exactly.
    std::span<const double> profile(const Row<T>& row, Terms terms) {
        together();
        profile_.clear();
        const std::size_t width = width_for(row, w_);
        for (const Term& term : terms) {
            const T* w = w_.data() + w_.stride() + term.block;
            for (std::uint32_t j = 0; j < row.size; ++j) {
                const double delta = term.coefficient * static_cast<double>(row.value[j]);
                const double q = spread_ * static_cast<double>(w[row.at[j] * width]) * delta * delta;
                if (q > 0) profile_.push_back(q);
            }
        }
        return profile_;
    }

    /// Whether no variance would leave the numbers of its type.
    bool holds_variances(const Step& step, const Evidence&) const noexcept {
        return step.spread * ceiling_ * spread_ < kReach<T>;
    }

    /// Whether no weight would leave the numbers of its type.
    [[gnu::always_inline]] bool admits(const Step& step, const Evidence& e) noexcept {
        // sigma_p |delta_p| <= sqrt(sigma_p) sqrt(v) bounds what one weight can move; first without a root,
        // sqrt(u) <= (1 + u) / 2.
        const double size = std::abs(step.mean), ceiling = ceiling_ * spread_;
        const double reach = reach_ + size * (0.5 + 0.5 * ceiling * e.variance);
        const bool fits = (step.spread * ceiling < kReach<T>)&(size * spread_ < kReach<T>)&(
            step.precision * spread_ < kReach<T>)&(reach * stretch() < kReach<T>);
        if (fits) [[likely]] {
            reach_ = reach;
            return true;
        }
        return admits_measured(step, e);
    }

    [[gnu::always_inline]] void apply(const Row<T>& row, Terms terms, const Step& step,
                                      const Evidence& e) noexcept {
        const bool drop = options_.projection == Options::kDrop;
        // beta = gain / (1 + gain v) as the belief needs it on the unspread sigma.
        const double gain = step.precision * spread_;
        const double reduction = 1 + step.precision * e.variance;
        const T floor = stored_floor();
        if (w_.single() && w_.planes() == 2 && step.power == 1) {
            // The next row waits for these two numbers, so all that is known before them is multiplied first.
            const double y = terms[0].coefficient, most = gain * (y * y);
            const T move = static_cast<T>(step.mean * (spread_ * y));
            const T shrink = static_cast<T>(drop ? most / reduction : most);
            const Simd<T>& wide = simd<T>();
            if (row.dense && lie_apart())
                (drop ? wide.apart_drop : wide.apart_kl)(apart_means(), apart_variances(), row.value, move,
                                                         shrink, floor, padded(row));
            else if (row.dense)
                (drop ? wide.pair_drop : wide.pair_kl)(w_.data(), row.value, move, shrink, floor,
                                                       padded(row));
            else
                (drop ? wide.sparse_drop : wide.sparse_kl)(w_.data(), row.at, row.value, move, shrink, floor,
                                                           row.size);
        } else if (w_.single()) {
            together();
            apply_terms<true>(row, terms, step.power, step.mean * spread_, gain, gain / reduction, floor);
        } else {
            apply_terms<false>(row, terms, step.power, step.mean * spread_, gain, gain / reduction, floor);
        }
        if (step.spread != 1) spread_out(step.spread);
    }

    /// Applies a step whose numbers T cannot hold, in float64 and with an infinite gain where it comes to
    /// that; false, with nothing done, where a mean would leave the numbers of its type.
    bool apply_far(const Row<T>& row, Terms terms, const Step& step, const Evidence& e) noexcept {
        constexpr double kMost = std::numeric_limits<double>::max();
        if (std::isnan(step.mean) || !(step.precision >= 0) || step.spread != 1 || step.power != 1)
            return false;
        together();
        const double alpha = std::clamp(step.mean, -kMost, kMost) * spread_;
        const double rest = 1 / step.precision + e.variance;  // whose inverse is beta
        bool fits = true;
        each_far(row, terms, [&](const T& mean, const T& sigma, const T&, double delta) {
            const double moved = static_cast<double>(mean) + alpha * (static_cast<double>(sigma) * delta);
            fits &= std::abs(moved) * stretch() < kReach<T>;
            reach_ = fits ? std::max(reach_, std::abs(moved)) : reach_;
        });
        if (!fits) return false;
        each_far(row, terms, [&](T& mean, T& sigma, T& average, double delta) {
            const double move = alpha * (static_cast<double>(sigma) * delta);
            const double q = spread_ * static_cast<double>(sigma) * delta * delta;
            mean = static_cast<T>(static_cast<double>(mean) + move);
            if (average_.on) average = static_cast<T>(static_cast<double>(average) - average_.scales * move);
            if (q == 0 || step.precision == 0) return;
            const double kept =
                options_.projection == Options::kDrop ? 1 - q / rest : 1 / (1 + step.precision * q);
            sigma = std::max(static_cast<T>(static_cast<double>(sigma) * kept), stored_floor());
        });
        return true;
    }

    void tick() noexcept {
        if (average_.on && average_.tick(1.0))
            w_.each(2, [](T& a) { a /= static_cast<T>(Averaging::kFold); });
    }

    /// Takes means and variances apart for as long as dense rows are learned: vectors of each need no
    /// shuffling. Until `together`, nothing may be asked but what rows of two classes ask.
    void part() {
        if (!w_.single() || w_.planes() != 2 || truncation.on()) return;
        apart_ = BigArray<T>(2 * w_.capacity());
        const T* pairs = w_.data();
        T *mean = apart_means(), *variance = apart_variances();
        for (std::size_t i = 0; i < w_.capacity(); ++i) {
            mean[i] = pairs[2 * i];
            variance[i] = pairs[2 * i + 1];
        }
    }
    void together() noexcept {
        if (!lie_apart()) return;
        T* pairs = w_.data();
        const T *mean = apart_means(), *variance = apart_variances();
        for (std::size_t i = 0; i < w_.capacity(); ++i) {
            pairs[2 * i] = mean[i];
            pairs[2 * i + 1] = variance[i];
        }
        apart_ = BigArray<T>();
    }

    void grow(std::size_t slots, std::size_t blocks) {
        w_.grow(slots, blocks, 1, fresh_);
        scales.grow(slots);
    }

    T& number(std::uint32_t slot, std::size_t plane, std::size_t block) noexcept {
        if (lie_apart()) return plane == 0 ? apart_means()[slot] : apart_variances()[slot];
        return w_.at(slot, plane, block);
    }
    bool untouched(std::uint32_t slot) noexcept {
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            if (number(slot, 0, b) != 0 || number(slot, 1, b) != fresh_) return false;
        return true;
    }
    /// The scale s of a feature has become 1 / `ratio` of what it was. Of its precision only the prior's
    /// share changes, s^2 / a, and what was learned stays, as does the sum of the demands, precision times
    /// mean. Held are s w and the variance of that; the average is of what was held.
    void restate(std::uint32_t slot, double ratio) noexcept {
        const double prior = static_cast<double>(fresh_), most = kReach<T> / 1e3 / stretch();
        for (std::size_t b = 0; b < w_.blocks(); ++b) {
            T& sigma = number(slot, 1, b);
            const double before = static_cast<double>(sigma);
            const double learned = std::max(1 / before - 1 / prior, 0.0) * (ratio * ratio);
            const double kept = 1 / (1 / prior + learned);
            const double after = ratio > 1 ? kept : std::max(kept, before);
            const double factor = ratio * (after / before);
            sigma = std::max(static_cast<T>(after), stored_floor());
            T& mean = number(slot, 0, b);
            const double held = static_cast<double>(mean), moved = factor * held;
            if (!(std::abs(moved) < most)) continue;  // so sure a weight is not restated past its numbers
            mean = static_cast<T>(moved);
            if (average_.on) number(slot, 2, b) += static_cast<T>(average_.scales * (held - moved));
            reach_ = std::max(reach_, std::abs(moved));
        }
        truncation.forget();
    }
    Norm norm() const noexcept { return {}; }
    void set_norm(const Norm&) noexcept {}

    /// Blocks -w/2 and +w/2; half the variance each, so that the margin between them keeps its own.
    ///
    /// The floor is under the variance of every weight, whatever block it is in, so it does not halve: where
    /// a variance stands on the floor, the margin between the blocks becomes less sure than it was.
    void split() {
        const T floor = stored_floor();
        fresh_ = std::max(fresh_ / 2, floor);  // what comes later is as if it had been there
        Planes<T> two = w_.reshaped(w_.slots(), 2);
        for (std::uint32_t s = 0; s < w_.slots(); ++s) {
            for (std::size_t p = 0; p < w_.planes(); ++p) {
                const T half = p == 1 ? std::max(w_.at(s, p, 0) / 2, floor) : w_.at(s, p, 0) / 2;
                two.put_two(s, p, p == 1 ? half : -half, half, p == 1 ? fresh_ : T{0});
            }
        }
        two.set_start(fresh_);
        w_ = std::move(two);
        truncation.forget();
    }

    template <class In>
    void set_mean(const In* values) {
        w_.write(0, values);
        remeasure();
    }
    void remeasure() {
        reach_ = largest();
        truncation.forget();
    }

    double stored(std::uint32_t slot, std::size_t block) const noexcept {
        return std::abs(mean_at(slot, block));
    }
    double magnitude(double stored) const noexcept { return stored; }
    void erase(std::uint32_t slot, std::size_t block) noexcept {
        if (average_.on) w_.at(slot, 2, block) += static_cast<T>(average_.scales) * w_.at(slot, 0, block);
        w_.at(slot, 0, block) = 0;
    }

    /// Multiplies every variance by `factor` (greater than 1: forget some of what is known).
    void spread_out(double factor) noexcept {
        spread_ *= factor;
        if (spread_ < kMostSpread && spread_ > 1 / kMostSpread) return;
        together();
        const double widest = widest_variance<T>(std::max(options_.initial_variance, options_.min_variance));
        const T f = static_cast<T>(spread_), low = floor_, high = static_cast<T>(widest);
        w_.each(1, [=](T& s) { s = std::clamp(s * f, low, high); });
        fresh_ = std::clamp(fresh_ * f, low, high);
        ceiling_ = std::min(ceiling_ * spread_, widest);
        spread_ = 1;
    }

    /// Lets every variance grow a share of the way back to what it is before any learning.
    void inflate(double share) noexcept {
        const T gain = static_cast<T>(share) * fresh_, keep = static_cast<T>(1 - share);
        const T floor = stored_floor();
        w_.each(1, [=](T& s) { s = std::max(keep * s + gain, floor); });
    }

    double mean_at(std::uint32_t slot, std::size_t block) const noexcept { return w_.at(slot, 0, block); }
    double variance_at(std::uint32_t slot, std::size_t block) const noexcept {
        return spread_ * w_.at(slot, 1, block);
    }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept {
        if (!average_.on || average_.rounds == 0) return mean_at(slot, block);
        return (average_.scales * w_.at(slot, 0, block) + w_.at(slot, 2, block)) / average_.total();
    }

    void visit(StateVisitor<T>& v) {
        v.plane("mean", w_, 0);
        v.plane("variance", w_, 1);
        if (average_.on) {
            v.plane("average", w_, 2);
            v.scalar("average_scales", average_.scales);
            v.scalar("average_rounds", average_.rounds);
        }
        v.scalar("spread", spread_);
        double fresh = static_cast<double>(fresh_);
        v.scalar("fresh_variance", fresh);
        fresh_ = static_cast<T>(fresh);
        scales.visit(v, w_.slots());
    }
    void loaded() {
        average_.count();
        need_fresh(fresh_);
        if (!(spread_ > 0)) throw std::invalid_argument("state 'spread' must be positive");
        remeasure();
        measure_ceiling();
    }

private:
    /// The same with means and variances looked at: what was only bounded may be far smaller.
    [[gnu::noinline]] bool admits_measured(const Step& step, const Evidence& e) noexcept {
        together();
        measure_ceiling();
        const double size = std::abs(step.mean), ceiling = ceiling_ * spread_;
        if (!holds_variances(step, e)) return false;
        if (!(std::max(size, step.precision) * spread_ < kReach<T>)) return false;
        const double reach = largest() + size * std::sqrt(ceiling * e.variance);
        if (!(reach * stretch() < kReach<T>)) return false;
        reach_ = reach;
        return true;
    }
    double stretch() const noexcept { return average_.on ? 1 + average_.scales : 1; }

    /// The floor under sigma before spreading; the stored number must be a normal one, too.
    T stored_floor() const noexcept {
        if (spread_ == 1) return floor_;
        return std::max(static_cast<T>(floor_ / spread_), std::numeric_limits<T>::min());
    }

    static std::size_t padded(const Row<T>& row) noexcept {
        constexpr std::size_t g = Planes<T>::kVector;
        return (row.size + g - 1) / g * g;
    }

    bool lie_apart() const noexcept { return apart_.size() != 0; }
    T* apart_means() noexcept { return apart_.data(); }
    T* apart_variances() noexcept { return apart_.data() + w_.capacity(); }

    [[gnu::always_inline]] Sums look_dense(const Row<T>& row) const noexcept {
        if (!lie_apart()) return simd<T>().pair_look(w_.data(), row.value, padded(row));
        return simd<T>().apart_look(apart_.data(), apart_.data() + w_.capacity(), row.value, padded(row));
    }

    double plane_score(const Row<T>& row, std::size_t plane) const noexcept {
        if (row.dense && w_.planes() == 2 && plane == 0) return look_dense(row).margin;
        const T* w = w_.data() + plane * w_.stride();
        return gather(row, [w](std::uint32_t at, T x) { return w[at] * x; });
    }
    void plane_scores(const Row<T>& row, std::size_t plane, double* out) const noexcept {
        simd<T>().lanes(w_.data() + plane * w_.stride(), row.at, row.value, row.size, w_.width(), w_.lanes(),
                        out, row.next, row.n_next);
    }

    template <bool kSingle>
    void apply_terms(const Row<T>& row, Terms terms, int power, double a, double gain, double beta,
                     T floor) noexcept {
        const bool drop = options_.projection == Options::kDrop;
        for (const Term& term : terms) {
            const T c = static_cast<T>(term.coefficient), alpha = static_cast<T>(a);
            const T b = static_cast<T>(beta), g = static_cast<T>(gain);
            if (average_.on) {
                const T lag = static_cast<T>(-average_.scales);
                sweep<kSingle>(row, term, [=](T* mean, T* sigma, T* average, T x) {
                    const T delta = c * x, z = *sigma * delta, move = alpha * z;
                    *mean += move;
                    *average += lag * move;
                    *sigma = shrunk(drop, power, *sigma, z, delta, b, g, floor);
                });
            } else if (drop) {
                sweep<kSingle>(row, term, [=](T* mean, T* sigma, T*, T x) {
                    const T z = *sigma * (c * x);
                    *mean += alpha * z;
                    *sigma = std::max(*sigma - b * z * z, floor);
                });
            } else if (power == 1) {
                sweep<kSingle>(row, term, [=](T* mean, T* sigma, T*, T x) {
                    const T delta = c * x, z = *sigma * delta;
                    *mean += alpha * z;
                    *sigma = std::max(*sigma / (1 + g * z * delta), floor);
                });
            } else {
                sweep<kSingle>(row, term, [=](T* mean, T* sigma, T*, T x) {
                    const T delta = c * x, z = *sigma * delta;
                    *mean += alpha * z;
                    *sigma = shrunk(false, power, *sigma, z, delta, b, g, floor);
                });
            }
        }
    }

    static T shrunk(bool drop, int power, T sigma, T z, T delta, T b, T g, T floor) noexcept {
        if (drop) return std::max(sigma - b * z * z, floor);
        const T denominator = 1 + g * z * delta;
        return std::max(power == 2 ? sigma / denominator / denominator : sigma / denominator, floor);
    }

    template <bool kSingle, class F>
    void sweep(const Row<T>& row, const Term& term, F&& f) noexcept {
        const std::size_t width = kSingle ? 1 : width_for(row, w_);
        const std::size_t stride = kSingle ? 1 : w_.stride();
        T* base = w_.data() + term.block;
        for (std::uint32_t j = 0; j < row.size; ++j) {
            T* w = base + row.at[j] * width;
            f(w, w + stride, w + 2 * stride, row.value[j]);
        }
    }

    /// Calls f(mean, sigma, average, delta) for every weight of a row in every term.
    template <class F>
    void each_far(const Row<T>& row, Terms terms, F&& f) noexcept {
        T none{};
        for (const Term& term : terms) {
            const auto one = [&](T* mean, T* sigma, T* average, T x) {
                f(*mean, *sigma, average_.on ? *average : none, term.coefficient * static_cast<double>(x));
            };
            w_.single() ? sweep<true>(row, term, one) : sweep<false>(row, term, one);
        }
    }

    void measure_ceiling() noexcept {
        ceiling_ = static_cast<double>(std::max(fresh_, stored_floor()));
        w_.each(1, [this](T s) { ceiling_ = std::max(ceiling_, static_cast<double>(s)); });
    }
    double largest() const noexcept {
        double top = 0;
        w_.each(0, [&top](T u) { top = std::max(top, std::abs(static_cast<double>(u))); });
        return top;
    }

    Options options_;
    Planes<T> w_;
    Averaging average_;
    T floor_;
    T fresh_;         // sigma of a weight nothing has been learned about: what a new one starts from
    double ceiling_;  // an upper bound on sigma before spreading
    double spread_ = 1.0;
    double reach_ = 0.0;  // an upper bound on |mean|
    std::vector<double> profile_;
    BigArray<T> apart_;  // the means, then the variances, while they lie apart
};

}  // namespace onlinear::belief
