#include "bindings.hpp"
#include "declared.hpp"
#include "onlinear/numeric/normal.hpp"
#include "onlinear/rule/all.hpp"

namespace onlinear::bindings {

namespace {

template <class R>
void bind_rule(nb::module_& m, const char* doc) {
    bind_declared<R>(m, doc)
        .def(
            "step",
            [](const R& self, nb::handle margin, nb::handle variance, nb::handle required, nb::handle weight,
               nb::handle mean_norm, nb::handle threshold, nb::handle t) {
                std::uint64_t round = 0;
                if (PyBool_Check(t.ptr()) || !nb::try_cast<std::uint64_t>(t, round))
                    throw nb::type_error(
                        ("t must be a whole number that is not negative, got " + shown(t)).c_str());
                return self.step(
                    Evidence{to_number("margin", margin), to_number("required", required),
                             to_number("variance", variance), to_number("weight", weight),
                             to_number("mean_norm", mean_norm), to_number("threshold", threshold)},
                    Clock{round});
            },
            nb::arg("margin").none(), nb::arg("variance").none(), nb::kw_only(),
            nb::arg("required").none() = 1.0, nb::arg("weight").none() = 1.0,
            nb::arg("mean_norm").none() = 0.0, nb::arg("threshold").none() = 0.0, nb::arg("t").none() = 1,
            nb::sig(
                "def step(self, margin: float, variance: float, *, required: float = 1.0, weight: float = "
                "1.0, mean_norm: float = 0.0, threshold: float = 0.0, t: int = 1) -> Step"),
            "The step this rule takes on a demand, from its margin and variance.")
        .def_prop_ro_static(
            "metric",
            [](nb::handle) {
                constexpr const char* names[] = {"mean", "gaussian", "either", "dual"};
                return names[static_cast<int>(R::metric)];
            },
            "The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'.")
        .def_prop_ro_static(
            "drop_only", [](nb::handle) { return rule::drop_only<R>(); },
            "Whether a diagonal belief must use the 'drop' projection.")
        .def_prop_ro_static(
            "has_exact", [](nb::handle) { return rule::HasExactStep<R>; },
            "Whether it knows the exact diagonal update.");
}

}  // namespace

void bind_rules(nb::module_& m) {
    nb::class_<Step>(
        m, "Step",
        "What a rule answers: mu <- keep mu + mean Sigma delta, Sigma^-1 gains precision delta delta'.")
        .def_ro("mean", &Step::mean)
        .def_ro("precision", &Step::precision)
        .def_ro("keep", &Step::keep)
        .def_ro("spread", &Step::spread)
        .def_ro("threshold", &Step::threshold)
        .def("__bool__", [](const Step& s) { return static_cast<bool>(s); })
        .def("__repr__", [](const Step& s) {
            char text[256];
            std::snprintf(text, sizeof text,
                          "Step(mean=%.6g, precision=%.6g, keep=%.6g, spread=%.6g, threshold=%.6g)", s.mean,
                          s.precision, s.keep, s.spread, s.threshold);
            return std::string(text);
        });
    bind_rule<rule::Perceptron>(m, "The Perceptron: on a mistake, mu += rate delta.");
    bind_rule<rule::PassiveAggressive>(m, "Passive-Aggressive: PA, PA-I and PA-II.");
    bind_rule<rule::Romma>(m, "Relaxed Online Maximum Margin Algorithm.");
    bind_rule<rule::Norma>(m, "Gradient steps on a regularised hinge with an optional learned margin.");
    bind_rule<rule::ConfidenceWeighted>(
        m, "Confidence-Weighted learning, variance or standard-deviation constraint.");
    bind_rule<rule::SoftConfidenceWeighted>(
        m, "Soft Confidence-Weighted learning: SCW-I (linear), SCW-II (squared).");
    bind_rule<rule::Arow>(m, "Adaptive Regularization of Weight Vectors.");
    bind_rule<rule::LeastSquares>(m, "AROW with the squared loss: recursive least squares.");
    bind_rule<rule::Nherd>(m, "Normal Herd.");
    bind_rule<rule::Narow>(m, "NAROW: AROW with an adaptive trust.");
    bind_rule<rule::SecondOrderPerceptron>(m, "The second-order Perceptron.");
    bind_rule<rule::Iellip>(m, "The improved ellipsoid method.");
    bind_rule<rule::RegularizedPassiveAggressive>(m,
                                                  "Passive-Aggressive that forgets: shrinkage, or a ball.");
    bind_rule<rule::AdagradRda>(m, "The hinge's gradient, for dual averaging.");
    m.def(
        "quantile",
        [](nb::handle confidence) { return numeric::normal_quantile(to_number("confidence", confidence)); },
        nb::arg("confidence").none(), nb::sig("def quantile(confidence: float) -> float"),
        "The normal quantile of a confidence.");
    m.def(
        "cdf", [](nb::handle z) { return numeric::normal_cdf(to_number("z", z)); }, nb::arg("z").none(),
        nb::sig("def cdf(z: float) -> float"), "The normal distribution function.");
}

}  // namespace onlinear::bindings
