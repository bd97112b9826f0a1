#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "onlinear/belief/points.hpp"
#include "onlinear/rule/rule.hpp"

/// A Python class for anything that declares its `name` and `parameters()`: constructor, attributes, repr,
/// equality.
namespace onlinear::bindings {

namespace nb = nanobind;

/// A kernel written in Python: a function of two matrices that gives K of every pair of rows.
class PythonKernel final : public belief::CustomKernel {
public:
    explicit PythonKernel(nb::object function) : function_(std::move(function)) {}
    ~PythonKernel() override {
        nb::gil_scoped_acquire gil;
        function_.reset();
    }
    const nb::object& function() const noexcept { return function_; }

    void evaluate(const double* a, std::size_t n_a, const double* b, std::size_t n_b, std::size_t dimensions,
                  double* out) const override {
        nb::gil_scoped_acquire gil;
        const nb::object answer = function_(rows(a, n_a, dimensions), rows(b, n_b, dimensions));
        const auto wanted = nb::module_::import_("numpy").attr("ascontiguousarray")(answer, "float64");
        const auto values = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(wanted);
        if (values.size() != n_a * n_b)
            throw std::invalid_argument("the kernel must give one number for every pair of rows, " +
                                        std::to_string(n_a) + " by " + std::to_string(n_b));
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values.data()[i]))
                throw std::invalid_argument("the kernel gave a number that is not finite");
        std::copy_n(values.data(), values.size(), out);
    }

private:
    /// A copy without the intercept's column: a function may keep what it is given.
    static nb::object rows(const double* x, std::size_t n, std::size_t dimensions) {
        const std::size_t features = dimensions - 1;
        auto* data = new double[std::max<std::size_t>(n * features, 1)];
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        for (std::size_t i = 0; i < n; ++i)
            std::copy_n(x + i * dimensions + 1, features, data + i * features);
        return nb::cast(nb::ndarray<nb::numpy, double>(data, {n, features}, owner));
    }

    nb::object function_;
};

inline nb::object kernel_object(const belief::KernelKind& kind, std::span<const char* const> names) {
    if (kind.custom) return static_cast<const PythonKernel&>(*kind.custom).function();
    return nb::str(names[static_cast<std::size_t>(kind.name)]);
}

template <class R, class V>
nb::object get_parameter(const R& self, const rule::Parameter<R, V>& parameter) {
    const V& value = self.*(parameter.member);
    if constexpr (std::is_same_v<V, std::optional<double>>) {
        return value ? nb::float_(*value) : nb::object(nb::none());
    } else if constexpr (std::is_same_v<V, double>) {
        return nb::float_(value);
    } else if constexpr (std::is_same_v<V, bool>) {
        return nb::bool_(value);
    } else if constexpr (std::is_same_v<V, belief::KernelKind>) {
        return kernel_object(value, parameter.choices);
    } else if constexpr (std::is_same_v<V, std::size_t>) {
        return value ? nb::object(nb::int_(value)) : nb::object(nb::none());
    } else if constexpr (std::is_same_v<V, std::vector<double>>) {
        const std::size_t side = rule::side(value);
        nb::list rows;
        for (std::size_t i = 0; i < side; ++i)
            rows.append(
                nb::cast(std::vector<double>(value.begin() + static_cast<std::ptrdiff_t>(i * side),
                                             value.begin() + static_cast<std::ptrdiff_t>((i + 1) * side))));
        return rows;
    } else {
        return nb::str(parameter.choices[static_cast<std::size_t>(value)]);
    }
}

/// As Python shows it; a string that is no text with its escapes.
inline std::string shown(nb::handle value) {
    std::string text;
    if (nb::try_cast(nb::repr(value), text)) return text;
    const nb::object escaped = nb::steal(PyObject_ASCII(value.ptr()));
    if (!escaped.is_valid()) throw nb::python_error();
    return nb::cast<std::string>(escaped);
}

/// A number by name, or the words of what is wrong with it.
inline double to_number(const char* name, nb::handle value) {
    double number = 0;
    if (PyBool_Check(value.ptr()) || !nb::try_cast<double>(value, number))
        throw nb::type_error((std::string(name) + " must be a number, got " + shown(value)).c_str());
    return number;
}

