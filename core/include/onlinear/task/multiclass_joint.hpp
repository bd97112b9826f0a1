#pragma once
#include <algorithm>
#include <numeric>

#include "onlinear/rule/passive_aggressive.hpp"
#include "onlinear/task/task.hpp"

namespace onlinear::task {

inline constexpr std::array<const char*, 4> kJointMethods{"uniform", "mira", "pa", "arow"};
inline constexpr std::array<const char*, 2> kCovarianceUpdates{"sum", "delta"};

/// Several classes with several constraints at once: updates that are not one demand but a small problem of
/// their own.
///
///   uniform  the uniform multiclass Perceptron: every class that scored as high shares the blame
///            (Crammer, Singer. JMLR 3, 2003)
///   mira     MIRA: the smallest change of prototypes in its family (same paper); `beta` is a margin offset
///   pa       Passive-Aggressive with a constraint for every wrong class, solved by sorting
///   arow     AROW with the k best-scoring wrong classes (all when k is 0), solved exactly
///            (Crammer, Kulesza, Dredze. Machine Learning 91, 2013, section 3.2)
struct MulticlassJoint {
    enum Method : int { kUniform, kMira, kPa, kArow };
    enum CovarianceUpdate : int { kSum, kDelta };
    static constexpr const char* name = "MulticlassJoint";
    static constexpr const char* doc = "Several classes with several constraints at once.";
    static constexpr Parts needs{.several = true};
    Parts uses() const noexcept { return {.joint = method == kArow}; }
    /// AROW's problem is one of a Gaussian (on a mean, of the identity); the others know no covariance.
    rule::Metric metric() const noexcept {
        return method == kArow ? rule::Metric::either : rule::Metric::mean;
    }

    std::size_t classes = 2;
    int method = kUniform;
    double rate = 1.0;
    double beta = 0.01;
    int variant = rule::PassiveAggressive::kPa1;
    double C = 1.0;
    double r = 1.0;
    std::size_t k = 0;
    int cov_update = kSum;

    static constexpr auto parameters() {
        return std::tuple{
            rule::choice("method", &MulticlassJoint::method, kJointMethods, "the update"),
            rule::positive("rate", &MulticlassJoint::rate, "length of a step of 'uniform'"),
            rule::nonnegative("beta", &MulticlassJoint::beta, "margin offset of 'mira'"),
            rule::choice("variant", &MulticlassJoint::variant, rule::kPassiveAggressiveVariants,
                         "slack of 'pa'"),
            rule::positive("C", &MulticlassJoint::C, "price of missing the margin, of 'pa'"),
            rule::positive("r", &MulticlassJoint::r, "trust in what is already known, of 'arow'"),
            rule::count_or_none("k", &MulticlassJoint::k,
                                "most wrong classes at once, of 'arow'; None for all"),
            rule::choice("cov_update", &MulticlassJoint::cov_update, kCovarianceUpdates,
                         "what confidence grows along, of 'arow'")};
    }

    void set_classes(std::size_t n) noexcept { classes = std::max<std::size_t>(n, 2); }
    std::size_t blocks() const noexcept { return classes; }
    bool valid(const Example& example) const noexcept {
        return example.label >= 0 && static_cast<std::size_t>(example.label) < classes;
    }

    template <class Belief, class T>
    Round round(Belief& belief, const rule::AnyRule&, const Row<T>& row, const Example& example,
                double* scores, const Moment& now) {
        belief.scores(row, scores);
        const auto label = static_cast<std::uint32_t>(example.label);
        const std::uint32_t rival = best_rival(scores, classes, label);
        const double margin = scores[label] - scores[rival];
        Round round;
        if (!std::isfinite(margin)) return {.fault = Fault::margin_overflow};
        coefficients_.assign(classes, 0.0);
        const double variance = now.witness ? variance_against(belief, row, label, rival) : 0.0;
        if (method == kArow) {
            if constexpr (Belief::Options::takes.joint)
                round = arow(belief, row, label, rival, scores, example.weight);
        } else {
            round = first_order(belief, row, label, scores, example.weight);
        }
        now.see({.margin = margin, .variance = variance, .weight = example.weight},
                {.mean = coefficients_[label],
                 .precision = method == kArow && round.updated ? example.weight / r : 0.0});
        now.compare(rival);
        round.mistake = !(margin > 0);
        return round;
    }

