#include <random>

#include "onlinear/compatible.hpp"
#include "rows.hpp"
#include "rules.hpp"
#include "testing.hpp"

/// What rules say they use of a step and of the evidence, and what beliefs say they take.
namespace {

using namespace rows;
using rules::every_rule;

bool same(const Step& a, const Step& b) {
    return a.mean == b.mean && a.precision == b.precision && a.keep == b.keep && a.spread == b.spread &&
           a.threshold == b.threshold;
}

TEST("a rule uses the parts of a step that it declares, and no others") {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    every_rule([&](const auto& rule) {
        const Parts declared = rule::uses(rule);
        Parts seen;
        for (int t = 0; t < 2000; ++t) {
            const double v = std::exp(2 * normal(random)), m = 2 * normal(random);
            const Evidence e{.margin = m,
                             .variance = v,
                             .weight = t % 2 ? 1.0 : std::exp(normal(random)),
                             .mean_norm = m * m / v * (1 + std::abs(normal(random))),
                             .threshold = normal(random)};
            const Clock clock{static_cast<std::uint64_t>(t) + 1};
            const Step step = rule::decide(rule, e, clock);
            seen.keep |= step.keep != 1;
            seen.spread |= step.spread != 1;
            Evidence other = e;
            other.threshold += 3;
            seen.threshold |= step.threshold != 0 || !same(step, rule::decide(rule, other, clock));
            other = e;
            other.mean_norm *= 3;
            seen.mean_norm |= !same(step, rule::decide(rule, other, clock));
            if constexpr (rule::HasExactStep<std::remove_cvref_t<decltype(rule)>>) {
                const Step exact = rule.exact_step(e, std::span<const double>(&v, 1));
                CHECK(exact.keep == 1 && exact.spread == 1 && exact.threshold == 0);
            }
        }
        CHECK(seen.keep == declared.keep);
        CHECK(seen.spread == declared.spread);
        CHECK(seen.threshold == declared.threshold);
        CHECK(seen.mean_norm == declared.mean_norm);
    });
}

TEST("a part that is used and not taken is named") {
    CHECK(untaken({.spread = true}, {.spread = true}) == nullptr);
    CHECK(untaken({}, {.keep = true}) == nullptr);
    const Part* part = untaken({.spread = true}, {.keep = true, .threshold = true, .mean_norm = true});
    CHECK(part != nullptr && part->member == &Parts::spread);
    bool refused = false;
    try {
        check_pair(rule::Iellip{}, belief::InformationOptions{});
    } catch (const std::invalid_argument& error) {
        const std::string why = error.what();
        refused = why.find("spreads the whole covariance") != std::string::npos &&
                  why.find("It is defined on belief.Diagonal or belief.Full") != std::string::npos;
    }
    CHECK(refused);
}

/// AROW that forgets: the covariance is divided by `lambda` before every step.
struct Forgetful {
    double lambda = 0.9;
    static constexpr Parts uses() noexcept { return {.spread = true}; }
    Step step(const Evidence& e, const Clock&) const noexcept {
        const double missing = e.required - e.margin;
        if (missing <= 0) return {};
        return {.mean = missing / (e.variance + lambda), .precision = 1 / lambda, .spread = 1 / lambda};
    }
};

template <class Belief>
Round teach(Belief& belief, const Forgetful& rule, const Row<typename Belief::Scalar>& row, double y) {
    const Term term{0, y};
    const Terms terms(&term, 1);
    double score = 0;
    belief.scores(row, &score);
    const Round round = answer(belief, rule, row, terms,
                               {.margin = y * score, .variance = belief.variance(row, terms)}, Moment{});
    return {.fault = round.fault, .mistake = !(y * score > 0), .updated = round.updated};
}

/// Learns for a long time with the last feature away, then with it; the concept turns around in between.
template <class Belief>
void forgets_for_ever(Belief belief) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    const Forgetful rule;
    OneRow<typename Belief::Scalar> slots;
    int faults = 0, late_mistakes = 0;
    double updates = 0;
    constexpr int kRounds = 40'000;
    for (int t = 0; t < kRounds; ++t) {
        std::vector<double> x(5);
        for (double& each : x) each = normal(random);
        const bool late = t >= kRounds / 2;
        const double noise = 0.3 * normal(random);
        const double y = (x[0] - x[1] + noise > 0) != late ? 1.0 : -1.0;
        if (!late) x[4] = 0;
        const Round round = teach(belief, rule, slots.row(belief, x), y);
        faults += round.fault != Fault::none;
        updates += round.updated;
        late_mistakes += t >= kRounds - 2000 && round.mistake;
    }
    CHECK(faults == 0);
    CHECK(updates > kRounds / 10);
    CHECK(late_mistakes < 400);  // of 2000
    belief.grow(9, 1);
    for (std::uint32_t s = 1; s < 9; ++s) {
        CHECK(std::isfinite(belief.mean_at(s, 0)));
        CHECK(belief.variance_at(s, 0) > 0);
        CHECK(belief.variance_at(s, 0) <=
              1.01 * belief::kMostSpread * belief::widest_variance<typename Belief::Scalar>(1.0));
    }
}

TEST("a rule that forgets by a tenth at every update goes on learning for ever") {
    using D = belief::DiagonalOptions;
    for (const int projection : {D::kKl, D::kDrop}) {
        forgets_for_ever(belief::Diagonal<float>(D{.projection = projection}, 6, 1));
        forgets_for_ever(belief::Diagonal<double>(D{.projection = projection}, 6, 1));
    }
    forgets_for_ever(belief::Full<float>({}, 6, 1));
    forgets_for_ever(belief::Full<double>({}, 6, 1));
}

TEST("spreading multiplies every variance, and that of weights yet to come, up to the widest") {
    const auto check = [](auto belief) {
        belief.spread_out(3.0);
        belief.spread_out(5.0);
        belief.grow(4, 1);
        for (std::uint32_t s = 0; s < 4; ++s) CHECK_CLOSE(belief.variance_at(s, 0), 30.0, 1e-6);
        for (int t = 0; t < 3000; ++t) belief.spread_out(1.5);
        belief.grow(6, 1);
        using T = typename decltype(belief)::Scalar;
        for (std::uint32_t s = 0; s < 6; ++s) {
            CHECK(belief.variance_at(s, 0) >= 2.0 / static_cast<double>(std::numeric_limits<T>::epsilon()));
            CHECK(belief.variance_at(s, 0) <= 1.01 * belief::kMostSpread * belief::widest_variance<T>(2.0));
        }
    };
    check(belief::Diagonal<float>({.initial_variance = 2.0}, 2, 1));
    check(belief::Diagonal<double>({.initial_variance = 2.0}, 2, 1));
    check(belief::Full<float>({.initial_variance = 2.0}, 2, 1));
    check(belief::Full<double>({.initial_variance = 2.0}, 2, 1));
}

TEST("steps that are small one by one do not carry a weight past its bound") {
    belief::Diagonal<float> belief({}, 2, 1);
    OneRow<float> slots;
    const Row<float> row = slots.row(belief, {1.0});
    const Term term{0, 1.0};
    const Step step{.mean = 4e29};
    int taken = 0;
    for (int t = 0; t < 10; ++t)
        taken += take(belief, row, Terms(&term, 1), step, {.variance = 1.0}).fault == Fault::none;
    CHECK(taken == 2);
    CHECK(belief.mean_at(1, 0) < belief::kReach<float>);
}

}  // namespace
