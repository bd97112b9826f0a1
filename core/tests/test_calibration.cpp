#include <random>

#include "onlinear/calibration.hpp"
#include "testing.hpp"

/// The map from scores to probabilities: what it remembers, what it forgets, and what cannot break it.
namespace {

using onlinear::Calibration;

/// How much of what is remembered after `rounds` belongs to the last `recent` of them: the centre is a mean
/// of scores with the weights of the memory.
double share_of_the_last(std::uint64_t recent, std::uint64_t rounds) {
    Calibration map;
    for (std::uint64_t t = 1; t <= rounds; ++t) map.follow_binary(t > rounds - recent ? 1.0 : 0.0);
    return map.centre;
}

TEST(
    "the last half of the stream carries seven eighths of the memory, however many rounds one look stands "
    "for") {
    for (const std::uint64_t rounds : {2'000, 8'192, 60'000, 90'000})
        CHECK_CLOSE(share_of_the_last(rounds / 2, rounds), 7.0 / 8, 0.01);
}

TEST("from a hundred thousand rounds on the memory grows no longer") {
    // Weights fall by 3 / 100,030 a round, so an eighth is left after a third of that many times log 8.
    const auto eighth = static_cast<std::uint64_t>(100'030 / 3.0 * std::log(8.0));
    for (const std::uint64_t rounds : {200'000, 1'000'000})
        CHECK_CLOSE(share_of_the_last(eighth, rounds), 7.0 / 8, 0.01);
}

/// Scores from N(1, 2^2), and labels drawn with the probability 1 / (1 + exp(-(slope s + offset))).
struct Source {
    std::mt19937_64 random{7};
    std::normal_distribution<double> normal{1.0, 2.0};
    std::uniform_real_distribution<double> uniform{};
    double slope, offset;

    double probability(double s) const { return 1 / (1 + std::exp(-(slope * s + offset))); }
    void teach(Calibration& map, std::uint64_t rounds) {
        for (std::uint64_t t = 0; t < rounds; ++t) {
            const double s = normal(random);
            map.observe_binary(s, uniform(random) < probability(s), 1.0);
        }
    }
};

TEST("two classes: the probabilities become those that the labels are drawn with") {
    Source source{.slope = 0.8, .offset = -0.5};
    Calibration map;
    source.teach(map, 200'000);
    for (const double s : {-4.0, -1.0, 0.0, 0.5, 2.0, 5.0})
        CHECK(std::abs(map.probability(s) - source.probability(s)) < 0.03);
}

TEST("labels that come to mean something else are followed") {
    Source source{.slope = 2.0, .offset = 0.0};
    Calibration map;
    source.teach(map, 10'000);
    source.slope = 0.3;
    source.offset = 1.0;
    source.teach(map, 70'000);
    for (const double s : {-1.0, 0.5, 3.0})
        CHECK(std::abs(map.probability(s) - source.probability(s)) < 0.06);
}

TEST("several classes: the temperature is the one that minimises the log loss") {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform{};
    const double temperature = 1.7;
    Calibration map;
    double scores[3], scratch[3], p[3];
    const auto truth = [&](double* out) {
        double total = 0;
        for (int k = 0; k < 3; ++k) total += out[k] = std::exp(temperature * scores[k]);
        for (int k = 0; k < 3; ++k) out[k] /= total;
    };
    for (int t = 0; t < 200'000; ++t) {
        for (double& s : scores) s = normal(random);
        truth(p);
        const double u = uniform(random);
        map.observe_multiclass(scores, 3, u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2, 1.0, scratch);
    }
    for (int t = 0; t < 20; ++t) {
        for (double& s : scores) s = normal(random);
        double want[3];
        truth(want);
        map.probabilities(scores, 3, p);
        for (int k = 0; k < 3; ++k) CHECK(std::abs(p[k] - want[k]) < 0.03);
    }
}

TEST("one strange example cannot flatten the map: its scale falls to half at most") {
    Calibration several;
    double good[2] = {1.0, -1.0}, strange[2] = {1e6, -1e6}, scratch[2];
    for (int t = 0; t < 100; ++t) several.observe_multiclass(good, 2, 0, 1.0, scratch);
    const double before = several.scale;
    several.observe_multiclass(strange, 2, 1, 1.0, scratch);
    CHECK(several.scale < before);
    CHECK(several.scale >= before / 2);

    Calibration two;
    for (int t = 0; t < 100; ++t) two.observe_binary(t % 2 ? 1.0 : -1.0, t % 2 == 1, 1.0);
    const double steep = two.scale;
    two.observe_binary(1e6, false, 1e3);
    CHECK(two.scale < steep);
    CHECK(two.scale >= steep / 2);
}

TEST(
    "scores that are infinite, no number or as large as there are, and weights of every size, leave a "
    "possible map") {
    constexpr double inf = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN(), top = 1.7e308;
    const double extreme[] = {inf, -inf, nan, top, -top, 0.0, 5e-324, 1e-160, 1.0};
    const double weights[] = {5e-324, 1e-308, 1e-5, 1.0, 1e100, 1e308};
    Calibration two, several;
    double scratch[3], p[3];
    for (const double weight : weights)
        for (const double a : extreme)
            for (const double b : extreme)
                for (const double c : extreme) {
                    const double scores[3] = {a, b, c};
                    two.observe_binary(a, b > 0, weight);
                    several.observe_multiclass(scores, 3, 1, weight, scratch);
                    CHECK(two.possible());
                    CHECK(several.possible());
                }
    CHECK(two.probability(1.0) >= 0 && two.probability(1.0) <= 1);
    const double ordinary[3] = {1.0, 2.0, 3.0};
    several.probabilities(ordinary, 3, p);
    for (const double each : p) CHECK(each >= 0 && each <= 1);
}

}  // namespace