    void calibrate(Calibration& calibration, const double* scores, const Example& example, bool fresh) {
        if (!fresh) {
            calibration.follow_multiclass(scores, classes);
            return;
        }
        scratch_.resize(classes);
        calibration.observe_multiclass(scores, classes, static_cast<std::size_t>(example.label),
                                       example.weight, scratch_.data());
    }

private:
    /// The variance of the demand against one rival, as other tasks measure it.
    template <class Belief, class T>
    static double variance_against(Belief& belief, const Row<T>& row, std::uint32_t label,
                                   std::uint32_t rival) {
        const Term terms[2] = {{label, 1.0}, {rival, -1.0}};
        return belief.variance(row, Terms(terms, 2));
    }

    template <class Belief, class T>
    Round first_order(Belief& belief, const Row<T>& row, std::uint32_t label, const double* scores,
                      double weight) {
        // |x|^2, or K(x, x): the scores are all else that these updates know of x, so that they are the same
        // in the space of any kernel.
        const Term own{label, 1.0};
        const double norm2 = belief.variance(row, Terms(&own, 1));
        if (!std::isfinite(norm2)) return {.fault = Fault::margin_overflow};
        if (!(norm2 > 0)) return {};
        if (method == kUniform)
            uniform(label, scores, weight);
        else if (method == kMira)
            mira(label, scores, norm2);
        else
            passive_aggressive(label, scores, norm2, weight);
        return move(belief, row);
    }

    /// mu_k += coefficient_k Sigma x.
    template <class Belief, class T>
    Round move(Belief& belief, const Row<T>& row) {
        terms_.clear();
        for (std::uint32_t b = 0; b < classes; ++b)
            if (coefficients_[b] != 0) terms_.push_back({b, coefficients_[b]});
        if (terms_.empty()) return {};
        return take(belief, row, terms_, {.mean = 1.0}, {.variance = belief.variance(row, terms_)});
    }

    void uniform(std::uint32_t label, const double* scores, double weight) {
        double guilty = 0;
        for (std::uint32_t b = 0; b < classes; ++b) guilty += b != label && scores[b] >= scores[label];
        if (guilty == 0) return;
        for (std::uint32_t b = 0; b < classes; ++b)
            if (b != label && scores[b] >= scores[label]) coefficients_[b] = -rate * weight / guilty;
        coefficients_[label] = rate * weight;
    }

    /// min sum |mu_k + tau_k x|^2 s.t. tau_k <= [k = y], sum tau = 0: a projection on a simplex.
    void mira(std::uint32_t label, const double* scores, double norm2) {
        order_.assign(classes, 0.0);
        for (std::uint32_t b = 0; b < classes; ++b)
            order_[b] = b == label ? 1 + scores[b] / norm2 : (scores[b] + beta) / norm2;
        scratch_ = order_;
        std::sort(scratch_.begin(), scratch_.end(), std::greater<>());
        double sum = 0, theta = 0;
        for (std::size_t j = 0; j < classes; ++j) {
            sum += scratch_[j];
            const double candidate = (sum - 1) / static_cast<double>(j + 1);
            if (scratch_[j] > candidate) theta = candidate;
        }
        for (std::uint32_t b = 0; b < classes; ++b)
            coefficients_[b] = (b == label ? 1.0 : 0.0) - std::max(0.0, order_[b] - theta);
    }

    void passive_aggressive(std::uint32_t label, const double* scores, double n, double weight) {
        const double price = C * weight;
        const double e = variant == rule::PassiveAggressive::kPa2 ? 1 / (2 * price) : 0.0;
        order_.clear();
        for (std::uint32_t b = 0; b < classes; ++b)
            if (b != label) order_.push_back(1 - (scores[label] - scores[b]));
        std::sort(order_.begin(), order_.end(), std::greater<>());
        double sum = 0, S = 0;
        for (std::size_t j = 0; j < order_.size(); ++j) {
            sum += order_[j];
            const double candidate = sum / (n + static_cast<double>(j + 1) * (n + e));
            if (order_[j] - (n + e) * candidate > 0) S = candidate;
        }
        if (!(S > 0)) return;
        double level = (n + e) * S;  // a_k = max(0, l_k - level) / n
        if (variant == rule::PassiveAggressive::kPa1 && S > price) {
            // The price caps the sum of the multipliers: project l / n on the simplex of that size.
            sum = 0;
            for (std::size_t j = 0; j < order_.size(); ++j) {
                sum += order_[j] / n;
                const double kappa = (sum - price) / static_cast<double>(j + 1);
                if (order_[j] / n > kappa) level = n * kappa;
            }
        }
        double total = 0;
        for (std::uint32_t b = 0; b < classes; ++b) {
            if (b == label) continue;
            const double a = std::max(0.0, (1 - (scores[label] - scores[b]) - level) / n);
            coefficients_[b] = -a;
            total += a;
        }
        coefficients_[label] = total;
    }

