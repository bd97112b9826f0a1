#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/constraint/truncate.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

template <class T>
class L1Ball;

struct L1BallOptions {
    bool average = false;

    template <class T>
    using Belief = L1Ball<T>;
    static constexpr const char* name = "L1Ball";
    static constexpr const char* doc = "A mean kept inside the L1 ball whose radius the rule brings.";
    static constexpr rule::Metric metric = rule::Metric::mean;
    static constexpr Parts takes{
        .l1_ball = true, .targets = true, .pairs = true, .differences = true, .sentences = true};
    static constexpr Parts needs{.l1_ball = true};
    static constexpr auto parameters() {
        return std::tuple{rule::flag("average", &L1BallOptions::average,
                                     "whether predictions use the average of all means")};
    }
};

/// A mean kept inside an L1 ball, whose radius the rule brings.
///
/// A step asks for a margin; the belief goes to the nearest point of the ball that has it. By the problem's
/// conditions that point is soft(mu + tau delta, lambda): every weight outside the row falls by the same
/// lambda towards zero. So the ball is kept without touching them:
///
///   stored   u_p = sign(mu_p) (|mu_p| + shift) for a non-zero weight, 0 for a zero one
///   meaning  mu_p = sign(u_p) max(0, |u_p| - shift)
///
/// A fall by lambda is `shift += lambda`. What the weights outside the row add to the problem is their count
/// and their sum, less those that reach zero, which are the least |u_p|. These stand in `near_`, the rest in
/// `far_`, neither in order: a row's weights are appended, a step scans `near_`, and when the shift has
/// passed all of it the least of `far_` are fetched. With `near_` about the root of `far_` in size both cost
/// little for each weight that dies, and a weight dies once for every time it was born. (A heap spends its
/// time on the seventy or so births and deaths of an ordinary row: twice as slow.) Sums over weights that die
/// are kept in fixed point, so that they do not depend on the order in which the weights happen to stand, and
/// a model that was saved goes on bit for bit.
///
/// When shift passes the radius the stored numbers are written anew, which keeps their precision; by then
/// every weight that was there at the last writing and not touched since has died, so this too is paid for by
/// births.
///
/// The sum of a weight over all rounds is a_p + B u_p - sign(u_p) S, with B the rounds and S the sum of their
/// shifts: a round changes B and S alone, and a weight that is written keeps its sum through a_p.
/// Planes: u, and when averaging, a.
template <class T>
class L1Ball {
public:
    using Scalar = T;
    using Options = L1BallOptions;
    static constexpr bool kFused = true;
    static constexpr bool kLocal = true;  // order among the weights outside the row never changes

    constraint::Truncation truncation;

    L1Ball(const Options& options, std::size_t slots, std::size_t blocks, bool apart = false)
        : w_(options.average ? 2 : 1, slots, blocks, apart), average_(options.average) {}

    Planes<T>& planes() noexcept { return w_; }
    const Planes<T>& planes() const noexcept { return w_; }
    double threshold() const noexcept { return 0.0; }
    double mean_norm() const noexcept { return 0.0; }
    Blend held() const noexcept { return {.shift = shift_}; }
    Blend blend() const noexcept {
        if (!average_ || rounds_ == 0) return held();
        return {.first = 1, .second = 1 / rounds_, .other = 1, .shift = shifts_ / rounds_};
    }
    bool predicts_otherwise() const noexcept { return average_; }
    void start(double, bool) noexcept {}
    void confine(double radius) noexcept { radius_ = radius; }

    Sums look(const Row<T>& row) const noexcept { return {single_score(row), row.norm2}; }

