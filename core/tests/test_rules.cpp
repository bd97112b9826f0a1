#include <array>

#include "onlinear/numeric/normal.hpp"
#include "onlinear/rule/all.hpp"
#include "rules.hpp"
#include "testing.hpp"

/// Closed forms against the conditions they solve: what a step promises must hold after it.
namespace {

using namespace onlinear;
using namespace onlinear::rule;

constexpr std::array kMargins{-30.0, -2.0, -0.4, 0.0, 1e-9, 0.3, 0.99};
constexpr std::array kVariances{1e-6, 0.2, 1.0, 7.0, 1e4};
constexpr std::array kPrices{1e-3, 0.5, 1.0, 40.0};

template <class F>
void over(F&& f) {
    for (const double m : kMargins)
        for (const double v : kVariances) f(m, v);
}

Step step_of(const AnyRule& rule, double m, double v) {
    return decide(rule, Evidence{.margin = m, .variance = v}, Clock{});
}
double margin_after(const Step& s, double m, double v) { return m + s.mean * v; }
double variance_after(const Step& s, double v) { return v / (1 + s.precision * v); }

std::vector<AnyRule> every_rule() {
    std::vector<AnyRule> all;
    rules::every_rule([&](const auto& rule) { all.emplace_back(rule); });
    return all;
}

TEST("PA meets the required margin exactly") {
    over([](double m, double v) {
        const Step s = step_of(PassiveAggressive{PassiveAggressive::kPa}, m, v);
        CHECK_CLOSE(margin_after(s, m, v), 1.0, 1e-12);
    });
}

TEST("PA-I meets the margin, or pays the whole price") {
    for (const double C : kPrices)
        over([&](double m, double v) {
            const Step s = step_of(PassiveAggressive{PassiveAggressive::kPa1, C}, m, v);
            CHECK(s.mean <= C);
            if (s.mean < C) CHECK_CLOSE(margin_after(s, m, v), 1.0, 1e-12);
        });
}

TEST("PA-II's step is 2 C times the margin still missing") {
    for (const double C : kPrices)
        over([&](double m, double v) {
            const Step s = step_of(PassiveAggressive{PassiveAggressive::kPa2, C}, m, v);
            CHECK_CLOSE(s.mean, 2 * C * (1 - margin_after(s, m, v)), 1e-9 * (1 + C * v));
        });
}

TEST("AROW's step times r is the margin still missing, and its precision gains 1/r") {
    for (const double r : kPrices)
        over([&](double m, double v) {
            const Step s = step_of(Arow{r, 0}, m, v);
            CHECK_CLOSE(r * s.mean, 1 - margin_after(s, m, v), 1e-12 * (1 + v));
            CHECK_CLOSE(1 / variance_after(s, v), 1 / v + 1 / r, 1e-12);
        });
}

TEST("CW ends on its constraint, for variance and for standard deviation") {
    for (const double phi : {0.1, 0.9, 3.0})
        over([&](double m, double v) {
            const Step a = step_of(ConfidenceWeighted{ConfidenceWeighted::kVariance, phi}, m, v);
            if (a) CHECK_CLOSE(margin_after(a, m, v), phi * variance_after(a, v), 1e-9 * (1 + std::abs(m)));
            if (!a) CHECK(m >= phi * v);
            const Step b = step_of(ConfidenceWeighted{ConfidenceWeighted::kStdev, phi}, m, v);
            if (b)
                CHECK_CLOSE(margin_after(b, m, v), phi * std::sqrt(variance_after(b, v)),
                            1e-9 * (1 + std::abs(m)));
            if (!b) CHECK(m >= phi * std::sqrt(v));
        });
}

TEST("exact CW ends on its constraint among diagonals") {
    const std::array<double, 4> profile{0.3, 1e-3, 2.0, 0.7};
    double v = 0;
    for (const double q : profile) v += q;
    for (const double phi : {0.1, 0.9, 3.0})
        for (const double m : kMargins)
            for (const int constraint : {0, 1}) {
                const Step s =
                    ConfidenceWeighted{constraint, phi}.exact_step({.margin = m, .variance = v}, profile);
                if (!s) continue;
                double after = 0;
                for (const double q : profile) after += q / (1 + s.precision * q);
                CHECK_CLOSE(margin_after(s, m, v), phi * (constraint ? std::sqrt(after) : after),
                            1e-9 * (1 + std::abs(m)));
            }
}

TEST("SCW-I is CW with its step held below C") {
    for (const double C : kPrices)
        over([&](double m, double v) {
            const Step hard = step_of(ConfidenceWeighted{ConfidenceWeighted::kStdev, 0.9}, m, v);
            const Step soft = step_of(SoftConfidenceWeighted{SoftConfidenceWeighted::kLinear, C, 0.9}, m, v);
            CHECK_CLOSE(soft.mean, std::min(C, hard.mean), 1e-12);
        });
}

TEST("SCW-II's step is 2 C times what is missing to its constraint") {
    for (const double C : kPrices)
        over([&](double m, double v) {
            const Step s = step_of(SoftConfidenceWeighted{SoftConfidenceWeighted::kSquared, C, 0.9}, m, v);
            if (!s) return;
            const double missing = 0.9 * std::sqrt(variance_after(s, v)) - margin_after(s, m, v);
            CHECK_CLOSE(missing, s.mean / (2 * C), 1e-8 * (1 + std::abs(m)));
        });
}

TEST("NHERD takes AROW's mean step at r = 1/C and divides the variance by (1 + C v)^2") {
    for (const double C : kPrices)
        over([&](double m, double v) {
            const Step s = step_of(Nherd{C}, m, v), arow = step_of(Arow{1 / C, 0}, m, v);
            CHECK_CLOSE(s.mean, arow.mean, 1e-12);
            CHECK_CLOSE(variance_after(s, v), v / ((1 + C * v) * (1 + C * v)), 1e-12);
        });
}

TEST("ROMMA reaches margin 1 and keeps the product with the old mean") {
    // mu = (2, 0), delta = (a, b): written out in two dimensions.
    for (const double a : {-1.5, -0.2, 0.1})
        for (const double b : {0.4, -3.0}) {
            const double m = 2 * a, n2 = a * a + b * b;
            const Step s = Romma{true}.step({.margin = m, .variance = n2, .mean_norm = 4.0}, Clock{});
            const double x = s.keep * 2 + s.mean * a, y = s.mean * b;
            CHECK_CLOSE(x * a + y * b, 1.0, 1e-12);
            CHECK_CLOSE(2 * x, 4.0, 1e-12);
        }
}

TEST("no rule moves along a demand without variance") {
    for (const AnyRule& rule : every_rule())
        if (!std::holds_alternative<Norma>(rule)) CHECK(!step_of(rule, -1.0, 0.0));
}

TEST("NAROW's own step is none where there is no variance, as a kernel belief asks it") {
    for (const int form : {0, 1}) CHECK(!Narow{1.0, form}.step({.margin = -1.0, .variance = 0.0}, Clock{}));
}

TEST("confidence never falls: no rule takes precision away") {
    for (const AnyRule& rule : every_rule())
        over([&](double m, double v) { CHECK(step_of(rule, m, v).precision >= 0); });
}

TEST("every step of ordinary evidence is finite and never backwards") {
    for (const AnyRule& rule : every_rule())
        over([&](double m, double v) {
            const Step s = step_of(rule, m, v);
            CHECK(s.finite());
            // NAROW steps in natural parameters, where the gain moves the mean too.
            if (!std::holds_alternative<Narow>(rule)) CHECK(s.mean >= 0);
        });
}

TEST("the normal quantile inverts the distribution, also far out") {
    for (const double p : {1e-300, 1e-12, 0.01, 0.4, 0.5, 0.9, 0.999999}) {
        const double z = numeric::normal_quantile(p);
        CHECK_CLOSE(numeric::normal_cdf(z) / p, 1.0, 1e-10);
    }
    CHECK(std::isinf(numeric::normal_quantile(1.0)));
    CHECK(std::isnan(numeric::normal_quantile(1.5)));
}

TEST("a root is found from any bracket") {
    const auto cubic = [](double x) { return std::pair{x * x * x - 2, 3 * x * x}; };
    for (const double high : {1.3, 5.0, 1e6})
        CHECK_CLOSE(numeric::increasing_root(0.0, high, cubic), std::cbrt(2.0), 1e-14);
}

}  // namespace
