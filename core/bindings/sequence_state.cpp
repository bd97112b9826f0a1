#include <limits>
#include <utility>

#include "arrays.hpp"
#include "sequence_handle.hpp"

/// States of learners of sequences, on their way from and to Python.
namespace onlinear::bindings {

nb::dict sequence_state(SequenceHandle& self) {
    const auto lock = own_turn(self.turn);
    self.grow();
    nb::dict out = to_dict(self.learner->state());
    const Counters& n = self.learner->counters;
    out["counters"] = array_of(std::vector<double>{n.seen, n.mistakes, n.updates, n.tokens, n.wrong_tokens});
    out["label_slots"] =
        array_of(std::vector<std::int64_t>(self.layout().label.begin(), self.layout().label.end()));
    out["column_slots"] =
        array_of(std::vector<std::int64_t>(self.layout().column.begin(), self.layout().column.end()));
    const std::vector<char>& text = self.names.text();
    out["names"] = array_of(std::vector<std::uint8_t>(text.begin(), text.end()));
    const std::vector<std::size_t>& starts = self.names.starts();
    out["name_starts"] = array_of(std::vector<std::int64_t>(starts.begin(), starts.end()));
    // Only where labels are balanced: other models are written as they always were.
    if (!self.learner->label_counts.empty()) out["label_counts"] = array_of(self.learner->label_counts);
    return out;
}

namespace {

template <class T>
std::vector<T> take(nb::dict& state, const char* name) {
    if (!state.contains(name)) throw std::invalid_argument(std::string("state '") + name + "' is missing");
    nb::ndarray<nb::ro, T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(nb::object(state[name]), array, false))
        throw std::invalid_argument(std::string("state '") + name + "' has another type or shape");
    nb::del(state[name]);
    return {array.data(), array.data() + array.shape(0)};
}

std::vector<std::uint32_t> take_slots(nb::dict& state, const char* name) {
    std::vector<std::uint32_t> slots;
    for (const std::int64_t slot : take<std::int64_t>(state, name)) {
        if (slot < 1 || slot > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("state holds slots that cannot be");
        slots.push_back(static_cast<std::uint32_t>(slot));
    }
    return slots;
}

/// Every slot but 0 belongs to exactly one label or column.
void check_slots(const sequence::Layout& layout) {
    std::vector<bool> taken(layout.slots(), false);
    for (const auto* slots : {&layout.label, &layout.column})
        for (const std::uint32_t slot : *slots) {
            if (slot == 0 || slot >= taken.size() || taken[slot])
                throw std::invalid_argument("state holds slots that cannot be");
            taken[slot] = true;
        }
}

}  // namespace

void load_sequence_state(SequenceHandle& self, const nb::dict& given, const nb::list& classes) {
    const auto lock = own_turn(self.turn);
    nb::dict state;
    for (auto [key, value] : given) state[key] = value;
    const auto counters = take<double>(state, "counters");
    sequence::Layout layout;
    layout.label = take_slots(state, "label_slots");
    layout.column = take_slots(state, "column_slots");
    const auto text = take<std::uint8_t>(state, "names");
    const auto starts = take<std::int64_t>(state, "name_starts");
    std::vector<double> label_counts;
    if (state.contains("label_counts")) label_counts = take<double>(state, "label_counts");
    check_slots(layout);
    const auto size = static_cast<std::int64_t>(text.size());
    if (counters.size() != 5 || starts.empty() || starts.front() != 0 || starts.back() != size)
        throw std::invalid_argument("state lacks its counters or its names");
    if (label_counts.size() > layout.labels())
        throw std::invalid_argument("state holds counts of labels it does not have");
    for (const std::vector<double>* counts : {&counters, &std::as_const(label_counts)})
        for (const double count : *counts)
            if (!(count >= 0 && count <= 9007199254740992.0))  // 2^53, up to where they count one by one
                throw std::invalid_argument("state holds a count that cannot be");
    Dictionary names;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        if (starts[i + 1] < starts[i] || starts[i + 1] > size)
            throw std::invalid_argument("state holds names that cannot be");
        names.add({reinterpret_cast<const char*>(text.data()) + starts[i],
                   static_cast<std::size_t>(starts[i + 1] - starts[i])});
    }
    if (names.size() + 1 != starts.size() || (names.size() > 0 && names.size() != layout.column.size()))
        throw std::invalid_argument("state holds names that do not fit its columns");
    if (classes.size() != layout.labels())
        throw std::invalid_argument(std::to_string(classes.size()) + " classes do not fit weights for " +
                                    std::to_string(layout.labels()));
    auto fresh = self.learner->copy();
    fresh->layout = layout;
    const HeldState held = from_dict(state);
    fresh->load(held.given());
    fresh->counters = {.seen = counters[0],
                       .mistakes = counters[1],
                       .updates = counters[2],
                       .tokens = counters[3],
                       .wrong_tokens = counters[4]};
    fresh->label_counts = std::move(label_counts);
    self.learner = std::move(fresh);
    self.names = std::move(names);
    self.classes = nb::steal<nb::list>(PySequence_List(classes.ptr()));
    self.grown = self.layout().slots();
    self.extractor.forget();
}

}  // namespace onlinear::bindings
