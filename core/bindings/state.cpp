#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "exchange.hpp"
#include "handle.hpp"
#include "onlinear/saved_counts.hpp"

/// States on their way from and to Python.
namespace onlinear::bindings {

namespace {

/// The numbers of an entry, which it gives away.
template <class Framework>
nb::object to_array(StateEntry& entry) {
    const std::vector<std::size_t> shape{entry.shape[0], entry.shape[1]};
    return entry.f32.empty() ? array_of<Framework>(std::move(entry.f64), shape)
                             : array_of<Framework>(std::move(entry.f32), shape);
}

/// The calibration and the counts, which every learner has.
void add_counts(nb::dict& out, const RowLearner& learner) {
    out["calibration"] = numbers_of(learner.calibration);
    const Counters& n = learner.counters;
    out["counters"] = std::vector<double>{n.seen, n.mistakes, n.updates, n.cost};
    out["class_counts"] = learner.class_counts;
    if (const std::vector<double> cut = learner.cut.numbers(); !cut.empty()) out["cut"] = cut;
    if (const std::vector<double> targets = learner.targets.numbers(); !targets.empty())
        out["targets"] = targets;
}

Touched to_touched(
    const nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& bits,
    std::size_t slots, std::size_t blocks, const nb::dict& start) {
    Touched out{.slots = slots, .blocks = blocks, .bits = {}, .start = {}};
    if (blocks == 0 || slots == 0 || slots > SIZE_MAX / 64 / blocks)
        throw std::invalid_argument("the touched weights are of no possible state");
    const std::size_t words = Touched::words(slots, blocks), beyond = slots * blocks % 64;
    if (bits.size() != words * sizeof(std::uint64_t))
        throw std::invalid_argument("the touched weights do not fit the state");
    out.bits.resize(words);
    std::memcpy(out.bits.data(), bits.data(), bits.size());
    if (beyond != 0 && out.bits.back() >> beyond != 0)
        throw std::invalid_argument("weights are touched that do not exist");
    for (auto [name, value] : start)
        out.start.emplace_back(nb::cast<std::string>(name), nb::cast<double>(value));
    return out;
}

void bind_touched(nb::module_& m) {
    nb::class_<Touched>(m, "Touched", "Which weights learning has touched, and what all others are.")
        .def(
            "__init__",
            [](Touched* self,
               const nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>&
                   bits,
               std::size_t slots, std::size_t blocks,
               const nb::dict& start) { new (self) Touched(to_touched(bits, slots, blocks, start)); },
            nb::arg("bits"), nb::arg("slots"), nb::arg("blocks"), nb::arg("start"))
        .def_ro("slots", &Touched::slots)
        .def_ro("blocks", &Touched::blocks)
        .def_prop_ro("count", [](const Touched& self) { return self.count(); })
        .def_prop_ro(
            "bits",
            [](Touched& self) {
                return nb::ndarray<nb::memview, const std::uint8_t>(
                    self.bits.data(), {self.bits.size() * sizeof(std::uint64_t)}, nb::find(&self));
            },
            "A bit for each weight, that of (slot, block) at slot * blocks + block, lowest first.")
        .def_prop_ro("start", [](const Touched& self) {
            nb::dict start;
            for (const auto& [name, value] : self.start) start[name.c_str()] = value;
            return start;
        });
}

}  // namespace

/// The arrays take over the numbers: a large model is not copied once more.
nb::dict to_dict(std::vector<StateEntry> entries) {
    nb::dict out;
    for (StateEntry& entry : entries) {
        if (entry.shape.empty()) {
            out[entry.name.c_str()] = entry.scalar;
            continue;
        }
        out[entry.name.c_str()] = to_array<nb::numpy>(entry);
    }
    return out;
}

HeldState from_dict(const nb::dict& state) {
    HeldState held;
    for (auto [key, value] : state) {
        GivenEntry entry{.name = nb::cast<std::string>(key), .shape = {}, .scalar = 0, .f32 = {}, .f64 = {}};
        double number = 0;
        if (nb::try_cast<double>(value, number)) {
            entry.scalar = number;
        } else {
            const auto& array =
                held.arrays.emplace_back(nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(value));
            if (array.ndim() != 2)
                throw std::invalid_argument("state '" + entry.name + "' must have two dimensions");
            entry.shape = {array.shape(0), array.shape(1)};
            if (array.dtype() == nb::dtype<float>()) {
                entry.f32 = {static_cast<const float*>(array.data()), array.size()};
            } else if (array.dtype() == nb::dtype<double>()) {
                entry.f64 = {static_cast<const double*>(array.data()), array.size()};
            } else {
                throw std::invalid_argument("state '" + entry.name + "' must be float32 or float64");
            }
        }
        held.entries.push_back(std::move(entry));
    }
    return held;
}

void bind_state(nb::module_& m, nb::class_<Handle>& learner) {
    bind_touched(m);
    learner
        .def(
            "state_shapes",
            [](const Handle& self) {
                const auto lock = shared_turn(self.turn);
                const StatePart none;
                std::vector<std::tuple<std::string, std::size_t, std::size_t>> out;
                for (const StateEntry& entry : self.learner->state(&none))
                    if (!entry.shape.empty()) out.emplace_back(entry.name, entry.shape[0], entry.shape[1]);
                return out;
            },
            "Names and shapes of the arrays of `state`.")
        .def(
            "state_part",
            [](const Handle& self, const std::string& name, std::pair<std::size_t, std::size_t> rows,
               std::pair<std::size_t, std::size_t> columns) {
                const auto lock = shared_turn(self.turn);
                const StatePart part{name, {rows.first, rows.second}, {columns.first, columns.second}};
                for (StateEntry& entry : self.learner->state(&part))
                    if (entry.name == name && !entry.shape.empty()) return to_array<nb::memview>(entry);
                throw nb::key_error(name.c_str());
            },
            nb::arg("name"), nb::arg("rows"), nb::arg("columns"),
            "The numbers of one array of `state` in a range of rows and one of columns, as a memoryview.")
        .def(
            "touched",
            [](const Handle& self) {
                const auto lock = shared_turn(self.turn);
                return self.learner->touched();
            },
            "The weights learning has touched; None where the state is more than numbers for each weight.")
        .def(
            "touched_part",
            [](const Handle& self, const std::string& name, const Touched& touched,
               std::pair<std::size_t, std::size_t> columns) {
                const auto lock = shared_turn(self.turn);
                if (touched.slots != self.learner->features() + 1 || touched.blocks != self.learner->blocks())
                    throw std::invalid_argument("the touched weights are not those of this state");
                const StatePart part{name, {}, {columns.first, columns.second}, &touched};
                for (StateEntry& entry : self.learner->state(&part))
                    if (entry.name == name && !entry.shape.empty()) return to_array<nb::memview>(entry);
                throw nb::key_error(name.c_str());
            },
            nb::arg("name"), nb::arg("touched"), nb::arg("columns"),
            "The numbers of one array of `state` for the touched weights in a range of columns, as a "
            "memoryview.")
        .def(
            "state_numbers",
            [](const Handle& self) {
                const auto lock = shared_turn(self.turn);
                const StatePart none;
                std::vector<StateEntry> entries = self.learner->state(&none);
                std::erase_if(entries, [](const StateEntry& entry) { return !entry.shape.empty(); });
                nb::dict out = to_dict(std::move(entries));
                add_counts(out, *self.learner);
                return out;
            },
            "What `state` holds besides arrays.")
        .def("state",
             [](const Handle& self) {
                 const auto lock = shared_turn(self.turn);
                 nb::dict out = to_dict(self.learner->state());
                 add_counts(out, *self.learner);
                 return out;
             })
        .def(
            "load_state",
            [](Handle& self, const nb::dict& state, const Touched* touched) {
                const auto lock = own_turn(self.turn);
                nb::dict arrays;
                std::vector<double> calibration, counters, counts, cuts, targets;
                for (auto [key, value] : state) {
                    const auto name = nb::cast<std::string>(key);
                    if (name == "calibration")
                        calibration = nb::cast<std::vector<double>>(value);
                    else if (name == "counters")
                        counters = nb::cast<std::vector<double>>(value);
                    else if (name == "class_counts")
                        counts = nb::cast<std::vector<double>>(value);
                    else if (name == "cut")
                        cuts = nb::cast<std::vector<double>>(value);
                    else if (name == "targets")
                        targets = nb::cast<std::vector<double>>(value);
                    else
                        arrays[key] = value;
                }
                check_counts(counters, 4);
                check_finite(counts);
                const Calibration map = calibration_from(calibration);
                const Cut cut = Cut::from(cuts);
                const Targets measured = Targets::from(targets);
                const HeldState held = from_dict(arrays);
                self.learner->load(held.given(touched));
                self.learner->calibration = map;
                self.learner->cut = cut;
                self.learner->targets = measured;
                self.learner->counters = {.seen = counters[0],
                                          .mistakes = counters[1],
                                          .updates = counters[2],
                                          .cost = counters[3]};
                self.learner->class_counts = counts;
            },
            nb::arg("state"), nb::arg("touched") = nb::none(),
            "Take a state, or one whose arrays hold the numbers of the touched weights alone. Where it is "
            "refused, this object is good for nothing any more.");
}

}  // namespace onlinear::bindings
