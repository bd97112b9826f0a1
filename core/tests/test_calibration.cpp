#include <random>
#include <vector>

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

TEST("late rows fit the map anew: what an earlier pass said of another slope is forgotten") {
    Source source{.slope = 0.4, .offset = 1.0};
    Calibration map;
    source.teach(map, 20'000);
    source.slope = 2.0;
    source.offset = -1.0;
    {
        const onlinear::LateRows late(map, true);
        source.teach(map, 4'000);
    }
    for (const double s : {-2.0, 0.0, 0.5, 1.0, 3.0})
        CHECK(std::abs(map.probability(s) - source.probability(s)) < 0.04);
}

TEST("late rows all count the same: the map is the one that minimises their log loss, whatever comes last") {
    struct Seen {
        double score;
        bool positive;
    };
    std::vector<Seen> rows;
    Source source{.slope = 1.0, .offset = 0.7};
    for (int t = 0; t < 3'000; ++t) {
        if (t == 1'500) source.offset = -0.7;
        const double s = source.normal(source.random);
        rows.push_back({s, source.uniform(source.random) < source.probability(s)});
    }
    double slope = 1, offset = 0;  // by Newton's method over all rows
    for (int round = 0; round < 50; ++round) {
        double g_s = 0, g_o = 0, h_ss = 0, h_so = 0, h_oo = 0;
        for (const Seen& row : rows) {
            const double p = Calibration::sigmoid(slope * row.score + offset), q = p * (1 - p);
            const double error = p - (row.positive ? 1 : 0);
            g_s += error * row.score;
            g_o += error;
            h_ss += q * row.score * row.score;
            h_so += q * row.score;
            h_oo += q;
        }
        const double determinant = h_ss * h_oo - h_so * h_so;
        slope -= (h_oo * g_s - h_so * g_o) / determinant;
        offset -= (h_ss * g_o - h_so * g_s) / determinant;
    }
    Calibration map;
    Source first{.slope = 1.0, .offset = 0.0};
    first.teach(map, 500);
    {
        const onlinear::LateRows late(map, true);
        for (const Seen& row : rows) map.observe_binary(row.score, row.positive, 1.0);
    }
    for (const double s : {-3.0, -1.0, 0.0, 1.0, 4.0})
        CHECK(std::abs(map.probability(s) - Calibration::sigmoid(slope * s + offset)) < 0.03);
}

TEST("centre and size stay while rows come late, and are followed again afterwards") {
    Source source{.slope = 1.0, .offset = 0.0};
    Calibration map;
    source.teach(map, 3'000);
    const double centre = map.centre, square = map.square;
    {
        const onlinear::LateRows late(map, true);
        for (int t = 0; t < 200; ++t) map.observe_binary(50.0, true, 1.0);
        CHECK(map.centre == centre && map.square == square);
    }
    for (int t = 0; t < 200; ++t) map.observe_binary(50.0, true, 1.0);
    CHECK(map.centre > centre && map.square > square);

    Calibration several;
    double scores[2] = {1.0, -1.0}, scratch[2];
    for (int t = 0; t < 100; ++t) several.observe_multiclass(scores, 2, t % 4 == 0, 1.0, scratch);
    const double before = several.square, scale = several.scale;
    double wide[2] = {9.0, -9.0};
    {
        const onlinear::LateRows late(several, true);
        for (int t = 0; t < 100; ++t) several.observe_multiclass(wide, 2, t % 4 == 0, 1.0, scratch);
    }
    CHECK(several.square == before);
    CHECK(several.scale < scale / 4);  // nine times as wide, and right as often
}

TEST("measured on the same rows again, the map is that of scores that have all moved and stretched") {
    Source source{.slope = 1.5, .offset = 0.3};
    std::vector<double> rows(300), later(300);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = source.normal(source.random);
        later[i] = 3 * rows[i] + 5;
    }
    Calibration map;
    map.measure(rows.data(), rows.size(), 1);
    source.teach(map, 2'000);
    map.measure(rows.data(), rows.size(), 1);
    const Calibration before = map;
    map.measure(later.data(), later.size(), 1);
    for (const double s : {-4.0, 0.0, 0.7, 6.0})
        CHECK_CLOSE(map.probability(3 * s + 5), before.probability(s), 1e-9);

    Calibration several;
    const double scores[6] = {1.0, 4.0, -1.0, 0.0, 0.5, 2.0};
    double stretched[6], was[3], is[3];
    for (int i = 0; i < 6; ++i) stretched[i] = 4 * scores[i];
    several.scale = 0.7;
    several.measure(scores, 2, 3);
    several.probabilities(scores, 3, was);
    several.measure(stretched, 2, 3);
    several.probabilities(stretched, 3, is);
    for (int k = 0; k < 3; ++k) CHECK_CLOSE(is[k], was[k], 1e-12);
}

TEST("where there is nothing to measure, centre and size stay as they were") {
    constexpr double inf = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    Source source{.slope = 1.0, .offset = 0.0};
    Calibration map;
    source.teach(map, 500);
    const double centre = map.centre, square = map.square;
    const double same[2] = {3.0, 3.0}, none[2] = {nan, 1.0}, far[2] = {inf, -inf};
    for (const double* scores : {same, none}) map.measure(scores, 2, 1);
    map.measure(same, 0, 1);
    CHECK(map.centre == centre && map.square == square);
    map.measure(far, 2, 1);
    CHECK(map.possible() && std::isfinite(map.probability(1.0)));
}

TEST("rows that do not come late leave the map to its own memory") {
    Source one{.slope = 1.0, .offset = 0.0}, other{.slope = 1.0, .offset = 0.0};
    Calibration plain, told;
    one.teach(plain, 5'000);
    {
        const onlinear::LateRows late(told, false);
        other.teach(told, 5'000);
    }
    CHECK(plain.scale == told.scale && plain.offset == told.offset && plain.centre == told.centre);
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
    const onlinear::LateRows late_two(two, true), late_several(several, true);
    for (const double weight : weights)
        for (const double a : extreme)
            for (const double b : extreme) {
                const double scores[3] = {a, b, a};
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
