#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "exchange.hpp"
#include "onlinear/sequence/conll.hpp"
#include "onlinear/sequence/learner.hpp"
#include "turn.hpp"
#include "words.hpp"

namespace onlinear::bindings {

namespace {

using sequence::Dictionary;
using sequence::Sentences;

template <class T>
nb::object array_of(std::vector<T> values, std::vector<std::size_t> shape = {}) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {kept->size()};
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

std::string_view text_of(PyObject* word) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(word, &size);
    if (!text) throw nb::python_error();
    return {text, static_cast<std::size_t>(size)};
}

/// A learner of sequences as Python holds it: calls from several threads take turns, readers together.
///
/// Reading sequences to learn them brings names of features and labels; the weights grow to their number when
/// somebody looks at them or learns. So an interruption between the two leaves names whose weights are as at
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

/// Walks Python's sequences of tokens and puts them in a batch.
class Walker {
public:
    Walker(SequenceHandle& handle, bool learning, Sentences& batch)
        : handle_(handle), learning_(learning), batch_(batch) {}

    void sentence(std::size_t number, nb::handle tokens, const std::vector<std::int32_t>& labels) {
        sentence_ = number;
        if (nb::ndarray<nb::ro, double, nb::ndim<2>, nb::c_contig, nb::device::cpu> x;
            nb::try_cast(tokens, x, false))
            return dense(x, labels);
        if (nb::isinstance<nb::tuple>(tokens) && nb::len(tokens) == 4 && nb::isinstance<nb::int_>(tokens[3]))
            return sparse(nb::cast<nb::tuple>(tokens), labels);
        const auto items = as_list(tokens, "must be a list of tokens or a two-dimensional array");
        check_length(items.size(), labels);
        need(handle_.layout().column.size() == handle_.names.size(),
             "the model was fitted on arrays of numbers, so it cannot take features by name");
        for (token_ = 0; token_ < items.size(); ++token_) {
            token(items[token_]);
            batch_.end_token(labels.empty() ? -1 : labels[token_]);
        }
        batch_.end_sentence();
    }

private:
    using Values = nb::ndarray<nb::ro, double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

    [[noreturn]] void refuse(const std::string& why) const {
        throw std::invalid_argument("sequence " + std::to_string(sentence_) + ": " + why);
    }
    [[noreturn]] void refuse_token(const std::string& why) const {
        throw std::invalid_argument("sequence " + std::to_string(sentence_) + ", token " +
                                    std::to_string(token_) + ": " + why);
    }
    void need(bool good, const char* why) const {
        if (!good) refuse(why);
    }
    void check_length(std::size_t tokens, const std::vector<std::int32_t>& labels) const {
        if (tokens == 0) refuse("it is empty; drop it, a sequence has at least one token");
        if (!labels.empty() && labels.size() != tokens)
            refuse("it has " + std::to_string(tokens) + " tokens and " + std::to_string(labels.size()) +
                   " labels");
    }

    std::vector<PyObject*> as_list(nb::handle object, const char* expected) {
        std::vector<PyObject*> out;
        if (PyList_Check(object.ptr())) {
            const Py_ssize_t n = PyList_Size(object.ptr());
            for (Py_ssize_t i = 0; i < n; ++i) out.push_back(PyList_GetItem(object.ptr(), i));
        } else if (PyTuple_Check(object.ptr())) {
            const Py_ssize_t n = PyTuple_Size(object.ptr());
            for (Py_ssize_t i = 0; i < n; ++i) out.push_back(PyTuple_GetItem(object.ptr(), i));
        } else {
            refuse(std::string(expected) + ", got " + shown(object.ptr()));
        }
        return out;
    }

    void columns(std::size_t count) {
        need(handle_.names.size() == 0,
             "the model was fitted on features by name, so it cannot take an array");
        const std::size_t known = handle_.layout().column.size();
        if (known > 0 && count != known)
            refuse("it has " + std::to_string(count) + " features a token, the sequences before it " +
                   std::to_string(known));
        if (known == 0 && !learning_) refuse("the model has learned nothing yet");
        if (count > handle_.max_features)
            refuse(std::to_string(count) + " features are more than max_features (" +
                   std::to_string(handle_.max_features) + ")");
        handle_.layout().add_columns(count);
    }

