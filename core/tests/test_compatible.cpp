#include <string>

#include "onlinear/compatible.hpp"
#include "onlinear/learner.hpp"
#include "onlinear/sequence/learner.hpp"
#include "rules.hpp"
#include "testing.hpp"

using namespace onlinear;

namespace {

/// The message with which something is refused; empty where it is not.
template <class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}
std::string pair(const rule::AnyRule& rule, const BeliefSpec& belief) {
    return refusal([&] { check_pair(rule, belief); });
}
std::string made(const TaskSpec& task, const std::optional<rule::AnyRule>& rule, const BeliefSpec& belief,
                 bool intercept = false) {
    return refusal([&] { make_learner(task, rule, belief, true, 3, intercept); });
}
bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

template <class Spec, class Variant = Spec, std::size_t I = 0, class F>
void each(F&& f) {
    if constexpr (I < std::variant_size_v<Variant>) {
        f(Spec(std::in_place_index<I>));
        each<Spec, Variant, I + 1>(f);
    }
}

}  // namespace

TEST("every rule is defined on some belief, and every belief serves some rule") {
    each<rule::AnyRule, rule::Rules>([](const rule::AnyRule& rule) {
        int fit = 0;
        each<BeliefSpec>([&](const BeliefSpec& belief) { fit += pair(rule, belief).empty(); });
        CHECK(fit > 0);
    });
    const rule::AnyRule ball =
        rule::RegularizedPassiveAggressive{.penalty = rule::RegularizedPassiveAggressive::kL1Ball};
    each<BeliefSpec>([&](const BeliefSpec& belief) {
        int fit = pair(ball, belief).empty();
        each<rule::AnyRule, rule::Rules>(
            [&](const rule::AnyRule& rule) { fit += pair(rule, belief).empty(); });
        CHECK(fit > 0);
    });
}

TEST("a learner is made of what goes together, and of nothing else") {
    each<BeliefSpec>([](const BeliefSpec& belief) {
        each<rule::AnyRule, rule::Rules>([&](const rule::AnyRule& rule) {
            CHECK(made(task::Binary{}, rule, belief) == pair(rule, belief));
        });
    });
}

TEST("a refusal names what is missing and what would do") {
    const std::string covariance = pair(rule::SoftConfidenceWeighted{}, belief::MeanOptions{});
    CHECK(has(covariance, "rule.SoftConfidenceWeighted is not defined on belief.Mean"));
    CHECK(has(covariance, "learns a covariance, and the belief has none"));
    CHECK(has(covariance,
              "It is defined on belief.Diagonal, belief.Full, belief.Information or belief.Kernel"));
    CHECK(has(pair(rule::PassiveAggressive{}, belief::FullOptions{}), "knows no covariance"));
    CHECK(has(pair(rule::AdagradRda{}, belief::KernelOptions{}), "It is defined on belief.DualAveraging"));
    CHECK(has(pair(rule::Arow{}, belief::DualAveragingOptions{}), "sums of gradients"));
    CHECK(has(pair(rule::PassiveAggressive{}, belief::L1BallOptions{}),
              "the belief keeps the mean inside an L1 ball"));
    const rule::RegularizedPassiveAggressive ball{.penalty = rule::RegularizedPassiveAggressive::kL1Ball};
    CHECK(has(pair(ball, belief::KernelOptions{}), "RegularizedPassiveAggressive(penalty='l1_ball') is not"));
    CHECK(has(pair(ball, belief::KernelOptions{}), "It is defined on belief.L1Ball"));
}

TEST("a projection is for rules that have it") {
    using D = belief::DiagonalOptions;
    CHECK(pair(rule::Arow{}, D{.projection = D::kExact}).empty());
    CHECK(pair(rule::ConfidenceWeighted{}, D{.projection = D::kExact}).empty());
    CHECK(has(pair(rule::SecondOrderPerceptron{}, D{.projection = D::kExact}), "no exact diagonal form"));
    CHECK(pair(rule::Iellip{}, D{.projection = D::kDrop}).empty());
    CHECK(has(pair(rule::Iellip{}, D{.projection = D::kKl}), "only with projection='drop'"));
}