/// A square matrix from an array or nested lists; throws with the words of what is wrong with it.
inline std::vector<double> to_square(const char* name, nb::handle value) {
    const nb::object plain = nb::hasattr(value, "tolist") ? value.attr("tolist")() : nb::borrow(value);
    std::vector<std::vector<double>> rows;
    const auto refuse = [&](const std::string& what) {
        throw std::invalid_argument(std::string(name) + " must be " + what);
    };
    if (!nb::try_cast(plain, rows)) refuse("a square matrix of numbers, got " + shown(value));
    std::vector<double> flat;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].size() != rows.size())
            refuse("square: it has " + std::to_string(rows.size()) + " rows and row " + std::to_string(i) +
                   " has " + std::to_string(rows[i].size()) + " entries");
        for (std::size_t j = 0; j < rows.size(); ++j) {
            const std::string where = "row " + std::to_string(i) + ", column " + std::to_string(j);
            if (!(rows[i][j] >= 0) || std::isinf(rows[i][j]))
                refuse("finite and not negative, which fails at " + where);
            if (i == j && rows[i][j] != 0) refuse("zero where the answer is right, which fails at " + where);
            flat.push_back(rows[i][j]);
        }
    }
    if (rows.size() < 2) refuse("a matrix of at least 2 by 2");
    return flat;
}

template <class R, class V>
void set_parameter(R& self, const rule::Parameter<R, V>& parameter, nb::handle value) {
    const auto refuse = [&](const std::string& expected) {
        throw std::invalid_argument(std::string(parameter.name) + " must be " + expected + ", got " +
                                    shown(value));
    };
    V& member = self.*(parameter.member);
    if constexpr (std::is_same_v<V, double> || std::is_same_v<V, std::optional<double>>) {
        if constexpr (std::is_same_v<V, std::optional<double>>) {
            if (value.is_none()) {
                member.reset();
                return;
            }
        }
        double number = 0;
        if (PyBool_Check(value.ptr()) || !nb::try_cast<double>(value, number)) refuse("a number");
        if (!parameter.range.contains(number)) refuse(rule::describe(parameter.range));
        member = number;
    } else if constexpr (std::is_same_v<V, belief::KernelKind>) {
        if (PyCallable_Check(value.ptr())) {
            member = {belief::KernelKind::kCustom, std::make_shared<const PythonKernel>(nb::borrow(value))};
            return;
        }
        std::string word;
        const auto found = nb::try_cast<std::string>(value, word)
                               ? std::find(parameter.choices.begin(), parameter.choices.end(), word)
                               : parameter.choices.end();
        if (found == parameter.choices.end()) refuse("'linear', 'poly', 'rbf' or a function of two matrices");
        member = {static_cast<int>(found - parameter.choices.begin()), nullptr};
    } else if constexpr (std::is_same_v<V, bool>) {
        const auto kind = nb::cast<std::string>(value.type().attr("__name__"));
        if (kind != "bool" && kind != "bool_") refuse("True or False");  // Python's and NumPy's
        member = PyObject_IsTrue(value.ptr()) == 1;
    } else if constexpr (std::is_same_v<V, std::size_t>) {
        if (value.is_none()) {
            member = 0;
            return;
        }
        long long number = 0;
        if (PyBool_Check(value.ptr()) || !nb::try_cast<long long>(value, number) || number < 1)
            refuse("a whole number of at least 1, or None");
        member = static_cast<std::size_t>(number);
    } else if constexpr (std::is_same_v<V, std::vector<double>>) {
        member = to_square(parameter.name, value);
    } else {
        std::string word;
        if (nb::try_cast<std::string>(value, word)) {
            const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), word);
            if (found != parameter.choices.end()) {
                member = static_cast<int>(found - parameter.choices.begin());
                return;
            }
        }
        std::string all;
        for (std::size_t i = 0; i < parameter.choices.size(); ++i)
            all += std::string(i ? (i + 1 == parameter.choices.size() ? " or " : ", ") : "") + "'" +
                   parameter.choices[i] + "'";
        refuse(all);
    }
}

/// `void(const auto& parameter)` on each parameter of R.
template <class R, class F>
void each_parameter(F&& f) {
    std::apply([&](const auto&... parameter) { (f(parameter), ...); }, R::parameters());
}

