#pragma once
#include <algorithm>

#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

inline constexpr std::array<const char*, 3> kPenalties{"objective", "l2_ball", "l1_ball"};
inline constexpr std::array<const char*, 3> kTriggers{"margin", "mistake", "always"};

/// Regularised Passive-Aggressive, for targets that move: old weights are not kept for ever.
///
/// Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments.
/// SDM 2009, lemmas 3.1 and 3.2. The nearest mean that meets the required margin E,
///   objective  with (alpha/2)|w|^2 added to the distance: mu <- (mu + tau delta) / (1 + alpha)
///   l2_ball    with |w| <= radius:                        mu <- (mu + tau delta) / Z
///   l1_ball    with |w|_1 <= radius: the step is plain PA's and `belief::L1Ball` takes it inside the ball
/// Departs from the paper: tau uses E (1 + alpha) - m, right also for m > E; a ball that cannot meet the
/// margin gives its point of largest margin; the required margin is the task's. There is no price on the
/// loss, so every positive example weight counts as 1.
struct RegularizedPassiveAggressive {
    enum Penalty : int { kObjective, kL2Ball, kL1Ball };
    enum Trigger : int { kMargin, kMistake, kAlways };
    int penalty = kObjective;
    double alpha = 0.01;
    double radius = 10.0;
    int trigger = kMargin;

    static constexpr const char* name = "RegularizedPassiveAggressive";
    static constexpr const char* doc = "Passive-Aggressive that forgets: shrinkage, or a ball.";
    static constexpr Metric metric = Metric::mean;
    double l1_radius() const noexcept { return radius; }
    Parts uses() const noexcept {
        return {.keep = penalty != kL1Ball, .mean_norm = penalty == kL2Ball, .l1_ball = penalty == kL1Ball};
    }
    static constexpr auto parameters() {
        using Self = RegularizedPassiveAggressive;
        return std::tuple{choice("penalty", &Self::penalty, kPenalties, "what keeps the mean short"),
                          nonnegative("alpha", &Self::alpha, "shrinkage of 'objective'"),
                          positive("radius", &Self::radius, "radius of the balls"),
                          choice("trigger", &Self::trigger, kTriggers, "which examples are learned")};
    }

    Step step(const Evidence& e, const Clock&) const noexcept {
        if (!triggered(e) || !(e.variance > 0)) return {};
        if (penalty == kObjective) return shrunk(e);
        if (e.margin >= e.required) return {};  // already inside its constraints
        if (penalty == kL2Ball) return in_l2_ball(e);
        return {.mean = (e.required - e.margin) / e.variance};
    }

private:
    bool triggered(const Evidence& e) const noexcept {
        if (trigger == kMistake) return e.margin <= 0;
        return trigger == kAlways || e.margin < e.required;
    }

    Step shrunk(const Evidence& e) const noexcept {
        const double keep = 1 / (1 + alpha);
        const double tau = std::max(0.0, e.required * (1 + alpha) - e.margin) / e.variance;
        return {.mean = tau * keep, .keep = keep};
    }

    Step in_l2_ball(const Evidence& e) const noexcept {
        const double m = e.margin, n2 = e.variance, E = e.required;
        const double room = radius * radius * n2 - E * E;
        // No point of the ball has the margin: take the one of largest margin.
        if (room <= 0) return {.mean = radius / std::sqrt(n2), .keep = 0};
        const double across =
            std::max(0.0, e.mean_norm * n2 - m * m);  // |mu|^2 |delta|^2 sin^2 of their angle
        const double Z = std::max(1.0, std::sqrt(across / room));
        return {.mean = (Z * E - m) / (n2 * Z), .keep = 1 / Z};
    }
};

}  // namespace onlinear::rule
