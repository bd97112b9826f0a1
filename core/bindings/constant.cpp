#include "onlinear/constant.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bindings.hpp"

namespace onlinear::bindings {

namespace {

template <class T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Which = std::optional<Given<bool>>;

/// Which of some rows count at all, and which of these are held out.
class Kinds {
public:
    Kinds(const Which& heavy, const Which& apart, std::size_t rows)
        : heavy_(heavy ? heavy->data() : nullptr), apart_(apart ? apart->data() : nullptr) {
        if ((heavy && heavy->shape(0) < rows) || (apart && apart->shape(0) < rows))
            throw std::invalid_argument("heavy or apart is too short");
    }
    bool counts(std::size_t row) const noexcept { return heavy_ == nullptr || heavy_[row]; }
    bool apart(std::size_t row) const noexcept { return apart_ != nullptr && apart_[row]; }

private:
    const bool *heavy_, *apart_;
};

std::pair<std::int64_t, std::int64_t> watch_classes(MajorityClass& self, const Given<std::int32_t>& numbers,
                                                    const Which& heavy, const Which& apart) {
    const std::size_t rows = numbers.shape(0);
    const Kinds kinds(heavy, apart, rows);
    std::pair<std::int64_t, std::int64_t> wrong;
    for (std::size_t i = 0; i < rows; ++i) {
        const std::int32_t number = numbers.data()[i];
        if (!kinds.counts(i) || number < 0) continue;
        (kinds.apart(i) ? wrong.second : wrong.first) += self.wrong(number);
        self.pass(number);
        if (!kinds.apart(i)) self.learn(number);
    }
    return wrong;
}

/// Tokens are learned a sequence at a time: none of it is known before it is answered.
std::int64_t watch_tokens(MajorityClass& self, const Given<std::int32_t>& numbers,
                          const Given<std::int64_t>& starts, bool learn) {
    if (starts.shape(0) == 0) throw std::invalid_argument("starts must have an end");
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i + 1 < starts.shape(0); ++i) {
        const std::int64_t first = starts.data()[i] - starts.data()[0],
                           last = starts.data()[i + 1] - starts.data()[0];
        if (first > last || last > static_cast<std::int64_t>(numbers.shape(0)))
            throw std::invalid_argument("starts must rise and fit the numbers");
        for (std::int64_t k = first; k < last; ++k) wrong += self.wrong(numbers.data()[k]);
        for (std::int64_t k = first; learn && k < last; ++k)
            if (numbers.data()[k] >= 0) self.learn(numbers.data()[k]);
    }
    return wrong;
}

std::pair<double, double> watch_targets(MeanTarget& self, const Given<double>& targets, const Which& heavy,
                                        const Which& apart) {
    const std::size_t rows = targets.shape(0);
    const Kinds kinds(heavy, apart, rows);
    std::pair<double, double> error;
    for (std::size_t i = 0; i < rows; ++i) {
        const double target = targets.data()[i];
        if (!kinds.counts(i)) continue;
        double& sum = kinds.apart(i) ? error.second : error.first;
        sum = within_range(sum + self.error(target));
        self.pass(target);
        if (!kinds.apart(i)) self.learn(target);
    }
    return error;
}

}  // namespace

void bind_constants(nb::module_& m) {
    using Counts = std::vector<std::int64_t>;
    nb::class_<MajorityClass>(m, "MajorityClass", "Always the most frequent class so far.")
        .def(
            "__init__",
            [](MajorityClass* self, Counts counts, std::int32_t answer, Counts seen, std::int32_t last,
               std::int64_t changes) {
                new (self) MajorityClass({std::move(counts), answer, std::move(seen), last, changes});
            },
            nb::arg("counts") = Counts{}, nb::arg("answer") = -1, nb::arg("seen") = Counts{},
            nb::arg("last") = -1, nb::arg("changes") = 0)
        .def(
            "state",
            [](const MajorityClass& self) {
                const MajorityState state = self.state();
                nb::dict out;
                out["counts"] = state.counts;
                out["answer"] = state.answer;
                out["seen"] = state.seen;
                out["last"] = state.last;
                out["changes"] = state.changes;
                return out;
            },
            nb::sig("def state(self) -> dict[str, typing.Any]"), "The arguments that make it again.")
        .def("watch", &watch_classes, nb::arg("numbers"), nb::arg("heavy").none(), nb::arg("apart").none(),
             "Answer rows, then learn those not held apart; how many answers were wrong of these and of "
             "those.")
        .def("watch_tokens", &watch_tokens, nb::arg("numbers"), nb::arg("starts"), nb::arg("learn"),
             "The same of the tokens of sequences, each of which is answered before any of it is learned.")
        .def_prop_ro("answer", &MajorityClass::answer)
        .def_prop_ro("changes", &MajorityClass::changes)
        .def_prop_ro("expected_changes", &MajorityClass::expected_changes);
    nb::class_<MeanTarget>(m, "MeanTarget", "Always the mean of the targets so far.")
        .def(
            "__init__",
            [](MeanTarget* self, std::int64_t learned, double mean, std::int64_t seen, double centre,
               double spread, double steps,
               double last) { new (self) MeanTarget({learned, mean, seen, centre, spread, steps, last}); },
            nb::arg("learned") = 0, nb::arg("mean") = 0.0, nb::arg("seen") = 0, nb::arg("centre") = 0.0,
            nb::arg("spread") = 0.0, nb::arg("steps") = 0.0, nb::arg("last") = 0.0)
        .def(
            "state",
            [](const MeanTarget& self) {
                const MeanState& state = self.state();
                nb::dict out;
                out["learned"] = state.learned;
                out["mean"] = state.mean;
                out["seen"] = state.seen;
                out["centre"] = state.centre;
                out["spread"] = state.spread;
                out["steps"] = state.steps;
                out["last"] = state.last;
                return out;
            },
            nb::sig("def state(self) -> dict[str, typing.Any]"), "The arguments that make it again.")
        .def("watch", &watch_targets, nb::arg("targets"), nb::arg("heavy").none(), nb::arg("apart").none(),
             "Answer rows, then learn those not held apart; the absolute errors of these and of those.")
        .def_prop_ro("answer", [](const MeanTarget& self) { return self.state().mean; })
        .def_prop_ro("seen", [](const MeanTarget& self) { return self.state().seen; })
        .def_prop_ro("changes", &MeanTarget::steps)
        .def_prop_ro("expected_changes", &MeanTarget::expected_steps);
}

}  // namespace onlinear::bindings