    void dense(const Values& x, const std::vector<std::int32_t>& labels) {
        check_length(x.shape(0), labels);
        columns(x.shape(1));
        const double* value = x.data();
        for (token_ = 0; token_ < x.shape(0); ++token_) {
            for (std::size_t c = 0; c < x.shape(1); ++c, ++value)
                if (*value != 0) batch_.add(handle_.layout().column[c], usable(*value));
            batch_.end_token(labels.empty() ? -1 : labels[token_]);
        }
        batch_.end_sentence();
    }

    /// (data, indices, indptr, columns) of a CSR matrix.
    void sparse(const nb::tuple& csr, const std::vector<std::int32_t>& labels) {
        using Flat = nb::ndarray<nb::ro, double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
        using Whole = nb::ndarray<nb::ro, std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
        const auto data = nb::cast<Flat>(csr[0]);
        const auto indices = nb::cast<Whole>(csr[1]), indptr = nb::cast<Whole>(csr[2]);
        const auto width = nb::cast<std::size_t>(csr[3]);
        if (indptr.shape(0) == 0) refuse("indptr is empty");
        check_length(indptr.shape(0) - 1, labels);
        columns(width);
        for (token_ = 0; token_ + 1 < indptr.shape(0); ++token_) {
            const std::int64_t first = indptr.data()[token_], last = indptr.data()[token_ + 1];
            const auto entries = static_cast<std::int64_t>(std::min(data.shape(0), indices.shape(0)));
            if (first < 0 || last < first || last > entries)
                refuse_token("indptr falls or leaves the arrays");
            for (std::int64_t j = first; j < last; ++j) {
                const std::int64_t c = indices.data()[j];
                if (c < 0 || c >= static_cast<std::int64_t>(width))
                    refuse_token("feature index " + std::to_string(c) + " is outside the matrix");
                batch_.add(handle_.layout().column[static_cast<std::size_t>(c)], usable(data.data()[j]));
            }
            batch_.sort_token();
            batch_.end_token(labels.empty() ? -1 : labels[token_]);
        }
        batch_.end_sentence();
    }

    void token(PyObject* features) {
        if (PyDict_Check(features)) {
            mapping(features, {});
            batch_.sort_token();
            return;
        }
        if (PyUnicode_Check(features) || PyBytes_Check(features))
            refuse_token("features must be a list or a dict, got " + shown(features));
        if (PyList_Check(features)) {
            for (Py_ssize_t i = 0; i < PyList_Size(features); ++i) word(PyList_GetItem(features, i), {});
            return;
        }
        const nb::object iterator = nb::steal(PyObject_GetIter(features));
        if (!iterator.is_valid()) {
            PyErr_Clear();
            refuse_token("features must be a list or a dict, got " + shown(features));
        }
        while (const nb::object item = nb::steal(PyIter_Next(iterator.ptr()))) word(item.ptr(), {});
        if (PyErr_Occurred()) throw nb::python_error();
        if (PyAnySet_Check(features)) batch_.sort_token();
    }

    void word(PyObject* text, std::string_view before) {
        if (!PyUnicode_Check(text))
            refuse_token("a feature must be a string, got " + shown(text) +
                         "; give numbers as a dict or an array");
        put(text_of(text), before, 1.0);
    }

    void put(std::string_view word, std::string_view before, double value) {
        if (before.empty()) return handle_.name_column(word, learning_, value, batch_);
        joined_.assign(before).append("=").append(word);
        handle_.name_column(joined_, learning_, value, batch_);
    }

    /// {"w": "the"} is the feature "w=the"; {"w": 0.5} the feature "w" of value 0.5; lists, sets and dicts
    /// nest.
    void mapping(PyObject* features, const std::string& before) {
        PyObject *key, *value;
        Py_ssize_t position = 0;
        while (PyDict_Next(features, &position, &key, &value)) {
            if (!PyUnicode_Check(key)) refuse_token("a feature must be named by a string, got " + shown(key));
            const std::string name =
                before.empty() ? std::string(text_of(key)) : before + "=" + std::string(text_of(key));
            if (PyUnicode_Check(value)) {
                put(text_of(value), name, 1.0);
            } else if (PyDict_Check(value)) {
                mapping(value, name);
            } else if (PyList_Check(value) || PyTuple_Check(value) || PyAnySet_Check(value)) {
                for (nb::handle item : nb::borrow(value)) word(item.ptr(), name);
            } else {
                const double number = PyFloat_AsDouble(value);
                if (number == -1.0 && PyErr_Occurred()) {
                    PyErr_Clear();
                    refuse_token("feature " + shown(key) + " must be a number or a string, got " +
                                 shown(value));
                }
                if (number != 0) handle_.name_column(name, learning_, usable(number), batch_);
            }
        }
    }

