#include <nanobind/stl/string.h>

#include "axes.hpp"
#include "bindings.hpp"
#include "declared.hpp"
#include "onlinear/numeric/normal.hpp"
#include "onlinear/rule/all.hpp"

namespace onlinear::bindings {

namespace {

Clock clock_at(nb::handle t) {
    std::uint64_t round = 0;
    if (PyBool_Check(t.ptr()) || !nb::try_cast<std::uint64_t>(t, round))
        throw nb::type_error(("t must be a whole number that is not negative, got " + shown(t)).c_str());
    return {round};
}

/// `step`, and what the rule declares besides its parameters, as attributes of its class.
void add_rule(nb::object cls, Step (*step)(nb::handle, const Evidence&, const Clock&), rule::Metric metric,
              bool drop_only, bool has_exact) {
    constexpr const char* metrics[] = {"mean", "gaussian", "either", "dual"};
    nb::cpp_function_def(
        [step](nb::handle self, nb::handle margin, nb::handle variance, nb::handle required,
               nb::handle weight, nb::handle mean_norm, nb::handle threshold, nb::handle t) {
            return step(self,
                        Evidence{to_number("margin", margin), to_number("required", required),
                                 to_number("variance", variance), to_number("weight", weight),
                                 to_number("mean_norm", mean_norm), to_number("threshold", threshold)},
                        clock_at(t));
        },
        nb::scope(cls), nb::name("step"), nb::is_method(), nb::arg("margin").none(),
        nb::arg("variance").none(), nb::kw_only(), nb::arg("required").none() = 1.0,
        nb::arg("weight").none() = 1.0, nb::arg("mean_norm").none() = 0.0, nb::arg("threshold").none() = 0.0,
        nb::arg("t").none() = 1,
        nb::sig("def step(self, margin: float, variance: float, *, required: float = 1.0, weight: float = "
                "1.0, mean_norm: float = 0.0, threshold: float = 0.0, t: int = 1) -> Step"),
        "The step this rule takes on a demand, from its margin and variance.");
    cls.attr("metric") = metrics[static_cast<int>(metric)];
    cls.attr("drop_only") = drop_only;
    cls.attr("has_exact") = has_exact;
}

template <class R>
Step step_of(nb::handle self, const Evidence& e, const Clock& clock) {
    return nb::cast<const R&>(self).step(e, clock);
}

}  // namespace

std::shared_ptr<const rule::AnyRule> to_rule(nb::handle rule) {
    return std::make_shared<const rule::AnyRule>(to_variant<rule::AnyRule, rule::Rules>(rule, "a rule"));
}

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
    each_of<rule::Rules>([&]<class R>() {
        add_rule(bind_declared<R>(m), step_of<R>, R::metric, rule::DropOnly<R>,
                 rule::HasExactStep<R> || rule::ExactAlready<R>);
    });
    m.def(
        "declared",
        [] {
            nb::dict all;
            each_of<rule::Rules>([&]<class R>() { describe(all, declaration_of<R>(), rule::uses(R{})); });
            return all;
        },
        nb::sig("def declared() -> dict[str, onlinear._core.Declaration]"),
        "All rules by name, with their parameters, ranges, defaults and words.");
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