    void scores(const Row<T>& row, double* out) const noexcept {
        if (w_.single()) {
            out[0] = single_score(row);
            return;
        }
        std::fill_n(out, w_.blocks(), 0.0);
        const std::size_t width = w_.width();
        for (std::uint32_t j = 0; j < row.size; ++j) {
            const T* w = w_.data() + row.at[j] * width;
            const T x = row.value[j];
            for (std::size_t b = 0; b < w_.blocks(); ++b) out[b] += static_cast<double>(value(w[b]) * x);
        }
    }
    void predict(const Row<T>& row, double* out, double*) const noexcept {
        if (!average_ || rounds_ == 0) return scores(row, out);
        std::fill_n(out, w_.blocks(), 0.0);
        for (std::uint32_t j = 0; j < row.size; ++j)
            for (std::size_t b = 0; b < w_.blocks(); ++b)
                out[b] += average_of(row.at[j] * w_.width() + b) * static_cast<double>(row.value[j]);
    }
    double variance(const Row<T>& row, Terms terms) const noexcept { return squared(terms) * row.norm2; }
    void variances(const Row<T>& row, double* out) const noexcept {
        std::fill_n(out, w_.blocks(), row.norm2);
    }

    /// Every weight is at most the radius, and the stored ones at most twice that.
    bool admits(const Step&, const Evidence&) noexcept { return radius_ < kReach<T> / 4; }

    void apply(const Row<T>& row, Terms terms, const Step& step, const Evidence& e) {
        if (!known_) gather();
        const double target = e.margin + step.mean * e.variance;
        const double top = lift(row, terms);
        if (radius_ * top <= target) {
            corner(top);
        } else if (norm_ + touched_norm(step.mean) <= radius_) {
            put(step.mean, 0.0);
        } else {
            const Point found = solve(step.mean, target);
            sink(found.lambda);
            put(found.tau, found.lambda);
        }
        if (shift_ > radius_) rewrite();
        if (static_cast<double>(far_.size()) > 2 * count_ + 1024) filter(far_);
    }

    void tick() noexcept {
        rounds_ += 1;
        shifts_ += shift_;
    }
    void grow(std::size_t slots, std::size_t blocks) {
        if (slots <= w_.slots() && blocks <= w_.blocks()) return;
        w_.grow(slots, blocks, w_.planes(), T{0});
        known_ = false;
    }
    /// Blocks -w/2 and +w/2; the norm is the same.
    void split() {
        Planes<T> two = w_.reshaped(w_.slots(), 2);
        for (std::uint32_t s = 0; s < w_.slots(); ++s) {
            set(w_.offset(s, 0, 0), value(w_.at(s, 0, 0)));
            for (std::size_t p = 0; p < w_.planes(); ++p) {
                const T half = w_.at(s, p, 0) / 2;
                two.at(s, p, 0) = -half;
                two.at(s, p, 1) = half;
            }
            if (average_)  // a weight's sign counts whole, also that of half a weight
                for (std::size_t b = 0; b < 2; ++b)
                    two.at(s, 1, b) += static_cast<T>(shifts_ / 2 * sign(two.at(s, 0, b)));
        }
        w_ = std::move(two);
        shift_ = 0;
        remeasure();
    }
    template <class In>
    void set_mean(const In* values) {
        for (std::size_t b = 0; b < w_.blocks(); ++b)
            for (std::uint32_t s = 0; s < w_.slots(); ++s) set(w_.offset(s, 0, b), static_cast<T>(*values++));
        shift_ = 0;
        remeasure();
    }
    void remeasure() {
        norm_ = 0;
        w_.each(0, [this](T u) { norm_ += std::abs(static_cast<double>(value(u))); });
        known_ = false;
        truncation.forget();
    }

    /// Where the weights that are not zero lie; some may be named twice, some named may be zero by now.
    std::vector<std::size_t> weights() {
        if (!known_) gather();
        std::vector<std::size_t> out;
        for (const auto* some : {&near_, &far_})
            for (const Entry& e : *some) out.push_back(e.at);
        return out;
    }
    double stored(std::uint32_t slot, std::size_t block) const noexcept {
        return std::abs(static_cast<double>(w_.at(slot, 0, block)));
    }
    double magnitude(double stored) const noexcept { return std::max(stored - shift_, 0.0); }
    void erase(std::uint32_t slot, std::size_t block) noexcept {
        const std::size_t at = w_.offset(slot, 0, block);
        count_ -= 1;
        lose_norm(std::abs(static_cast<double>(w_.data()[at])) - shift_);
        set(at, T{0});
    }