    double usable(double value) const {
        if (std::isnan(value)) refuse_token("X contains NaN. Impute it, or drop the sequence.");
        if (std::isinf(value)) refuse_token("X contains infinity. Clip it, or drop the sequence.");
        if (handle_.learner->single_precision() && std::abs(value) > std::numeric_limits<float>::max())
            refuse_token(
                "X holds a value too large for float32. Scale the features, or use dtype='float64'.");
        return value;
    }

    SequenceHandle& handle_;
    bool learning_;
    Sentences& batch_;
    std::size_t sentence_ = 0, token_ = 0;
    std::string joined_;
};

/// Labels as numbers; with `learning`, new ones are numbered in the order in which they come.
void number_labels(nb::handle labels, nb::dict& index, bool learning, std::size_t sentence,
                   std::vector<std::int32_t>& out) {
    out.clear();
    for (nb::handle label : labels) {
        PyObject* found = PyDict_GetItemWithError(index.ptr(), label.ptr());
        if (found) {
            out.push_back(static_cast<std::int32_t>(PyLong_AsLong(found)));
            continue;
        }
        if (PyErr_Occurred()) throw nb::python_error();
        if (!learning)
            throw std::invalid_argument("sequence " + std::to_string(sentence) + ": label " +
                                        shown(label.ptr()) + " is not one of the classes");
        const std::size_t number = nb::len(index);
        index[label] = number;
        out.push_back(static_cast<std::int32_t>(number));
    }
}

std::unique_ptr<Sentences> read(SequenceHandle& self, nb::list X, nb::object y, nb::dict index, bool learning,
                                bool new_labels) {
    const auto lock = own_turn(self.turn);
    auto batch = std::make_unique<Sentences>();
    Walker walker(self, learning, *batch);
    std::vector<std::int32_t> labels;
    const std::size_t count = nb::len(X);
    for (std::size_t i = 0; i < count; ++i) {
        if (!y.is_none()) {
            const nb::object answers = y[i];
            number_labels(answers, index, new_labels, i, labels);
            if (labels.empty())
                throw std::invalid_argument("sequence " + std::to_string(i) + ": it has no labels");
            if (learning && self.classes.size() < index.size()) self.add_labels(index.keys());
        }
        walker.sentence(i, X[i], labels);
    }
    if (learning) self.learner->check_layout();
    return batch;
}

task::SequenceCost cost_of(nb::handle cost, nb::list classes, std::exception_ptr& raised) {
    task::SequenceCost out;
    if (std::string word; nb::try_cast<std::string>(cost, word)) {
        out.kind = word == "hamming"        ? task::SequenceCost::hamming
                   : word == "mean_hamming" ? task::SequenceCost::mean_hamming
                                            : task::SequenceCost::zero_one;
        return out;
    }
    out.kind = task::SequenceCost::custom;
    out.call = [call = nb::borrow(cost), classes, &raised](std::span<const std::int32_t> y,
                                                           std::span<const std::int32_t> q) {
        const auto words = [&](std::span<const std::int32_t> labels) {
            nb::list all;
            for (const std::int32_t label : labels) all.append(classes[static_cast<std::size_t>(label)]);
            return all;
        };
        // The loop knows no exceptions: it stops at a cost that is no number, and the caller raises this one.
        try {
            return nb::cast<double>(call(words(y), words(q)));
        } catch (...) {
            raised = std::current_exception();
            return std::numeric_limits<double>::quiet_NaN();
        }
    };
    return out;
}

using Order = nb::ndarray<nb::ro, std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<nb::ro, double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple learn(SequenceHandle& self, Sentences& batch, const std::optional<Order>& order,
                const std::optional<Numbers>& weight, nb::object cost, nb::list classes, std::size_t known) {
    const auto lock = own_turn(self.turn);
    std::exception_ptr raised;
    sequence::SentenceLesson lesson{.order = nullptr,
                                    .count = batch.sentences(),
                                    .weight = nullptr,
                                    .cost = cost_of(cost, classes, raised),
                                    .known = known};
    if (order) {
        lesson.order = order->data();
        lesson.count = order->shape(0);
        for (std::size_t i = 0; i < lesson.count; ++i)
            if (static_cast<std::uint64_t>(lesson.order[i]) >= batch.sentences())
                throw std::invalid_argument("order holds a sequence that does not exist");
    }
    if (weight) {
        if (weight->shape(0) != batch.sentences())
            throw std::invalid_argument("weights and sequences differ in number");
        lesson.weight = weight->data();
    }
    for (const std::int32_t label : batch.label)
        if (static_cast<std::uint64_t>(label) >= self.layout().labels())
            throw std::invalid_argument("a token has no label");
    self.grow();
    Report r;
    if (lesson.cost.kind == task::SequenceCost::custom) {
        r = self.learner->learn(batch, lesson);
    } else {
        nb::gil_scoped_release release;
        r = self.learner->learn(batch, lesson);
    }
    if (raised) std::rethrow_exception(raised);
    return nb::make_tuple(r.learned, r.mistakes, r.updates, r.tokens, r.wrong_tokens,
                          static_cast<int>(r.refusal.fault), r.refusal.row);
}

nb::tuple tag(SequenceHandle& self, Sentences& batch, bool confidence, std::size_t first,
              std::optional<std::size_t> stop) {
    const auto lock = own_turn(self.turn);
    self.grow();
    const std::size_t last = stop.value_or(batch.sentences());
    if (first > last || last > batch.sentences())
        throw std::invalid_argument("no such sequences in the batch");
    const std::size_t tokens = batch.starts()[last] - batch.starts()[first];
    std::vector<std::int32_t> labels(tokens);
    std::vector<double> sure(confidence ? tokens : 0);
    {
        nb::gil_scoped_release release;
        self.learner->tag(batch, first, last, labels.data(), confidence ? sure.data() : nullptr);
    }
    return nb::make_tuple(array_of(std::move(labels)), confidence ? array_of(std::move(sure)) : nb::none());
}

/// A file being read; it keeps the learner's handle alive.
struct ConllHandle {
    nb::object owner;
    SequenceHandle& handle;
    Dictionary labels;
    std::unique_ptr<Sentences> batch = std::make_unique<Sentences>();
    sequence::ConllReader reader;

