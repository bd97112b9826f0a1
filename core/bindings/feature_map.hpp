#pragma once
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dict_items.hpp"
#include "onlinear/rows/matrix.hpp"
#include "onlinear/text/murmur3.hpp"

namespace onlinear::bindings {

namespace nb = nanobind;

/// Columns and words in the order they came, in runs that are not moved as they fill: a new word costs a copy
/// of its bytes.
class WordList {
public:
    /// A word of at most `kLongest` bytes.
    static constexpr std::size_t kLongest = 4096;
    void add(std::uint32_t column, std::string_view word) {
        const Head head{column, static_cast<std::uint32_t>(word.size())};
        const std::size_t need = sizeof head + word.size();
        if (runs_.empty() || runs_.back().bytes.size() - runs_.back().used < need)
            runs_.push_back({std::vector<char>(std::max(kRun, need))});
        Run& run = runs_.back();
        char* const to = run.bytes.data() + run.used;
        std::memcpy(to, &head, sizeof head);
        copy(word.data(), word.size(), to + sizeof head);
        run.used += need;
        text_ += word.size();
        ++size_;
    }
    std::size_t size() const noexcept { return size_; }
    /// The bytes of all words.
    std::size_t text() const noexcept { return text_; }

    /// An end to go back to.
    struct Mark {
        std::size_t runs = 0, bytes = 0, size = 0, text = 0;
    };

    /// Calls f(column, word) for all, or for those behind a mark.
    template <class F>
    void each(F&& f, const Mark& from = {}) const {
        for (std::size_t r = from.runs > 0 ? from.runs - 1 : 0; r < runs_.size(); ++r) {
            const Run& run = runs_[r];
            for (std::size_t at = r + 1 == from.runs ? from.bytes : 0; at < run.used;) {
                Head head;
                std::memcpy(&head, run.bytes.data() + at, sizeof head);
                f(head.column, std::string_view(run.bytes.data() + at + sizeof head, head.size));
                at += sizeof head + head.size;
            }
        }
    }

    Mark mark() const noexcept { return {runs_.size(), runs_.empty() ? 0 : runs_.back().used, size_, text_}; }
    void rewind(const Mark& mark) {
        runs_.resize(mark.runs);
        if (!runs_.empty()) runs_.back().used = mark.bytes;
        size_ = mark.size;
        text_ = mark.text;
    }

private:
    struct Head {
        std::uint32_t column, size;
    };
    struct Run {
        std::vector<char> bytes;
        std::size_t used = 0;
    };
    static constexpr std::size_t kRun = std::size_t{1} << 16;

    /// Words are short: two copies that may overlap take less time than a call.
    static void copy(const char* from, std::size_t size, char* to) noexcept {
        if (size >= 4 && size <= 8) {
            std::uint32_t first, last;
            std::memcpy(&first, from, 4);
            std::memcpy(&last, from + size - 4, 4);
            std::memcpy(to, &first, 4);
            std::memcpy(to + size - 4, &last, 4);
        } else if (size > 8 && size <= 16) {
            std::uint64_t first, last;
            std::memcpy(&first, from, 8);
            std::memcpy(&last, from + size - 8, 8);
            std::memcpy(to, &first, 8);
            std::memcpy(to + size - 8, &last, 8);
        } else {
            std::memcpy(to, from, size);
        }
    }

    std::vector<Run> runs_;
    std::size_t size_ = 0, text_ = 0;
};

/// A set of numbers below some size.
class Bits {
public:
    std::size_t size() const noexcept { return 64 * words_.size(); }
    void resize(std::size_t size) { words_.resize((size + 63) / 64); }
    using Words = const std::uint64_t*;
    Words words() const noexcept { return words_.data(); }
    static bool has(Words words, std::uint32_t number) noexcept {
        return words[number / 64] >> number % 64 & 1;
    }
    /// Puts a number in; false when it was there.
    bool meet(std::uint32_t number) noexcept {
        std::uint64_t& word = words_[number / 64];
        const std::uint64_t bit = std::uint64_t{1} << number % 64;
        if (word & bit) return false;
        word |= bit;
        return true;
    }
    void forget(std::uint32_t number) noexcept { words_[number / 64] &= ~(std::uint64_t{1} << number % 64); }

private:
    std::vector<std::uint64_t> words_;
};

/// From the keys of a dict to columns.
///
/// Whole numbers are columns. Strings are the names of columns when the model knows names, else they are
/// hashed to 2^bits, and the first name seen for a column is remembered, so that models speak in words: up to
/// a number of names, a length of each, and 32 bytes on average, as the readers of files do. Other columns
/// stay nameless.
class FeatureMap {
public:
    int bits = 0;  // 0: strings are not hashed
    std::size_t max_features = std::size_t{1} << 28;
    std::size_t max_names = std::size_t{1} << 20;
    std::unordered_map<std::string, std::uint32_t> columns;  // named columns

