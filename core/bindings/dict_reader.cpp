#include "dict_reader.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dict_items.hpp"

/// From the objects of a dict to words, columns and numbers; what they mean is FeatureMap's affair.
namespace onlinear::bindings {

namespace {

/// Throws for a string that UTF-8 cannot hold, which Python shows with its escapes.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_text(PyObject* text) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeError)) throw nb::python_error();
    PyErr_Clear();
    const nb::object shown = nb::steal(PyObject_ASCII(text));
    if (!shown.is_valid()) throw nb::python_error();
    throw std::invalid_argument("a feature's name or category must be valid Unicode, got " +
                                std::string(nb::str(shown).c_str()) +
                                ", which holds half a surrogate pair; repair it where it was decoded");
}

[[gnu::always_inline]] inline std::string_view utf8(PyObject* text) {
#if !defined(Py_LIMITED_API)
    if (PyUnicode_IS_COMPACT_ASCII(text))
        return {reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(text) + 1),
                static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
#endif
    Py_ssize_t size;
    const char* word = PyUnicode_AsUTF8AndSize(text, &size);
    if (!word) refuse_text(text);
    return {word, static_cast<std::size_t>(size)};
}

std::string text(PyObject* o) {
    const nb::object shown = nb::str(nb::handle(o));
    return std::string(utf8(shown.ptr()));
}

std::string repr(PyObject* o) {
    try {
        return nb::cast<std::string>(nb::repr(nb::handle(o)));
    } catch (const std::exception&) {  // a number of many digits, a string that is no text
        return "a value of type " + nb::cast<std::string>(nb::handle(o).type().attr("__name__"));
    }
}

double float_value(PyObject* number) noexcept {
#if !defined(Py_LIMITED_API)
    return PyFloat_AS_DOUBLE(number);
#else
    return PyFloat_AsDouble(number);
#endif
}

double as_number(PyObject* key, PyObject* number) {
    const double x = PyFloat_AsDouble(number);
    if (x == -1.0 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();  // Ctrl-C
        nb::python_error reason;  // what the value's own code raised, which the caller must see
        std::string message =
            "feature " + repr(key) + " must be a number, a string or a list of strings, got " + repr(number);
        const std::string type = nb::cast<std::string>(nb::handle(number).type().attr("__name__"));
        if (nb::hasattr(number, "isoformat") || type == "datetime64")
            message += std::string("; ") + FeatureMap::kNoTimestamps;
        nb::raise_from(reason, PyExc_TypeError, "%s", message.c_str());
        throw nb::python_error();
    }
    return x;
}

long long as_column(PyObject* key) {
    const long long column = PyLong_AsLongLong(key);
    if (column == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        throw nb::type_error(
            ("a feature must be named by a string or a whole number, got " + repr(key)).c_str());
    }
    return column;
}

/// A list of strings: a category each.
void add_categories(FeatureMap& map, PyObject* key, PyObject* list) {
    const std::string name = text(key);
    for (nb::handle category : nb::borrow(list)) {
        if (!PyUnicode_Check(category.ptr()))
            throw nb::type_error(("feature " + repr(key) +
                                  " must be a number, a string or a list of strings, got " + repr(list) +
                                  "; give numbers a name each")
                                     .c_str());
        map.add_category(name, utf8(category.ptr()));
    }
}

/// {"age": 31, "city": "Rome", "tags": ["a", "b"], "new": True, "left": None}: a number is the feature of its
/// key, a string and each string of a list the feature "key=string", None is none.
void add(FeatureMap& map, PyObject* key, PyObject* number) {
    if (number == Py_None) return;
    if (PyUnicode_Check(number)) return map.add_category(text(key), utf8(number));
    if (PyList_Check(number) || PyTuple_Check(number)) return add_categories(map, key, number);
    const double x = PyFloat_CheckExact(number) ? PyFloat_AsDouble(number) : as_number(key, number);
    if (PyUnicode_Check(key))
        map.add(utf8(key), x);
    else
        map.add_column(as_column(key), x);
}

/// The items of a dict. They are held: turning a value into a number may run code that throws them out of it.
template <class F>
void each_held(PyObject* dict, F&& f) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, &value)) {
        const nb::object held_key = nb::borrow(key), held_value = nb::borrow(value);
        f(key, value);
    }
}

bool holds_features(PyObject* key, PyObject* value) {
    return PyDict_Check(value) && PyUnicode_Check(key) && utf8(key) == "features";
}