    bool learning;

    ConllHandle(nb::object owner_, const std::vector<std::string>& classes, bool learning_, bool skip,
                std::size_t max_tokens, std::size_t max_line_bytes)
        : owner(owner_),
          handle(nb::cast<SequenceHandle&>(owner_)),
          reader(handle.extractor, handle.names, handle.layout(), labels, handle.max_features, learning_,
                 skip, {max_tokens, max_line_bytes}),
          learning(learning_) {
        for (const std::string& name : classes) labels.add(name);
        if (handle.layout().column.size() != handle.names.size())
            throw std::invalid_argument(
                "the model was fitted on arrays of numbers, so it cannot read features by name");
    }

    /// Reads on by `read`; what labels it meets have names when it returns, also where it throws.
    template <class Read>
    void advance(Read&& read) {
        const auto lock = own_turn(handle.turn);
        try {
            const nb::gil_scoped_release release;
            read();
            if (learning) handle.learner->check_layout();
        } catch (...) {
            name_labels();
            throw;
        }
        name_labels();
    }

private:
    void name_labels() {
        for (std::size_t i = handle.classes.size(); i < handle.layout().labels(); ++i) {
            const std::string_view name = labels[i];
            handle.classes.append(nb::str(name.data(), name.size()));
        }
    }
};

std::vector<std::string> all_words(const Dictionary& words) {
    std::vector<std::string> out;
    out.reserve(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) out.emplace_back(words[i]);
    return out;
}

nb::dict state_of(SequenceHandle& self) {
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
    return out;
}

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

void load_state(SequenceHandle& self, const nb::dict& given, const nb::list& classes) {
    const auto lock = own_turn(self.turn);
    nb::dict state;
    for (auto [key, value] : given) state[key] = value;
    const auto counters = take<double>(state, "counters");
    sequence::Layout layout;
    layout.label = take_slots(state, "label_slots");
    layout.column = take_slots(state, "column_slots");
    const auto text = take<std::uint8_t>(state, "names");
    const auto starts = take<std::int64_t>(state, "name_starts");
    check_slots(layout);
    const auto size = static_cast<std::int64_t>(text.size());
    if (counters.size() != 5 || starts.empty() || starts.front() != 0 || starts.back() != size)
        throw std::invalid_argument("state lacks its counters or its names");
    for (const double count : counters)
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
    self.learner = std::move(fresh);
    self.names = std::move(names);
    self.classes = nb::steal<nb::list>(PySequence_List(classes.ptr()));
    self.grown = self.layout().slots();
    self.extractor.forget();
}

nb::object weights_of(SequenceHandle& self, const std::string& which) {
    const auto lock = own_turn(self.turn);
    self.grow();
    std::vector<double> out(self.learner->weight_count());
    using W = sequence::SentenceLearner::Weights;
    self.learner->weights(which == "mean"       ? W::mean
                          : which == "variance" ? W::variance
                                                : W::average,
                          out.data());
    return array_of(std::move(out));
}

}  // namespace

