#pragma once
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onlinear/matrix.hpp"
#include "onlinear/text/murmur3.hpp"

namespace onlinear::bindings {

namespace nb = nanobind;

/// Columns and words in the order they came, the words' bytes in one run: a new word costs a copy, no
/// allocation.
class WordList {
public:
    void add(std::uint32_t column, std::string_view word) {
        places_.push_back({column, static_cast<std::uint32_t>(word.size()), bytes_.size()});
        bytes_.append(word);
    }
    void clear() noexcept {
        places_.clear();
        bytes_.clear();
    }
    std::size_t size() const noexcept { return places_.size(); }
    bool empty() const noexcept { return places_.empty(); }

    template <class F>
    void each(F&& f) const {
        for (const Place& place : places_)
            f(place.column, std::string_view(bytes_).substr(place.start, place.size));
    }

private:
    struct Place {
        std::uint32_t column, size;
        std::size_t start;
    };
    std::vector<Place> places_;
    std::string bytes_;
};

/// From the keys of a dict to columns.
///
/// Whole numbers are columns. Strings are the names of columns when the model knows names, else they are
/// hashed to 2^bits, and the first name seen for a column is remembered, up to a bound, so that models speak
/// in words.
class FeatureMap {
public:
    int bits = 0;  // 0: strings are not hashed
    std::size_t max_features = std::size_t{1} << 28;
    std::size_t max_names = std::size_t{1} << 20;
    std::unordered_map<std::string, std::uint32_t> columns;  // named columns
    WordList words;                                          // hashed columns

    std::vector<std::int64_t> index;
    std::vector<double> value;
    std::vector<std::string> fresh;  // named columns the last dict brings
    bool hashed = false;             // whether the last dict had a hashed key

    /// Reads a dict; with `learning`, new names are given columns and words noted, both for `commit` to keep.
    void read(nb::handle features, bool learning) {
        index.clear();
        value.clear();
        fresh.clear();
        noted_.clear();
        hashed = false;
        top_ = -1;
        finite_ = true;
        if (!PyDict_Check(features.ptr())) {
            read_mapping(features, learning);
            return;
        }
        PyObject *key, *number;
        Py_ssize_t position = 0;
        while (PyDict_Next(features.ptr(), &position, &key, &number)) add(key, number, learning);
    }

    /// Keeps what `read` noted; called once the example is known to be good.
    void commit() {
        for (const std::string& word : fresh)
            columns.emplace(word, static_cast<std::uint32_t>(columns.size()));
        noted_.each([this](std::uint32_t column, std::string_view word) { remember(word, column); });
    }

    /// The first value that is not finite in the state's type.
    Refusal inspect(bool single_precision) const noexcept {
        if (finite_) return {};
        for (std::size_t j = 0; j < value.size(); ++j) {
            const double x = value[j];
            if (std::isnan(x)) return {Fault::nan, 0, index[j]};
            if (std::isinf(x)) return {Fault::infinite, 0, index[j]};
            if (single_precision && std::isinf(static_cast<float>(x))) return {Fault::too_large, 0, index[j]};
        }
        return {};
    }

    /// One more than the largest column.
    std::size_t needed() const noexcept { return static_cast<std::size_t>(top_ + 1); }

    void remember(std::string_view word, std::uint32_t column) {
        make_room();
        if (column < seen_.size()) {
            if (seen_[column]) return;
            seen_[column] = true;
        }
        words.add(column, word);
    }

private:
    void read_mapping(nb::handle features, bool learning) {
        if (!nb::hasattr(features, "items"))
            throw nb::type_error(
                ("x must be a dict of features, got " + repr(features.ptr()) + "; arrays go to partial_fit")
                    .c_str());
        const nb::object items = features.attr("items")();
        for (nb::handle item : items) {
            const nb::object key = item[0], number = item[1];
            add(key.ptr(), number.ptr(), learning);
        }
    }