    std::vector<std::int64_t> index;
    std::vector<double> value;
    std::vector<std::string> fresh;  // named columns the last dict brings
    bool hashed = false;             // whether the last dict had a hashed key

    /// Reads a dict; with `learning`, new names are given columns and words noted, both for `commit` to keep.
    /// The weights at `place`, a stretch of `pitch` bytes for each column, are asked for on the way.
    void read(nb::handle features, bool learning, const char* place = nullptr, std::size_t pitch = 0) {
        forget_uncommitted();
        place_ = place;
        pitch_ = pitch;
        if (columns.empty() && bits > 0 && learning) make_room();
        clear();
        if (!PyDict_Check(features.ptr())) {
            read_mapping(features, learning);
        } else if (columns.empty() && bits > 0) {
            read_words(features.ptr(), learning);
        } else {
            read_dict(features.ptr(), learning);
        }
    }

    /// Keeps what `read` noted; called once the example is known to be good.
    void commit() {
        for (const std::string& word : fresh)
            columns.emplace(word, static_cast<std::uint32_t>(columns.size()));
        keep_words();
    }

    /// The words of hashed columns, in the order in which they came.
    const WordList& words() {
        forget_uncommitted();
        return words_;
    }
    bool has_words() const noexcept { return committed_.size > 0; }

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

    /// Takes over the word of a column from another model; how many there are is that one's affair.
    void remember(std::string_view word, std::uint32_t column) {
        forget_uncommitted();
        make_room();
        if (word.size() > WordList::kLongest || (column < seen_.size() && !seen_.meet(column))) return;
        words_.add(column, word);
        keep_words();
    }

private:
    void clear() {
        index.clear();
        value.clear();
        fresh.clear();
        if (!fresh_places_.empty()) fresh_places_.clear();
        hashed = false;
        top_ = -1;
        finite_ = true;
    }

    void keep_words() { committed_ = words_.mark(); }
    void forget_uncommitted() {
        if (words_.size() == committed_.size) return;
        words_.each([this](std::uint32_t column, std::string_view) { seen_.forget(column); }, committed_);
        words_.rewind(committed_);
    }

    void read_dict(PyObject* features, bool learning) {
        PyObject *key, *number;
        Py_ssize_t position = 0;
        while (PyDict_Next(features, &position, &key, &number)) {
            // Held: turning a value into a number may run code that throws them out of the dict.
            const nb::object held_key = nb::borrow(key), held_number = nb::borrow(number);
            add(key, number, learning);
        }
    }

    /// The short way for strings to hash with plain numbers. Where anything else turns up, the other way is
    /// taken from the start: until then no code of the user's has run that could have changed the dict.
    void read_words(PyObject* features, bool learning) {
        const auto size = static_cast<std::size_t>(PyDict_Size(features));
        index.resize(size);
        value.resize(size);
        if (unseen_.size() <= size) unseen_.resize(2 * size + 1);
        // Everything in the loop is local: whatever is written through a pointer, nothing is read again.
        std::int64_t* const columns = index.data();
        double* const values = value.data();
        const char* const place = place_;
        const std::size_t pitch = pitch_;
        const auto width = static_cast<unsigned>(bits);
        const bool noting = learning && has_room_for_words();
        const Bits::Words known = seen_.words();
        Unseen* const unseen = unseen_.data();
        std::size_t found = 0, n_unseen = 0;
        std::uint32_t top = 0;
        bool finite = true;
        const bool plain = each_item(features, [&](PyObject* key, PyObject* number) {
            const bool is_float = PyFloat_CheckExact(number);
            if (!PyUnicode_CheckExact(key) || !(is_float || PyLong_CheckExact(number)) || found == size)
                [[unlikely]]
                return false;
            const double x = is_float ? float_value(number) : as_number(key, number);
            const std::uint32_t column = column_of(utf8(key), width);
            __builtin_prefetch(place + column * pitch, 1);
            columns[found] = column;
            values[found] = x;
            top = std::max(top, column);
            finite &= is_plain(x);
            if (noting) {  // without a branch on what cannot be foreseen
                unseen[n_unseen].key = key;
                unseen[n_unseen].column = column;
                n_unseen += !Bits::has(known, column);
            }
            ++found;
            return true;
        });
        if (!plain || found != size) {
            clear();
            read_dict(features, learning);
            return;
        }
        if (learning && size > 0) need_room_for_words();
        hashed = size != 0;
        top_ = size != 0 ? static_cast<std::int64_t>(top) : -1;
        finite_ = finite;
        for (std::size_t i = 0; i < n_unseen; ++i) note(unseen[i].column, utf8(unseen[i].key));
    }

    static double float_value(PyObject* number) noexcept {
#if !defined(Py_LIMITED_API)
        return PyFloat_AS_DOUBLE(number);
#else
        return PyFloat_AsDouble(number);
#endif
    }

    static std::uint32_t column_of(std::string_view word, unsigned bits) noexcept {
        return static_cast<std::uint32_t>(
            onlinear::text::hashed_column(onlinear::text::murmur3_32(word.data(), word.size(), 0), bits));
    }