    template <class Belief, class T>
    Round arow(Belief& belief, const Row<T>& row, std::uint32_t label, std::uint32_t rival,
               const double* scores, double weight) {
        const double trust = r / weight;
        if (!(1 - (scores[label] - scores[rival]) > 0)) return {};
        rivals_.clear();
        for (std::uint32_t b = 0; b < classes; ++b)
            if (b != label) rivals_.push_back(b);
        if (k > 0 && k < rivals_.size()) {
            std::stable_sort(rivals_.begin(), rivals_.end(),
                             [scores](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
            rivals_.resize(k);
        }
        const std::size_t n = rivals_.size();
        bool solved;
        if constexpr (belief::MeasuresCovariance<Belief>) {
            gram(belief, row, label);
            for (const double g : gram_)
                if (!std::isfinite(g)) return {.fault = Fault::margin_overflow};
            solved = active_set(label, scores, trust);
        } else {
            scratch_.resize(belief.planes().lanes() + classes);
            belief.variances(row, scratch_.data());
            for (std::uint32_t b = 0; b < classes; ++b)
                if (!std::isfinite(scratch_[b])) return {.fault = Fault::margin_overflow};
            solved = by_sorting(label, scores, trust);
        }
        if (!solved) return {};
        for (std::size_t j = 0; j < n; ++j) {
            coefficients_[rivals_[j]] -= dual_[j];
            coefficients_[label] += dual_[j];
        }
        // Section 3.2 prints the covariance step along f = the sum of all blocks; "delta" is top-1's.
        along_.clear();
        if (cov_update == kSum)
            for (std::uint32_t b = 0; b < classes; ++b) along_.push_back({b, 1.0});
        else
            along_ = {{label, 1.0}, {rival, -1.0}};
        const Step shrink{.precision = 1 / trust};
        const Evidence width{.variance = belief.variance(row, along_)};
        // Both steps or none: the second is looked at before the first is taken.
        if (!representable<T>(along_, shrink, width) || !belief.admits(shrink, width))
            return {.fault = Fault::step_overflow};
        const Round moved = move(belief, row);
        if (moved.fault != Fault::none) return moved;
        // A full covariance keeps the direction it measured last, which is now the mean's.
        if constexpr (belief::Aims<Belief>) belief.aim(row, along_);
        const Round shrunk = take(belief, row, along_, shrink, width);
        return shrunk.fault != Fault::none ? shrunk : Round{.updated = true};
    }

    /// Independent blocks: with s_k = x' Sigma_k x the multipliers are a_k = max(0, (l_k - level) / s_k),
    /// where the level (s_y + r) sum(a) follows from the active ones, which are the largest losses.
    ///
    /// Written on d_k = l_k - (the largest loss): l_k - level itself cancels where the variances are small
    /// against r.
    bool by_sorting(std::uint32_t label, const double* scores, double trust) {
        const std::size_t n = rivals_.size();
        const double shared = scratch_[label] + trust;
        std::stable_sort(rivals_.begin(), rivals_.end(),
                         [scores](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
        const double top = scores[rivals_[0]], largest = 1 - (scores[label] - top);
        double inverse = 0, weighted = 0;
        const auto numerator = [&](double d) { return largest + d + shared * (d * inverse - weighted); };
        for (const std::uint32_t rival : rivals_) {
            const double s = scratch_[rival], d = scores[rival] - top;
            if (!(s > 0)) continue;
            if (!(numerator(d) > 0)) break;  // neither this one nor any smaller loss is active
            inverse += 1 / s;
            weighted += d / s;
        }
        if (!(inverse > 0)) return false;
        dual_.assign(n, 0.0);
        for (std::size_t j = 0; j < n; ++j) {
            const double s = scratch_[rivals_[j]];
            if (s > 0)
                dual_[j] = std::max(0.0, numerator(scores[rivals_[j]] - top)) / (s * (1 + shared * inverse));
        }
        return true;
    }

    /// G_ij = delta_i' Sigma delta_j for delta_j = f(x, label) - f(x, rival_j).
    template <class Belief, class T>
    void gram(Belief& belief, const Row<T>& row, std::uint32_t label) {
        const std::size_t n = rivals_.size();
        gram_.resize(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i; j < n; ++j) {
                const Term a[2] = {{label, 1.0}, {rivals_[i], -1.0}},
                           b[2] = {{label, 1.0}, {rivals_[j], -1.0}};
                gram_[i * n + j] = gram_[j * n + i] = belief.covariance(row, Terms(a, 2), Terms(b, 2));
            }
    }

    /// a >= 0 that maximises a.l - a'(G + r 11')a / 2, by an active set: constraints enter by the largest
    /// violation and leave when their multiplier would turn negative. The slack r sum(a) is an unknown of its
    /// own, so that the system stays well conditioned where the variances are small against r.
    bool active_set(std::uint32_t label, const double* scores, double trust) {
        const std::size_t n = rivals_.size();
        double largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, gram_[i * n + i]);
        if (!(largest > 0)) return false;
        loss_.resize(n);
        for (std::size_t j = 0; j < n; ++j) loss_[j] = 1 - (scores[label] - scores[rivals_[j]]);
        dual_.assign(n, 0.0);
        active_.clear();
        for (std::size_t round = 0; round < 10 * n + 10; ++round) {
            std::size_t worst = n;
            double violation = 1e-13 * (1 + std::abs(loss_[0]));
            for (std::size_t j = 0; j < n; ++j) {
                if (std::find(active_.begin(), active_.end(), j) != active_.end()) continue;
                double pull = loss_[j];
                for (const std::size_t i : active_) pull -= (gram_[j * n + i] + trust) * dual_[i];
                if (pull > violation) {
                    violation = pull;
                    worst = j;
                }
            }
            if (worst == n) break;
            active_.push_back(worst);
            while (!active_.empty() && !settle(trust)) {
            }
        }
        return true;
    }

    /// Solves on the active set; drops the first constraint that blocks the way and returns false, until none
    /// does.
    bool settle(double trust) {
        const std::size_t n = rivals_.size(), m = active_.size();
        // [G_AA 1; 1' -1/r] (a, slack) = (l_A, 0), eliminated with partial pivoting.
        const std::size_t side = m + 1;
        system_.assign(side * (side + 1), 0.0);
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < m; ++j)
                system_[i * (side + 1) + j] = gram_[active_[i] * n + active_[j]];
            system_[i * (side + 1) + m] = system_[m * (side + 1) + i] = 1.0;
            system_[i * (side + 1) + side] = loss_[active_[i]];
        }
        system_[m * (side + 1) + m] = -1 / trust;
        if (!eliminate(side)) {  // a constraint that adds nothing
            dual_[active_.back()] = 0;
            active_.pop_back();
            return true;
        }
        double reach = 1;
        std::size_t blocking = m;
        for (std::size_t i = 0; i < m; ++i) {
            const double goal = system_[i * (side + 1) + side], now = dual_[active_[i]];
            if (goal > 0 || !(now - goal > 0)) continue;
            const double fraction = now / (now - goal);
            if (fraction < reach || blocking == m) {
                reach = std::min(reach, fraction);
                blocking = i;
            }
        }
        for (std::size_t i = 0; i < m; ++i) {
            double& a = dual_[active_[i]];
            a += reach * (system_[i * (side + 1) + side] - a);
        }
        if (blocking == m) return true;
        dual_[active_[blocking]] = 0;
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(blocking));
        return false;
    }

