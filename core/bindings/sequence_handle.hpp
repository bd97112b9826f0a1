#pragma once
#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <vector>

#include "exchange.hpp"
#include "onlinear/sequence/dictionary.hpp"
#include "onlinear/sequence/learner.hpp"
#include "onlinear/sequence/templates.hpp"
#include "turn.hpp"

namespace onlinear::bindings {

using sequence::Dictionary;
using sequence::Sentences;

/// A learner of sequences as Python holds it: calls from several threads take turns, readers together.
///
/// Reading sequences to learn them brings names of features and labels; the weights grow to their number when
/// they are read or learned. So an interruption between the two leaves names whose weights are as at
/// the start, and never a name without weights in a state that is written.
struct SequenceHandle {
    std::unique_ptr<sequence::SentenceLearner> learner;
    Dictionary names;
    nb::list classes;  // the names of the labels, which Python may see as any objects
    sequence::Extractor extractor;
    std::vector<std::string> templates, columns;  // what `extractor` was made from
    std::size_t max_features = std::size_t{1} << 28;
    std::size_t grown = 0;  // slots of the layout that the weights have been grown to
    mutable Turn turn;

    sequence::Layout& layout() noexcept { return learner->layout; }

    void name_column(std::string_view word, bool learning, double value, Sentences& batch) {
        std::uint32_t column = names.find(word);
        if (column == Dictionary::kNone) {
            if (!learning) return;  // a feature never learned says nothing
            if (names.size() >= max_features)
                throw std::invalid_argument("more than max_features (" + std::to_string(max_features) +
                                            ") features; use fewer, or raise max_features");
            column = names.add(word);
            layout().add_columns(names.size());
        }
        batch.add(layout().column[column], value);
    }

    /// Makes the weights as many as the names.
    void grow() {
        learner->fit_layout();
        grown = layout().slots();
    }

    /// Names the labels past those that are known.
    void add_labels(const nb::list& known) {
        for (std::size_t i = classes.size(); i < known.size(); ++i) classes.append(known[i]);
        layout().add_labels(classes.size());
    }

    /// Forgets names that came after a moment when there were so many of each, unless they have weights by
    /// now.
    void undo(std::size_t labels, std::size_t columns, std::size_t words) {
        const auto lock = own_turn(turn);
        if (1 + labels + columns < grown) return;
        layout().truncate(labels, columns);
        names.truncate(words);
        if (labels < classes.size() && PyList_SetSlice(classes.ptr(), static_cast<Py_ssize_t>(labels),
                                                       static_cast<Py_ssize_t>(classes.size()), nullptr) != 0)
            throw nb::python_error();
        extractor.forget();
    }
};

/// Sequences of Python's as a batch; with `learning`, their features get names and with `new_labels` their
/// labels numbers.
std::unique_ptr<Sentences> read_sequences(SequenceHandle& self, nb::list X, nb::object y, nb::dict index,
                                          bool learning, bool new_labels);

nb::dict sequence_state(SequenceHandle& self);
void load_sequence_state(SequenceHandle& self, const nb::dict& given, const nb::list& classes);

std::vector<std::string> all_words(const Dictionary& words);

void bind_conll(nb::module_& m);

}  // namespace onlinear::bindings