    double mean_at(std::uint32_t slot, std::size_t block) const noexcept {
        return static_cast<double>(value(w_.at(slot, 0, block)));
    }
    double variance_at(std::uint32_t, std::size_t) const noexcept { return 1.0; }
    double average_at(std::uint32_t slot, std::size_t block) const noexcept {
        return average_ && rounds_ > 0 ? average_of(w_.offset(slot, 0, block)) : mean_at(slot, block);
    }

    void visit(StateVisitor<T>& v) {
        v.plane("mean", w_, 0);
        if (average_) {
            v.plane("average", w_, 1);
            v.scalar("average_rounds", rounds_);
            v.scalar("average_shifts", shifts_);
        }
        v.scalar("shift", shift_);
        v.scalar("norm", norm_);
    }
    void loaded() {
        if (!(shift_ >= 0 && norm_ >= 0 && rounds_ >= 0 && shifts_ >= 0))
            throw std::invalid_argument("state 'shift', 'norm' and the sums of rounds must not be negative");
        known_ = false;
        truncation.forget();
    }

private:
    struct Entry {
        T key;  // |u|
        std::size_t at;
    };
    /// A weight of the row: taken out of the state while its step is decided.
    struct Touched {
        std::size_t at;
        double weight, delta;
        signed char side;  // its sign in the last look, 0 when under the threshold
    };
    struct Point {
        double tau, lambda;
    };
    /// Sums over the weights above the threshold at some (tau, lambda).
    struct Look {
        double gg = 0, gs = 0, gp = 0, sp = 0,
               touched = 0;              // of the row: delta^2, s delta, delta mu, s mu, count
        double rest = 0, rest_norm = 0;  // outside it: count and sum of |mu|
        bool changed = false;            // other weights than in the look before
        double margin(const Point& p) const noexcept { return gp + p.tau * gg - p.lambda * gs; }
        double norm(const Point& p) const noexcept {
            return sp + p.tau * gs - p.lambda * touched + rest_norm - p.lambda * rest;
        }
    };

    /// sign(u) max(0, |u| - shift), without a branch.
    static T lowered(T u, T shift) noexcept { return u - std::min(std::max(u, -shift), shift); }
    T value(T u) const noexcept { return lowered(u, static_cast<T>(shift_)); }
    static double sign(T u) noexcept { return u > 0 ? 1.0 : u < 0 ? -1.0 : 0.0; }
    double average_of(std::size_t at) const noexcept {
        const T u = w_.data()[at];
        return (static_cast<double>(w_.data()[at + w_.stride()]) + rounds_ * static_cast<double>(u) -
                sign(u) * shifts_) /
               rounds_;
    }
    /// Writes a stored number; its sum over the rounds so far stays.
    void set(std::size_t at, T to) noexcept {
        T& u = w_.data()[at];
        if (average_)
            w_.data()[at + w_.stride()] +=
                static_cast<T>(rounds_ * (static_cast<double>(u) - static_cast<double>(to)) -
                               shifts_ * (sign(u) - sign(to)));
        u = to;
    }
    double single_score(const Row<T>& row) const noexcept {
        const T* w = w_.data();
        const T shift = static_cast<T>(shift_);
        return gather_row(row, w, shift);
    }
    static double gather_row(const Row<T>& row, const T* w, T shift) noexcept {
        return belief::gather(row, [w, shift](std::uint32_t at, T x) { return lowered(w[at], shift) * x; });
    }