void bind_sequence(nb::module_& m) {
    nb::class_<Sentences>(m, "SequenceBatch", "Sequences ready to be learned or labelled.")
        .def("__len__", &Sentences::sentences)
        .def_prop_ro("n_tokens", &Sentences::tokens)
        .def_prop_ro("n_entries", &Sentences::entries)
        .def_prop_ro(
            "starts",
            [](const Sentences& b) {
                return array_of(std::vector<std::int64_t>(b.starts().begin(), b.starts().end()));
            },
            "Where each sequence's tokens begin; one more than sequences.")
        .def_prop_ro(
            "labels", [](const Sentences& b) { return array_of(b.label); },
            "A label number a token; -1 where there is none.")
        .def("relabel", &Sentences::relabel, nb::arg("to"), "Renumber the labels.");

    nb::class_<SequenceHandle>(m, "SequenceLearner", "The native learner of sequences.")
        .def(
            "__init__",
            [](SequenceHandle* self, nb::handle rule, nb::handle belief, bool single_precision,
               std::size_t max_features) {
                auto learner = sequence::make_learner(to_rule(rule), to_belief(belief), single_precision);
                new (self) SequenceHandle{};
                self->learner = std::move(learner);
                self->max_features = max_features;
            },
            nb::arg("rule"), nb::arg("belief"), nb::arg("single_precision"), nb::arg("max_features"))
        .def("read", &read, nb::arg("X"), nb::arg("y").none(), nb::arg("index"), nb::arg("learning"),
             nb::arg("new_labels"))
        .def("learn", &learn, nb::arg("batch"), nb::arg("order").none(), nb::arg("weight").none(),
             nb::arg("cost"), nb::arg("classes"), nb::arg("known"))
        .def("tag", &tag, nb::arg("batch"), nb::arg("confidence"), nb::arg("first") = 0,
             nb::arg("last") = nb::none())
        .def(
            "set_truncation",
            [](SequenceHandle& self, double sigma) {
                const auto lock = own_turn(self.turn);
                self.learner->set_truncation(sigma);
            },
            nb::arg("sigma"))
        .def(
            "add_labels",
            [](SequenceHandle& self, const nb::list& names) {
                const auto lock = own_turn(self.turn);
                self.add_labels(names);
                self.learner->check_layout();
            },
            nb::arg("names"), "Take the names past those that are known.")
        .def(
            "add_columns",
            [](SequenceHandle& self, std::size_t n) {
                const auto lock = own_turn(self.turn);
                if (self.names.size() > 0) throw std::invalid_argument("the features have names");
                self.layout().add_columns(n);
            },
            nb::arg("n"))
        .def(
            "permute_labels",
            [](SequenceHandle& self, const std::vector<std::size_t>& order) {
                const auto lock = own_turn(self.turn);
                // Only before anything is learned: the slots follow the labels to their new numbers.
                std::vector<std::uint32_t> slots;
                nb::list names;
                for (const std::size_t old : order) {
                    slots.push_back(self.layout().label.at(old));
                    names.append(self.classes[old]);
                }
                self.layout().label = slots;
                self.classes = names;
            },
            nb::arg("order"))
        .def(
            "set_templates",
            [](SequenceHandle& self, const std::vector<std::string>& templates,
               const std::vector<std::string>& columns) {
                const auto lock = own_turn(self.turn);
                if (templates == self.templates && columns == self.columns)
                    return;  // what it remembers stays good
                self.extractor = sequence::Extractor(templates, columns);
                self.templates = templates;
                self.columns = columns;
            },
            nb::arg("templates"), nb::arg("columns"))
        .def(
            "mark",
            [](SequenceHandle& self) {
                const auto lock = shared_turn(self.turn);
                return nb::make_tuple(self.layout().labels(), self.layout().column.size(), self.names.size());
            },
            "Sizes to go back to with `undo`.")
        .def("undo", &SequenceHandle::undo, nb::arg("labels"), nb::arg("columns"), nb::arg("words"))
        .def("weights", &weights_of, nb::arg("which"))
        .def("covariance",
             [](SequenceHandle& self) -> nb::object {
                 const auto lock = own_turn(self.turn);
                 self.grow();
                 const std::size_t n = self.learner->weight_count();
                 std::vector<double> out(self.learner->has_variance() ? n * n : 0);
                 if (!self.learner->covariance(out.data())) return nb::none();
                 return array_of(std::move(out), {n, n});
             })
        .def_prop_ro("has_variance", [](const SequenceHandle& self) { return self.learner->has_variance(); })
        .def_prop_ro("single_precision",
                     [](const SequenceHandle& self) { return self.learner->single_precision(); })
        .def_prop_ro("n_labels",
                     [](const SequenceHandle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.learner->layout.labels();
                     })
        .def_prop_ro("n_columns",
                     [](const SequenceHandle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.learner->layout.column.size();
                     })
        .def_prop_ro("counters",
                     [](const SequenceHandle& self) {
                         const auto lock = shared_turn(self.turn);
                         const Counters& n = self.learner->counters;
                         return nb::make_tuple(n.seen, n.mistakes, n.updates, n.tokens, n.wrong_tokens);
                     })
        .def_prop_rw(
            "classes",
            [](const SequenceHandle& self) {
                const auto lock = shared_turn(self.turn);
                return nb::steal<nb::list>(PySequence_List(self.classes.ptr()));
            },
            [](SequenceHandle& self, const nb::list& names) {
                const auto lock = own_turn(self.turn);
                if (names.size() != self.classes.size())
                    throw std::invalid_argument("the labels and their names differ in number");
                self.classes = nb::steal<nb::list>(PySequence_List(names.ptr()));
            },
            "The names of the labels, in the order of their numbers.")
        .def("names",
             [](const SequenceHandle& self) {
                 const auto lock = shared_turn(self.turn);
                 return all_words(self.names);
             })
        .def("state", &state_of)
        .def("load_state", &load_state, nb::arg("state"), nb::arg("classes"));

    nb::class_<ConllHandle>(m, "ConllReader", "Reads CoNLL columns into batches with a learner's templates.")
        .def(nb::init<nb::object, const std::vector<std::string>&, bool, bool, std::size_t, std::size_t>(),
             nb::arg("learner"), nb::arg("classes"), nb::arg("learning"), nb::arg("skip") = false,
             nb::arg("max_tokens") = sequence::ConllLimits{}.tokens,
             nb::arg("max_line_bytes") = sequence::ConllLimits{}.line_bytes)
        .def(
            "feed",
            [](ConllHandle& self, nb::bytes bytes) {
                self.advance([&] { self.reader.feed({bytes.c_str(), bytes.size()}, *self.batch); });
            },
            nb::arg("bytes"))
        .def("finish", [](ConllHandle& self) { self.advance([&] { self.reader.finish(*self.batch); }); })
        .def(
            "take",
            [](ConllHandle& self) {
                auto full = std::make_unique<Sentences>();
                full.swap(self.batch);
                return full;
            },
            "The sequences read so far; reading goes on with an empty batch.")
        .def(
            "take_lines",
            [](ConllHandle& self) {
                std::vector<std::int64_t> lines;
                lines.swap(self.reader.first_lines);
                return array_of(std::move(lines));
            },
            "The first line of each sequence read since the last call.")
        .def(
            "take_problems",
            [](ConllHandle& self) {
                nb::list out;
                for (const auto& p : self.reader.problems)
                    out.append(nb::make_tuple(p.line, p.column, p.expected, p.found));
                self.reader.problems.clear();
                return out;
            },
            "(line, column, expected, found) of each sequence left out since the last call.")
        .def_prop_ro("n_sequences", [](const ConllHandle& self) { return self.batch->sentences(); })
        .def_prop_ro("labelled", [](const ConllHandle& self) { return self.reader.labelled(); })
        .def_prop_ro("labels", [](const ConllHandle& self) { return all_words(self.labels); });

    m.def(
        "template_features",
        [](const std::vector<std::vector<std::string>>& tokens, const std::vector<std::string>& templates,
           const std::vector<std::string>& columns) {
            sequence::Extractor extractor(templates, columns);
            extractor.start();
            for (const std::vector<std::string>& token : tokens) {
                if (token.size() < columns.size())
                    throw std::invalid_argument("a token has fewer columns than the templates name");
                const std::vector<std::string_view> texts(token.begin(), token.end());
                extractor.token(texts.data());
            }
            return extractor.describe();
        },
        nb::arg("tokens"), nb::arg("templates"), nb::arg("columns"), "The features of one sequence as text.");
}

}  // namespace onlinear::bindings