    void add(PyObject* key, PyObject* number, bool learning) {
        if (PyUnicode_Check(number)) {  // a category: {"colour": "red"} is the feature "colour=red"
            add_word(text(key) + "=" + text(number), 1.0, learning);
            return;
        }
        double x = PyFloat_CheckExact(number) ? PyFloat_AsDouble(number) : as_number(key, number);
        if (PyUnicode_Check(key)) {
            Py_ssize_t size;
            const char* word = PyUnicode_AsUTF8AndSize(key, &size);
            if (!word) throw nb::python_error();
            if (!columns.empty() || bits == 0) {
                add_word(std::string(word, static_cast<std::size_t>(size)), x, learning);
            } else {
                add_hashed(word, static_cast<std::size_t>(size), x, learning);
            }
        } else {
            add_column(key, x, learning);
        }
    }

    static double as_number(PyObject* key, PyObject* number) {
        const double x = PyFloat_AsDouble(number);
        if (x == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            throw nb::type_error(
                ("feature " + repr(key) + " must be a number or a string, got " + repr(number)).c_str());
        }
        return x;
    }
    static std::string repr(PyObject* o) { return nb::cast<std::string>(nb::repr(nb::handle(o))); }
    static std::string text(PyObject* o) { return nb::cast<std::string>(nb::str(nb::handle(o))); }

    void add_word(const std::string& word, double x, bool learning) {
        if (columns.empty() && bits > 0) {
            add_hashed(word.data(), word.size(), x, learning);
            return;
        }
        const auto found = columns.find(word);
        if (found != columns.end()) {
            push(found->second, x);
        } else if (learning) {
            // {"colour": "red", "colour=red": 1} names one feature twice.
            const auto place = std::find(fresh.begin(), fresh.end(), word) - fresh.begin();
            push(static_cast<std::uint32_t>(columns.size() + static_cast<std::size_t>(place)), x);
            if (static_cast<std::size_t>(place) == fresh.size()) fresh.push_back(word);
        }
    }

    void add_hashed(const char* word, std::size_t size, double x, bool learning) {
        const auto column = static_cast<std::uint32_t>(onlinear::text::hashed_column(
            onlinear::text::murmur3_32(word, size, 0), static_cast<unsigned>(bits)));
        if (learning) {
            make_room();
            if (!seen_[column] && words.size() < max_names) noted_.add(column, {word, size});
        }
        hashed = true;
        push(column, x);
    }

    void add_column(PyObject* key, double x, bool learning) {
        const long long column = PyLong_AsLongLong(key);
        if (column == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            throw nb::type_error(
                ("a feature must be named by a string or a whole number, got " + repr(key)).c_str());
        }
        if (column < 0)
            throw std::invalid_argument("feature index " + std::to_string(column) + " is negative");
        if (static_cast<std::size_t>(column) >= max_features)
            throw std::invalid_argument("feature index " + std::to_string(column) +
                                        " is past max_features (" + std::to_string(max_features) +
                                        "); name features by strings to hash them, or raise max_features");
        if (learning && !columns.empty() && static_cast<std::size_t>(column) >= columns.size())
            throw std::invalid_argument("feature index " + std::to_string(column) + " is past the " +
                                        std::to_string(columns.size()) +
                                        " named columns; name new features by strings");
        push(static_cast<std::uint32_t>(column), x);
    }

    void push(std::uint32_t column, double x) {
        index.push_back(column);
        value.push_back(x);
        top_ = std::max<std::int64_t>(top_, column);
        finite_ &= std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max());
    }
    void make_room() {
        if (seen_.size() < (std::size_t{1} << bits)) seen_.resize(std::size_t{1} << bits, false);
    }

    std::vector<bool> seen_;  // hashed columns that have a word
    WordList noted_;          // words the last dict brings
    std::int64_t top_ = -1;   // the largest column of the last dict
    bool finite_ = true;      // whether all its values are finite in any state's type
};

}  // namespace onlinear::bindings