template <class R>
std::string signature_of(const char* method) {
    std::string text = std::string("def ") + method + "(self";
    const R defaults;
    bool first = true;
    each_parameter<R>([&](const auto& parameter) {
        using V = std::remove_cvref_t<decltype(defaults.*(parameter.member))>;
        text += first ? ", *, " : ", ";
        first = false;
        text += parameter.name;
        if constexpr (std::is_same_v<V, double>)
            text += ": float";
        else if constexpr (std::is_same_v<V, std::optional<double>>)
            text += ": float | None";
        else if constexpr (std::is_same_v<V, bool>)
            text += ": bool";
        else if constexpr (std::is_same_v<V, belief::KernelKind>)
            text += ": str | collections.abc.Callable[[object, object], object]";
        else if constexpr (std::is_same_v<V, std::size_t>)
            text += ": int | None";
        else if constexpr (std::is_same_v<V, std::vector<double>>)
            text += ": list[list[float]]";
        else
            text += ": str";
        text += " = " + shown(get_parameter(defaults, parameter));
    });
    return text + ") -> None";
}

/// How R is given its parameters, with the first of them as an example.
template <class R>
std::string how_named() {
    std::string first;
    const R defaults;
    each_parameter<R>([&](const auto& parameter) {
        if (first.empty())
            first = std::string(parameter.name) + "=" + shown(get_parameter(defaults, parameter));
    });
    if (first.empty()) return "no parameters";
    return std::string("its parameters by name, as in ") + R::name + "(" + first + ")";
}

template <class R>
nb::class_<R> bind_declared(nb::module_& m, const char* doc) {
    nb::class_<R> cls(m, R::name, doc);
    const std::string init = signature_of<R>("__init__");
    cls.def(
        "__init__",
        [](R* self, nb::args unnamed, nb::kwargs given) {
            if (unnamed.size() > 0)
                throw nb::type_error(
                    (std::string(R::name) + "() takes " + how_named<R>() + ", got " + shown(unnamed[0]))
                        .c_str());
            R value;
            for (auto [key, argument] : given) {
                const auto word = nb::cast<std::string>(key);
                bool known = false;
                each_parameter<R>([&](const auto& parameter) {
                    if (word != parameter.name) return;
                    known = true;
                    set_parameter(value, parameter, argument);
                });
                if (!known)
                    throw nb::type_error(
                        (std::string(R::name) + "() got an unexpected keyword argument '" + word + "'")
                            .c_str());
            }
            new (self) R(value);
        },
        nb::sig(init.c_str()));
    each_parameter<R>([&](const auto& parameter) {
        cls.def_prop_ro(parameter.name,
                        [parameter](const R& self) { return get_parameter(self, parameter); });
    });
    cls.def(
        "parameters",
        [](const R& self) {
            nb::dict out;
            each_parameter<R>(
                [&](const auto& parameter) { out[parameter.name] = get_parameter(self, parameter); });
            return out;
        },
        "All parameters by name.",
        nb::sig("def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]"));
    cls.def("__repr__", [](const R& self) {
        std::string text = std::string(R::name) + "(";
        bool first = true;
        each_parameter<R>([&](const auto& parameter) {
            text +=
                std::string(first ? "" : ", ") + parameter.name + "=" + shown(get_parameter(self, parameter));
            first = false;
        });
        return text + ")";
    });
    cls.def(
        "__eq__",
        [](const R& self, nb::object other) {
            if (!nb::isinstance<R>(other)) return false;
            const R& that = nb::cast<const R&>(other);
            bool same = true;
            each_parameter<R>([&](const auto& parameter) {
                same &= get_parameter(self, parameter).equal(get_parameter(that, parameter));
            });
            return same;
        },
        nb::sig("def __eq__(self, other: object, /) -> bool"));
    cls.def("__hash__", [](const R& self) { return nb::hash(nb::repr(nb::cast(self))); });
    cls.def("__reduce__", [](const R& self) {
        nb::dict state;
        each_parameter<R>(
            [&](const auto& parameter) { state[parameter.name] = get_parameter(self, parameter); });
        const nb::object rebuild = nb::module_::import_("onlinear._rebuild").attr("rebuild");
        return nb::make_tuple(rebuild, nb::make_tuple(nb::type<R>(), state));
    });
    return cls;
}

}  // namespace onlinear::bindings