    void need_room_for_words() const {
        const std::size_t columns = std::size_t{1} << bits;
        if (columns > max_features)
            throw std::invalid_argument("words are hashed to 2^" + std::to_string(bits) + " = " +
                                        std::to_string(columns) + " columns, more than max_features (" +
                                        std::to_string(max_features) +
                                        "); lower bits, or raise max_features");
    }

    bool has_room_for_words() const noexcept {
        return words_.size() < max_names && words_.text() < most_text();
    }
    /// The bytes that all words together may have.
    std::size_t most_text() const noexcept {
        constexpr std::size_t kMeanLength = 32;
        return kMeanLength * std::max(max_names, WordList::kLongest);
    }

    /// Notes the word of a column that has none yet.
    void note(std::uint32_t column, std::string_view word) {
        if (has_room_for_words() && word.size() <= WordList::kLongest &&
            words_.text() + word.size() <= most_text() && seen_.meet(column))
            words_.add(column, word);
    }

    static std::string_view utf8(PyObject* text) {
#if !defined(Py_LIMITED_API)
        if (PyUnicode_IS_COMPACT_ASCII(text))
            return {static_cast<const char*>(PyUnicode_DATA(text)),
                    static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
#endif
        Py_ssize_t size;
        const char* word = PyUnicode_AsUTF8AndSize(text, &size);
        if (!word) refuse_text(text);
        return {word, static_cast<std::size_t>(size)};
    }

    /// Throws for a string that UTF-8 cannot hold, which Python shows with its escapes.
    [[noreturn, gnu::cold, gnu::noinline]] static void refuse_text(PyObject* text) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeError)) throw nb::python_error();
        PyErr_Clear();
        const nb::object shown = nb::steal(PyObject_ASCII(text));
        if (!shown.is_valid()) throw nb::python_error();
        throw std::invalid_argument("a feature's name or category must be valid Unicode, got " +
                                    nb::cast<std::string>(shown) +
                                    ", which holds half a surrogate pair; repair it where it was decoded");
    }

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
            const std::string_view word = utf8(key);
            if (!columns.empty() || bits == 0)
                add_word(std::string(word), x, learning);
            else
                add_hashed(word, x, learning);
        } else {
            add_column(key, x, learning);
        }
    }

    static double as_number(PyObject* key, PyObject* number) {
        const double x = PyFloat_AsDouble(number);
        if (x == -1.0 && PyErr_Occurred()) {
            if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();  // Ctrl-C
            nb::python_error reason;  // what the value's own code raised, which the caller must see
            const std::string message =
                "feature " + repr(key) + " must be a number or a string, got " + repr(number);
            nb::raise_from(reason, PyExc_TypeError, "%s", message.c_str());
            throw nb::python_error();
        }
        return x;
    }
    static std::string repr(PyObject* o) {
        try {
            return nb::cast<std::string>(nb::repr(nb::handle(o)));
        } catch (const std::exception&) {  // a number of many digits, a string that is no text
            return "a value of type " + nb::cast<std::string>(nb::handle(o).type().attr("__name__"));
        }
    }
    static std::string text(PyObject* o) {
        const nb::object shown = nb::str(nb::handle(o));
        return std::string(utf8(shown.ptr()));
    }

    void add_word(const std::string& word, double x, bool learning) {
        if (columns.empty() && bits > 0) {
            add_hashed(word, x, learning);
            return;
        }
        const auto found = columns.find(word);
        if (found != columns.end()) {
            push(found->second, x);
        } else if (learning) {
            // {"colour": "red", "colour=red": 1} names one feature twice.
            const auto [met, is_new] = fresh_places_.try_emplace(word, columns.size() + fresh.size());
            push(static_cast<std::uint32_t>(met->second), x);
            if (is_new) fresh.push_back(word);
        }
    }

    void add_hashed(std::string_view word, double x, bool learning) {
        const std::uint32_t column = column_of(word, static_cast<unsigned>(bits));
        if (learning) {
            need_room_for_words();
            note(column, word);
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
        finite_ &= is_plain(x);
    }
    /// Whether a value is finite in any state's type.
    static bool is_plain(double x) noexcept {
        return std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max());
    }
    void make_room() {
        if (seen_.size() < (std::size_t{1} << bits)) seen_.resize(std::size_t{1} << bits);
    }

    struct Unseen {
        PyObject* key;
        std::uint32_t column;
    };

    Bits seen_;                 // hashed columns that have a word
    WordList words_;            // the words, those of the last dict included
    WordList::Mark committed_;  // up to here they are there to stay
    std::vector<Unseen> unseen_;
    std::unordered_map<std::string, std::size_t> fresh_places_;  // the columns of those in `fresh`
    const char* place_ = nullptr;
    std::size_t pitch_ = 0;
    std::int64_t top_ = -1;  // the largest column of the last dict
    bool finite_ = true;     // whether all its values are finite in any state's type
};

}  // namespace onlinear::bindings