    bool eliminate(std::size_t side) {
        const std::size_t width = side + 1;
        for (std::size_t c = 0; c < side; ++c) {
            std::size_t pivot = c;
            for (std::size_t r_ = c + 1; r_ < side; ++r_)
                if (std::abs(system_[r_ * width + c]) > std::abs(system_[pivot * width + c])) pivot = r_;
            if (!(std::abs(system_[pivot * width + c]) > 0)) return false;
            for (std::size_t k_ = 0; k_ < width; ++k_)
                std::swap(system_[c * width + k_], system_[pivot * width + k_]);
            for (std::size_t r_ = 0; r_ < side; ++r_) {
                if (r_ == c) continue;
                const double factor = system_[r_ * width + c] / system_[c * width + c];
                for (std::size_t k_ = c; k_ < width; ++k_)
                    system_[r_ * width + k_] -= factor * system_[c * width + k_];
            }
        }
        for (std::size_t r_ = 0; r_ < side; ++r_) system_[r_ * width + side] /= system_[r_ * width + r_];
        return true;
    }

    std::vector<double> coefficients_, order_, scratch_, gram_, dual_, loss_, system_;
    std::vector<std::uint32_t> rivals_;
    std::vector<std::size_t> active_;
    std::vector<Term> terms_, along_;
};

}  // namespace onlinear::task