/// Whether an item says what the features of its dict are, as in a line of JSON: its text, or "features".
bool tells_all(const FeatureMap& map, PyObject* key, PyObject* value) {
    if (!PyUnicode_Check(key)) return false;
    if (PyUnicode_Check(value) || value == Py_None) return map.role(utf8(key)) == text::Role::text;
    return holds_features(key, value);
}

/// A value of a key that was said to hold categories, written as JSON writes it.
void add_said_category(FeatureMap& map, PyObject* key, PyObject* value) {
    if (value == Py_None) return;
    if (PyList_Check(value) || PyTuple_Check(value)) return add_categories(map, key, value);
    if (PyUnicode_Check(value)) return map.add_said_category(utf8(key), utf8(value));
    const std::string written = text(value);
    if (written == "True" || written == "False")
        return map.add_said_category(utf8(key), written == "True" ? "true" : "false");
    map.add_said_category(utf8(key), text::category_of(written));
}

/// An item of a dict whose keys mean something to the model; `told` where some other tells all features.
void add_known(FeatureMap& map, PyObject* key, PyObject* value, bool told) {
    const text::Role role = PyUnicode_Check(key) ? map.role(utf8(key)) : text::Role::undecided;
    switch (role) {
        case text::Role::text:
            if (value == Py_None) return;
            if (PyUnicode_Check(value)) return map.add_text(utf8(value));
            return add(map, key, value);  // a word and how often it comes
        case text::Role::categorical:
            return add_said_category(map, key, value);
        case text::Role::numeric:
            if (PyUnicode_Check(value))
                throw std::invalid_argument("feature " + repr(key) +
                                            " must be a number, as it was to the model, got " + repr(value));
            return add(map, key, value);
        case text::Role::undecided:
            break;
        default:
            return;
    }
    if (holds_features(key, value))
        each_held(value, [&](PyObject* name, PyObject* number) { add(map, name, number); });
    else if (!told)
        add(map, key, value);
}

void add_items(FeatureMap& map, PyObject* dict) {
    if (!map.reads_columns())
        return each_held(dict, [&](PyObject* key, PyObject* value) { add(map, key, value); });
    bool told = false;
    each_held(dict, [&](PyObject* key, PyObject* value) { told = told || tells_all(map, key, value); });
    each_held(dict, [&](PyObject* key, PyObject* value) { add_known(map, key, value, told); });
}

void add_mapping(FeatureMap& map, nb::handle features) {
    if (!nb::hasattr(features, "items"))
        throw nb::type_error(
            ("x must be a dict of features, got " + repr(features.ptr()) + "; arrays go to partial_fit")
                .c_str());
    const nb::object items = features.attr("items")();
    std::vector<std::pair<nb::object, nb::object>> held;  // they may be there for one reading only
    for (nb::handle item : items) held.emplace_back(item[0], item[1]);
    bool told = false;
    if (map.reads_columns())
        for (const auto& [key, value] : held) told = told || tells_all(map, key.ptr(), value.ptr());
    for (const auto& [key, value] : held) {
        if (map.reads_columns())
            add_known(map, key.ptr(), value.ptr(), told);
        else
            add(map, key.ptr(), value.ptr());
    }
}

/// The short way for strings to hash with plain numbers; false where anything else turns up. Until then no
/// code of the user's has run that could have changed the dict.
bool add_words(FeatureMap& map, PyObject* dict) {
    return map.add_words(
        static_cast<std::size_t>(PyDict_Size(dict)), [&](auto&& take) __attribute__((always_inline)) {
            return each_item(dict, [&](PyObject* key, PyObject* number, bool is_text) {
                const bool is_float = PyFloat_CheckExact(number);
                if (!is_text || !(is_float || PyLong_CheckExact(number))) [[unlikely]]
                    return false;
                return take(utf8(key), is_float ? float_value(number) : as_number(key, number));
            });
        });
}

}  // namespace

void read_dict(FeatureMap& map, nb::handle features, bool learning, const char* place, std::size_t pitch) {
    map.begin(learning, place, pitch);
    if (PyUnicode_Check(features.ptr()) && map.takes_texts())
        map.add_text(utf8(features.ptr()));
    else if (!PyDict_Check(features.ptr()))
        add_mapping(map, features);
    else if (!map.hashes() || !add_words(map, features.ptr()))
        add_items(map, features.ptr());
}

}  // namespace onlinear::bindings
