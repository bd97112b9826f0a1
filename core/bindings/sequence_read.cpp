#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "sequence_handle.hpp"
#include "words.hpp"

/// Python's sequences of tokens, on their way into batches.
namespace onlinear::bindings {

namespace {

std::string_view text_of(PyObject* word) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(word, &size);
    if (!text) throw nb::python_error();
    return {text, static_cast<std::size_t>(size)};
}

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
        if (known == 0 && !learning_) return;  // labels were announced, and nothing is known of any column
        if (count > handle_.max_features)
            refuse(std::to_string(count) + " features are more than max_features (" +
                   std::to_string(handle_.max_features) + ")");
        handle_.layout().add_columns(count);
    }

    /// An entry of an array; where nothing is known of any column, its weights are zero and it is left out.
    template <class Value>
    void add(std::size_t column, Value value) {
        const auto& slots = handle_.layout().column;
        if (!slots.empty()) batch_.add(slots[column], value);
    }

    void dense(const Values& x, const std::vector<std::int32_t>& labels) {
        check_length(x.shape(0), labels);
        columns(x.shape(1));
        const double* value = x.data();
        for (token_ = 0; token_ < x.shape(0); ++token_) {
            for (std::size_t c = 0; c < x.shape(1); ++c, ++value)
                if (*value != 0) add(c, usable(*value));
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
                add(static_cast<std::size_t>(c), usable(data.data()[j]));
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

}  // namespace

std::unique_ptr<Sentences> read_sequences(SequenceHandle& self, nb::list X, nb::object y, nb::dict index,
                                          bool learning, bool new_labels) {
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

}  // namespace onlinear::bindings