TEST("rules say themselves whether they learn regression or find a centre") {
    CHECK(made(task::Regression{}, rule::PassiveAggressive{}, belief::MeanOptions{}).empty());
    CHECK(made(task::Regression{}, rule::LeastSquares{}, belief::FullOptions{}).empty());
    CHECK(has(made(task::Regression{.epsilon = 0.1}, rule::LeastSquares{}, belief::FullOptions{}),
              "use epsilon=0"));
    CHECK(has(made(task::Regression{}, rule::Arow{.loss = rule::Arow::kHinge}, belief::FullOptions{}),
              "squared_hinge"));
    CHECK(has(made(task::Regression{}, rule::Perceptron{}, belief::MeanOptions{}),
              "it is for rule.PassiveAggressive, rule.Arow or rule.LeastSquares"));
    CHECK(made(task::OneClass{}, rule::PassiveAggressive{}, belief::MeanOptions{}).empty());
    CHECK(has(made(task::OneClass{}, rule::Romma{}, belief::MeanOptions{}),
              "it is for rule.PassiveAggressive"));
    CHECK(has(made(task::OneClass{}, rule::PassiveAggressive{}, belief::KernelOptions{}), "distances"));
    CHECK(has(made(task::OneClass{}, rule::PassiveAggressive{}, belief::MeanOptions{.average = true}),
              "average"));
    CHECK(
        has(made(task::OneClass{}, rule::PassiveAggressive{}, belief::MeanOptions{}, true), "no intercept"));
}

TEST("a task asks of a belief what it needs") {
    CHECK(has(made(task::Regression{}, rule::LeastSquares{}, belief::InformationOptions{}), "real targets"));
    CHECK(
        has(made(task::Ranking{}, rule::AdagradRda{}, belief::DualAveragingOptions{}), "demands other than"));
    task::Ranking single;
    single.prototypes = task::Ranking::kSingle;
    CHECK(made(single, rule::PassiveAggressive{}, belief::MeanOptions{}).empty());
    CHECK(has(made(single, rule::PassiveAggressive{}, belief::KernelOptions{}), "differences of rows"));
    CHECK(made(task::Ranking{}, rule::PassiveAggressive{}, belief::KernelOptions{}).empty());
}

TEST("a task that is its own rule takes none") {
    task::MulticlassJoint pa, arow;
    pa.method = task::MulticlassJoint::kPa;
    arow.method = task::MulticlassJoint::kArow;
    CHECK(made(pa, {}, belief::MeanOptions{}).empty());
    CHECK(has(made(pa, rule::Arow{}, belief::MeanOptions{}), "leave rule out"));
    CHECK(has(made(pa, {}, belief::DiagonalOptions{}),
              "task.MulticlassJoint(method='pa') is not defined on belief.Diagonal"));
    CHECK(made(arow, {}, belief::FullOptions{}).empty());
    CHECK(has(made(arow, {}, belief::KernelOptions{}), "several demands"));
    CHECK(
        has(made(arow, {}, belief::DiagonalOptions{.projection = belief::DiagonalOptions::kExact}), "exact"));
    CHECK(has(made(task::Binary{}, {}, belief::MeanOptions{}), "needs a rule"));
}

TEST("sequences are learned on linear means") {
    const auto sequences = [](const rule::AnyRule& rule, const BeliefSpec& belief) {
        return refusal([&] { sequence::make_learner(rule, belief, true); });
    };
    CHECK(sequences(rule::Arow{}, belief::DiagonalOptions{}).empty());
    CHECK(sequences(rule::Arow{}, belief::FullOptions{}).empty());
    CHECK(has(sequences(rule::Arow{}, belief::FullOptions{.inclusive = true}), "belief.Full as given"));
    CHECK(has(sequences(rule::Arow{}, belief::KernelOptions{}),
              "sequences are learned on belief.Mean, belief.Diagonal, belief.Full"));
}
