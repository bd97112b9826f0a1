#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

/// One class: a ball around the mean that should hold every example.
///
/// Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 6. The loss is |x - mu| - radius and
/// the mean moves along delta = (x - mu)/|x - mu|, of norm 1, so mu <- mu + tau delta is a step on x with
/// keep = 1 - tau/|x - mu|.
///
/// `max_radius` B learns the radius as well, by the paper's reduction: one more coordinate, zero in every x,
/// starts at B and the ball of radius B is sought there; what that coordinate omega has lost is the radius,
/// sqrt(B^2 - omega^2). Nothing but `keep` ever moves omega, so it lives in the belief's threshold and the
/// distances stay those of x.
///
/// `nu` knows no radius beforehand: it is the distance a share nu of the last rows lay beyond, and the ball
/// that is sought is the smallest, of radius 0, so that the centre goes to the middle of the rows. A rule's
/// price C is then a share of that radius: steps are as long in any unit. The first row is the first centre.
struct OneClass {
    static constexpr const char* name = "OneClass";
    static constexpr const char* doc = "One class: a ball around the mean that should hold every example.";
    static constexpr Answer kAnswer = Answer::nothing;
    static constexpr Parts needs{.keep = true, .threshold = true, .mean_norm = true, .distance = true};
    static constexpr bool kCentre = true;  // what it learns is the mean itself: no average, no intercept

    double radius = 1.0;
    std::optional<double> max_radius;
    std::optional<double> nu;

    static constexpr auto parameters() {
        return std::tuple{rule::nonnegative("radius", &OneClass::radius, "radius of the ball"),
                          rule::optional_within("max_radius", &OneClass::max_radius, rule::Range{.low = 0.0},
                                                "largest radius, where the radius is learned"),
                          rule::optional_within("nu", &OneClass::nu, rule::Range{.low = 0.0, .high = 1.0},
                                                "share of the rows that should lie outside, instead of a "
                                                "radius")};
    }

    std::size_t blocks() const noexcept { return 1; }
    bool valid(const Example&) const noexcept { return true; }

    template <class Belief>
    void start(Belief& belief) const noexcept {
        belief.start(max_radius.value_or(0.0), true);
    }

    template <class Belief, class Rule, class T>
    Round round(Belief& belief, const Rule& rule, const Row<T>& row, const Example& example, double* scores,
                const Moment& now) {
        bool walked = false;
        const double squared = belief.squared_distance(row, walked);
        if (walked) belief.remeasure();  // what made a walk necessary would make the next one so too
        const Sums seen = belief.look(row);
        const double omega = belief.threshold();
        const double distance = std::sqrt(squared + omega * omega);
        scores[0] = std::sqrt(squared);
        if (!std::isfinite(distance)) return {.fault = Fault::margin_overflow};
        const double reach = nu ? std::max(example.reach, 0.0) : max_radius.value_or(radius);
        const Evidence e{.margin = -distance,
                         .required = nu ? 0.0 : -reach,
                         .variance = 1.0,
                         .weight = example.weight * (nu ? unit(belief, example, distance) : 1.0)};
        using rule::dispatch_among;
        const Step step =
            dispatch_among<rule::FitsCentre>(rule, [&](const auto& r) { return decide(r, e, now); });
        now.see(e, step);
        Round round;
        const Term term{0, 1.0};
        if (step)
            round = take(belief, row, Terms(&term, 1), realise(step, distance, omega),
                         {.margin = seen.margin, .variance = seen.variance});
        const bool measured = !nu || example.reach >= 0;
        round.cost = measured ? std::max(0.0, distance - reach) : 0.0;
        round.mistake = measured && distance > reach;
        return round;
    }

    /// What a model says of a row: its distance from the centre.
    template <class Belief, class T>
    static void predict(const Belief& belief, const Row<T>& row, double* out) noexcept {
        bool walked;
        out[0] = std::sqrt(belief.squared_distance(row, walked));
    }

    void calibrate(Calibration&, const double*, const Example&, bool) const noexcept {}

    /// The radius learned so far; negative where there is none.
    double reach(const Cut& cut) const noexcept { return nu ? cut.distance(*nu).value_or(-1.0) : -1.0; }
    void learn_cut(Cut& cut, const Calibration&, const double* scores, const Example&, bool) const {
        if (nu) cut.observe_distance(scores[0]);
    }

private:
    /// What a price is a share of: the radius; for the first row all there is to go.
    template <class Belief>
    static double unit(const Belief& belief, const Example& example, double distance) noexcept {
        if (example.reach >= 0) return example.reach;
        return belief.mean_norm() > 0 ? distance : std::numeric_limits<double>::max();
    }

    /// tau along (x - mu)/distance, written on x; omega, zero in x, only shrinks.
    static Step realise(const Step& step, double distance, double omega) noexcept {
        const double part = step.mean / distance;
        return {.mean = part, .keep = 1 - part, .threshold = -part * omega};
    }
};

}  // namespace onlinear::task