    /// Takes the row's weights out of the state; gives the largest |delta_p|.
    double lift(const Row<T>& row, Terms terms) {
        touched_.clear();
        double top = 0;
        const std::size_t width = width_for(row, w_);
        for (const Term& term : terms)
            for (std::uint32_t j = 0; j < row.size; ++j) {
                const double delta = term.coefficient * static_cast<double>(row.value[j]);
                if (delta == 0) continue;
                const std::size_t at = row.at[j] * width + term.block;
                const T u = w_.data()[at];
                const double weight = static_cast<double>(value(u));
                if (u != 0) {
                    count_ -= 1;
                    lose_norm(std::abs(weight));
                    set(at, T{0});
                }
                touched_.push_back({at, weight, delta, 0});
                top = std::max(top, std::abs(delta));
            }
        return top;
    }
    /// Takes a weight out of the norm. Rounding must not leave it negative, nor leave something of no
    /// weights.
    void lose_norm(double size) noexcept { norm_ = count_ == 0 ? 0.0 : std::max(norm_ - size, 0.0); }
    double touched_norm(double tau) const noexcept {
        double sum = 0;
        for (const Touched& t : touched_) sum += std::abs(t.weight + tau * t.delta);
        return sum;
    }

    /// Writes soft(mu + tau delta, lambda) for the row.
    void put(double tau, double lambda) {
        for (const Touched& t : touched_) {
            const double moved = t.weight + tau * t.delta;
            place(t.at, moved, std::abs(moved) - lambda);
        }
    }
    void place(std::size_t at, double side, double size) {
        if (!(size > 0)) return;
        const T raised = static_cast<T>(size + shift_);
        const double kept = static_cast<double>(raised) - shift_;
        if (!(kept > 0)) return;
        set(at, std::copysign(raised, static_cast<T>(side)));
        norm_ += kept;
        count_ += 1;
        (static_cast<double>(raised) < horizon_ ? near_ : far_).push_back({raised, at});
    }

    /// No point of the ball has the margin: the one that comes nearest, spread over the largest |delta_p|.
    void corner(double top) {
        for (auto* some : {&near_, &far_}) {
            for (const Entry& e : *some) set(e.at, T{0});
            some->clear();
        }
        norm_ = count_ = shift_ = horizon_ = 0;
        double largest = 0;
        for (const Touched& t : touched_) largest += std::abs(t.delta) == top;
        for (const Touched& t : touched_)
            if (std::abs(t.delta) == top) place(t.at, t.delta, radius_ / largest);
        truncation.forget();
    }

    /// tau and lambda with the margin and the norm both met: Newton's method on the pair.
    ///
    /// Both are linear in (tau, lambda) as long as the same weights are above the threshold, so a step that
    /// finds the weights it started from has found the solution, exactly.
    Point solve(double tau, double target) {
        scout();
        Point p{tau, 0.0};
        Look seen = look(p);
        for (int round = 0; round < 60; ++round) {
            const Point next = step(seen, target);
            if (!std::isfinite(next.tau) || !std::isfinite(next.lambda)) break;
            p = {std::max(next.tau, 0.0), std::max(next.lambda, 0.0)};
            seen = look(p);
            if (!seen.changed && p.tau == next.tau && p.lambda == next.lambda) return p;
        }
        return search(target);
    }

    /// The point the weights of a look agree on.
    Point step(const Look& l, double target) const noexcept {
        const double n = l.touched + l.rest;
        const double determinant = l.gg * n - l.gs * l.gs;
        const double a = target - l.gp, b = radius_ - l.sp - l.rest_norm;
        // gg tau - gs lambda = a, gs tau - n lambda = b
        if (!(determinant > 1e-14 * l.gg * n)) return {std::nan(""), 0};
        return {(n * a - l.gs * b) / determinant, (l.gs * a - l.gg * b) / determinant};
    }

    /// The slow sure way, should Newton's method go round in circles: lambda(tau) by its own monotone Newton
    /// steps, tau by bisection (the margin never falls with tau), and one joint step at the end.
    Point search(double target) {
        const auto threshold = [this](double tau) {
            Point p{tau, 0.0};
            for (int round = 0; round < 200; ++round) {
                const Look l = look(p);
                const double over = l.norm(p) - radius_;
                if (!(over > 0) || l.touched + l.rest == 0) break;
                const double next = p.lambda + over / (l.touched + l.rest);
                if (!(next > p.lambda)) break;
                p.lambda = next;
            }
            return p;
        };
        const auto margin = [&](double tau) {
            const Point p = threshold(tau);
            return look(p).margin(p);
        };
        double low = 0, high = 1;
        while (margin(high) < target && high < 1e150) high *= 2;
        for (int round = 0; round < 200; ++round) {
            const double middle = low + (high - low) / 2;
            if (middle <= low || middle >= high) break;
            (margin(middle) < target ? low : high) = middle;
        }
        Point p = threshold(high);
        const Look seen = look(p);
        const Point polished = step(seen, target);
        if (polished.tau >= 0 && polished.lambda >= 0 && !look(polished).changed) p = polished;
        look(p);
        return p;
    }

    Look look(const Point& p) {
        Look out;
        for (Touched& t : touched_) {
            const double moved = t.weight + p.tau * t.delta;
            const auto side = static_cast<signed char>(moved > p.lambda ? 1 : moved < -p.lambda ? -1 : 0);
            out.changed |= side != t.side;
            t.side = side;
            if (side == 0) continue;
            out.gg += t.delta * t.delta;
            out.gs += side * t.delta;
            out.gp += t.delta * t.weight;
            out.sp += side * t.weight;
            out.touched += 1;
        }
        out.changed |= sound(p.lambda);
        out.rest = count_ - static_cast<double>(dead_);
        out.rest_norm = norm_ - dead_norm_;
        return out;
    }

    /// Counts the weights outside the row that a fall by lambda would end; gives whether the count changed.
    bool sound(double lambda) {
        if (shift_ + lambda >= horizon_) fetch(shift_ + lambda);
        const Counted dead = simd<double>().count_below(gaps_.data(), fixed_.data(), gaps_.size(), lambda);
        const bool changed = dead.count != dead_;
        dead_ = dead.count;
        dead_norm_ = static_cast<double>(dead.sum) / fixed_scale();
        return changed;
    }
    /// Sums of up to 2^22 weights of at most the radius fit in 63 bits.
    double fixed_scale() const noexcept { return 1099511627776.0 / radius_; }

    /// Gets `near_` ready for a step: what is stale goes, and it is neither too large nor behind the shift.
    void scout() {
        filter(near_);
        const std::size_t fit = fitting();
        if (near_.size() > 4 * fit) {
            std::nth_element(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(fit), near_.end(),
                             lesser);
            horizon_ = static_cast<double>(near_[fit].key);
            part(near_, far_, false);
        }
        gaps_.clear();
        fixed_.clear();
        for (const Entry& e : near_) measure(e);
        dead_ = 0;
        dead_norm_ = 0;
    }
    void measure(const Entry& e) {
        const double gap = static_cast<double>(e.key) - shift_;
        gaps_.push_back(gap);
        fixed_.push_back(static_cast<std::int64_t>(std::max(gap, 0.0) * fixed_scale()));
    }
    std::size_t fitting() const noexcept {
        return std::max<std::size_t>(256, static_cast<std::size_t>(5 * std::sqrt(count_)));
    }
    static bool lesser(const Entry& a, const Entry& b) noexcept { return a.key < b.key; }

    /// Fetches the least of `far_`, at least those up to `level`.
    void fetch(double level) {
        filter(far_);
        const std::size_t fit = fitting();
        if (far_.size() <= fit) {
            horizon_ = std::numeric_limits<double>::infinity();
        } else {
            std::nth_element(far_.begin(), far_.begin() + static_cast<std::ptrdiff_t>(fit), far_.end(),
                             lesser);
            horizon_ = std::max(static_cast<double>(far_[fit].key), std::nextafter(level, radius_ * 4));
        }
        const std::size_t before = near_.size();
        part(far_, near_, true);
        for (std::size_t i = before; i < near_.size(); ++i) measure(near_[i]);
    }
    /// Moves the entries below the horizon (or those not below it) from one list to the other.
    void part(std::vector<Entry>& from, std::vector<Entry>& to, bool below) {
        std::size_t kept = 0;
        for (const Entry& e : from) {
            if ((static_cast<double>(e.key) < horizon_) == below)
                to.push_back(e);
            else
                from[kept++] = e;
        }
        from.resize(kept);
    }
    /// Drops entries whose weight has moved since, and repeated ones, of weights that came back to the same
    /// number: a weight is set to zero when it is met, so it is met once.
    void filter(std::vector<Entry>& entries) noexcept {
        T* w = w_.data();
        std::size_t kept = 0;
        signs_.clear();
        for (const Entry& e : entries) {
            const T u = w[e.at];
            if (std::abs(u) != e.key) continue;
            signs_.push_back(u < 0);
            entries[kept++] = e;
            w[e.at] = 0;
        }
        entries.resize(kept);
        for (std::size_t i = 0; i < kept; ++i)
            w[entries[i].at] = signs_[i] ? -entries[i].key : entries[i].key;
    }

    /// Lets every weight outside the row fall by lambda.
    void sink(double lambda) {
        double shift = shift_ + lambda;
        if constexpr (sizeof(T) < sizeof(double)) {
            // The shift is a number of the state's type; rounding it upwards keeps the ball.
            T rounded = static_cast<T>(shift);
            if (static_cast<double>(rounded) < shift)
                rounded = std::nextafter(rounded, std::numeric_limits<T>::max());
            shift = static_cast<double>(rounded);
        }
        const double fall = shift - shift_;
        sound(fall);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < near_.size(); ++i) {
            if (gaps_[i] <= fall)
                set(near_[i].at, T{0});
            else
                near_[kept++] = near_[i];
        }
        near_.resize(kept);
        count_ -= static_cast<double>(dead_);
        lose_norm(dead_norm_ + count_ * fall);
        shift_ = shift;
    }

    void gather() {
        near_.clear();
        far_.clear();
        horizon_ = 0;
        for (std::uint32_t s = 0; s < w_.slots(); ++s)
            for (std::size_t b = 0; b < w_.blocks(); ++b)
                if (const T u = w_.at(s, 0, b); u != 0) far_.push_back({std::abs(u), w_.offset(s, 0, b)});
        count_ = static_cast<double>(far_.size());
        known_ = true;
    }
    /// Writes every weight for shift 0, and measures the norm.
    void rewrite() {
        far_.insert(far_.end(), near_.begin(), near_.end());
        near_.clear();
        horizon_ = 0;
        filter(far_);
        std::int64_t sum = 0;
        for (Entry& e : far_) {
            set(e.at, value(w_.data()[e.at]));
            e.key = std::abs(w_.data()[e.at]);
            sum += static_cast<std::int64_t>(static_cast<double>(e.key) * fixed_scale());
        }
        std::erase_if(far_, [](const Entry& e) { return e.key == 0; });
        count_ = static_cast<double>(far_.size());
        norm_ = static_cast<double>(sum) / fixed_scale();
        shift_ = 0;
        truncation.forget();
    }

    Planes<T> w_;
    bool average_;
    double rounds_ = 0.0, shifts_ = 0.0;  // B and S
    double radius_ = std::numeric_limits<double>::infinity();
    double shift_ = 0.0;
    double norm_ = 0.0;   // |mu|_1
    double count_ = 0.0;  // weights that are not zero
    bool known_ = true;   // whether the lists and the count are those of the weights
    std::vector<Entry> near_,
        far_;  // of the weights that are not zero, those below the horizon and the others
    double horizon_ = 0.0;
    std::vector<double> gaps_;         // |mu| of the entries of near_
    std::vector<std::int64_t> fixed_;  // the same in fixed point
    std::int64_t dead_ = 0;            // entries of near_ at or below the threshold
    double dead_norm_ = 0.0;
    std::vector<char> signs_;
    std::vector<Touched> touched_;
};

}  // namespace onlinear::belief
