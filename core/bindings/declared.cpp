#include "declared.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "python_kernel.hpp"

namespace onlinear::bindings {

std::string shown(nb::handle value) {
    std::string text;
    if (nb::try_cast(nb::repr(value), text)) return text;
    const nb::object escaped = nb::steal(PyObject_ASCII(value.ptr()));
    if (!escaped.is_valid()) throw nb::python_error();
    return nb::cast<std::string>(escaped);
}

double to_number(const char* name, nb::handle value) {
    double number = 0;
    if (PyBool_Check(value.ptr()) || !nb::try_cast<double>(value, number))
        throw nb::type_error((std::string(name) + " must be a number, got " + shown(value)).c_str());
    return number;
}

namespace {

/// A square matrix from an array or nested lists; throws with the words of what is wrong with it.
std::vector<double> to_square(const char* name, nb::handle value) {
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

nb::object from_square(const std::vector<double>& matrix) {
    const std::size_t side = rule::side(matrix);
    nb::list rows;
    for (std::size_t i = 0; i < side; ++i) {
        const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(i * side);
        rows.append(nb::cast(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(side))));
    }
    return rows;
}

nb::object get(const DeclaredParameter& parameter, const void* object) {
    switch (parameter.kind) {
        case Kind::number:
            return nb::float_(parameter.of<double>(object));
        case Kind::number_or_none: {
            const auto& value = parameter.of<std::optional<double>>(object);
            return value ? nb::float_(*value) : nb::object(nb::none());
        }
        case Kind::flag:
            return nb::bool_(parameter.of<bool>(object));
        case Kind::choice:
            return nb::str(parameter.choices[static_cast<std::size_t>(parameter.of<int>(object))]);
        case Kind::count_or_none: {
            const std::size_t value = parameter.of<std::size_t>(object);
            return value ? nb::object(nb::int_(value)) : nb::object(nb::none());
        }
        case Kind::square:
            return from_square(parameter.of<std::vector<double>>(object));
        case Kind::kernel: {
            const auto& kernel = parameter.of<belief::KernelKind>(object);
            if (kernel.custom) return static_cast<const PythonKernel&>(*kernel.custom).function();
            return nb::str(parameter.choices[static_cast<std::size_t>(kernel.name)]);
        }
    }
    return nb::none();
}

/// The words for the values a parameter takes: "greater than 0", "'pa', 'pa1' or 'pa2'".
std::string expected(const DeclaredParameter& parameter) {
    std::string words;
    for (std::size_t i = 0; i < parameter.choices.size(); ++i)
        words += std::string(i == 0                             ? ""
                             : i + 1 < parameter.choices.size() ? ", "
                                                                : " or ") +
                 "'" + parameter.choices[i] + "'";
    switch (parameter.kind) {
        case Kind::number:
        case Kind::number_or_none:
            return rule::describe(parameter.range);
        case Kind::flag:
            return "True or False";
        case Kind::choice:
            return words;
        case Kind::count_or_none:
            return "a whole number of at least 1, or None";
        case Kind::square:
            return "a square matrix of numbers";
        case Kind::kernel:
            return "'linear', 'poly', 'rbf' or a function of two matrices";
    }
    return words;
}

/// The place of a word among the choices; -1 for what is none of them.
int place_of(const DeclaredParameter& parameter, nb::handle value) {
    std::string word;
    if (!nb::try_cast<std::string>(value, word)) return -1;
    const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), word);
    return found == parameter.choices.end() ? -1 : static_cast<int>(found - parameter.choices.begin());
}

void set(const DeclaredParameter& parameter, void* object, nb::handle value) {
    const auto need = [&](bool good, const std::string& wanted) {
        if (!good)
            throw std::invalid_argument(std::string(parameter.name) + " must be " + wanted + ", got " +
                                        shown(value));
    };
    const auto number = [&] {
        double given = 0;
        need(!PyBool_Check(value.ptr()) && nb::try_cast<double>(value, given), "a number");
        need(parameter.range.contains(given), expected(parameter));
        return given;
    };
    switch (parameter.kind) {
        case Kind::number:
            parameter.of<double>(object) = number();
            return;
        case Kind::number_or_none: {
            auto& member = parameter.of<std::optional<double>>(object);
            if (value.is_none())
                member.reset();
            else
                member = number();
            return;
        }
        case Kind::flag: {
            const auto kind = nb::cast<std::string>(value.type().attr("__name__"));
            need(kind == "bool" || kind == "bool_", expected(parameter));  // Python's and NumPy's
            parameter.of<bool>(object) = PyObject_IsTrue(value.ptr()) == 1;
            return;
        }
        case Kind::choice: {
            const int place = place_of(parameter, value);
            need(place >= 0, expected(parameter));
            parameter.of<int>(object) = place;
            return;
        }
        case Kind::count_or_none: {
            long long given = 0;
            if (!value.is_none())
                need(!PyBool_Check(value.ptr()) && nb::try_cast<long long>(value, given) && given >= 1,
                     expected(parameter));
            parameter.of<std::size_t>(object) = static_cast<std::size_t>(given);
            return;
        }
        case Kind::square:
            parameter.of<std::vector<double>>(object) = to_square(parameter.name, value);
            return;
        case Kind::kernel: {
            auto& member = parameter.of<belief::KernelKind>(object);
            if (PyCallable_Check(value.ptr())) {
                member = {belief::KernelKind::kCustom,
                          std::make_shared<const PythonKernel>(nb::borrow(value))};
                return;
            }
            const int place = place_of(parameter, value);
            need(place >= 0, expected(parameter));
            member = {place, nullptr};
            return;
        }
    }
}

/// The type of a parameter in a signature, and that of its attribute.
const char* type_of(Kind kind) {
    constexpr const char* types[] = {"float",
                                     "float | None",
                                     "bool",
                                     "str",
                                     "int | None",
                                     "list[list[float]]",
                                     "str | collections.abc.Callable[..., typing.Any]"};
    return types[static_cast<std::size_t>(kind)];
}

/// "r=1.0, loss='hinge'" of an object.
std::string listed(const Declaration& declaration, const void* object) {
    std::string text;
    for (const DeclaredParameter& parameter : declaration.parameters)
        text += std::string(text.empty() ? "" : ", ") + parameter.name + "=" + shown(get(parameter, object));
    return text;
}

nb::dict values_of(const Declaration& declaration, const void* object) {
    nb::dict out;
    for (const DeclaredParameter& parameter : declaration.parameters)
        out[parameter.name] = get(parameter, object);
    return out;
}

/// How a class is given its parameters, with the first of them as an example.
std::string how_named(const Declaration& declaration) {
    if (declaration.parameters.empty()) return "no parameters";
    const DeclaredParameter& first = declaration.parameters.front();
    return std::string("its parameters by name, as in ") + declaration.name + "(" + first.name + "=" +
           shown(get(first, declaration.defaults.get())) + ")";
}

template <class F, class... Extra>
void method(nb::object& cls, const char* name, F&& f, const Extra&... extra) {
    nb::cpp_function_def(std::forward<F>(f), nb::scope(cls), nb::name(name), nb::is_method(), extra...);
}

template <class F>
void property(nb::object& cls, const char* name, const std::string& type, const char* doc, F&& f) {
    const nb::object getter =
        nb::cpp_function(std::forward<F>(f), nb::scope(cls), nb::is_method(), nb::is_getter(),
                         nb::sig(("def " + std::string(name) + "(self, /) -> " + type).c_str()), doc);
    const nb::handle make(reinterpret_cast<PyObject*>(&PyProperty_Type));
    cls.attr(name) = make(getter, nb::none(), nb::none(), doc);
}

}  // namespace

void fill(const Declaration& declaration, void* object, const nb::args& unnamed, const nb::kwargs& named) {
    if (unnamed.size() > 0)
        throw nb::type_error((std::string(declaration.name) + "() takes " + how_named(declaration) +
                              ", got " + shown(unnamed[0]))
                                 .c_str());
    for (auto [key, value] : named) {
        const auto word = nb::cast<std::string>(key);
        const auto found =
            std::find_if(declaration.parameters.begin(), declaration.parameters.end(),
                         [&](const DeclaredParameter& parameter) { return word == parameter.name; });
        if (found == declaration.parameters.end())
            throw nb::type_error(
                (std::string(declaration.name) + "() got an unexpected keyword argument '" + word + "'")
                    .c_str());
        set(*found, object, value);
    }
}

std::string signature_of(const Declaration& declaration) {
    std::string text = "def __init__(self";
    const char* before = ", *, ";
    for (const DeclaredParameter& parameter : declaration.parameters) {
        text += std::string(before) + parameter.name + ": " + type_of(parameter.kind) + " = " +
                shown(get(parameter, declaration.defaults.get()));
        before = ", ";
    }
    return text + ") -> None";
}

void derive(nb::object cls, const Declaration& declaration, const void* (*object)(nb::handle)) {
    const Declaration* const known = &declaration;
    const nb::handle type = cls;  // the class outlives its methods
    for (const DeclaredParameter& parameter : declaration.parameters) {
        const DeclaredParameter* const member = &parameter;
        property(cls, parameter.name, type_of(parameter.kind), parameter.doc,
                 [member, object](nb::handle self) { return get(*member, object(self)); });
    }
    method(
        cls, "parameters", [known, object](nb::handle self) { return values_of(*known, object(self)); },
        nb::sig("def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]"),
        "All parameters by name.");
    method(
        cls, "__repr__",
        [known, object](nb::handle self) {
            return std::string(known->name) + "(" + listed(*known, object(self)) + ")";
        },
        nb::sig("def __repr__(self) -> str"));
    method(
        cls, "__eq__",
        [known, object, type](nb::handle self, nb::handle other) {
            if (!nb::isinstance(other, type)) return false;
            for (const DeclaredParameter& parameter : known->parameters)
                if (!get(parameter, object(self)).equal(get(parameter, object(other)))) return false;
            return true;
        },
        nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"));
    method(
        cls, "__hash__", [](nb::handle self) { return nb::hash(nb::repr(self)); },
        nb::sig("def __hash__(self) -> int"));
    method(
        cls, "__reduce__",
        [known, object, type](nb::handle self) {
            const nb::object rebuild = nb::module_::import_("onlinear._rebuild").attr("rebuild");
            return nb::make_tuple(rebuild, nb::make_tuple(type, values_of(*known, object(self))));
        },
        nb::sig("def __reduce__(self) -> tuple[object, ...]"));
}

namespace {

struct Described {
    const Declaration* declaration;
    std::vector<std::string> parts;
};
struct DescribedParameter {
    const DeclaredParameter* parameter;
    const void* defaults;
};

}  // namespace

void bind_declarations(nb::module_& m) {
    const auto tuple_of = [](const auto& words) {
        nb::list out;
        for (const auto& word : words) out.append(nb::cast(std::string(word)));
        return nb::tuple(out);
    };
    using P = DescribedParameter;
    nb::class_<P>(m, "Parameter", "A parameter of a rule, a belief or a task, as it is declared.")
        .def_prop_ro("name", [](const P& p) { return p.parameter->name; })
        .def_prop_ro("doc", [](const P& p) { return p.parameter->doc; })
        .def_prop_ro(
            "kind", [](const P& p) { return kKinds[static_cast<std::size_t>(p.parameter->kind)]; },
            "'number', 'number_or_none', 'flag', 'choice', 'count_or_none', 'square' or 'kernel'.")
        .def_prop_ro(
            "default", [](const P& p) { return get(*p.parameter, p.defaults); },
            nb::sig("def default(self, /) -> typing.Any"))
        .def_prop_ro(
            "low", [](const P& p) { return p.parameter->range.low; }, "Of a number.")
        .def_prop_ro(
            "high", [](const P& p) { return p.parameter->range.high; }, "Of a number.")
        .def_prop_ro(
            "low_open", [](const P& p) { return p.parameter->range.low_open; }, "Whether `low` is outside.")
        .def_prop_ro(
            "high_open", [](const P& p) { return p.parameter->range.high_open; },
            "Whether `high` is outside.")
        .def_prop_ro(
            "choices", [=](const P& p) { return tuple_of(p.parameter->choices); },
            nb::sig("def choices(self, /) -> tuple[str, ...]"))
        .def_prop_ro(
            "expected", [](const P& p) { return expected(*p.parameter); },
            "The words for the values it takes, as in 'greater than 0'.");
    nb::class_<Described>(m, "Declaration", "What a rule, a belief or a task declares of itself.")
        .def_prop_ro("name", [](const Described& d) { return d.declaration->name; })
        .def_prop_ro("doc", [](const Described& d) { return d.declaration->doc; })
        .def_prop_ro(
            "parameters",
            [](const Described& d) {
                nb::list out;
                for (const DeclaredParameter& parameter : d.declaration->parameters)
                    out.append(P{&parameter, d.declaration->defaults.get()});
                return nb::tuple(out);
            },
            nb::sig("def parameters(self, /) -> tuple[onlinear._core.Parameter, ...]"))
        .def_prop_ro(
            "parts", [=](const Described& d) { return tuple_of(d.parts); },
            nb::sig("def parts(self, /) -> tuple[str, ...]"),
            "The parts of a step, 'keep', 'spread', 'threshold' and 'mean_norm', that a rule uses with its "
            "defaults, or that a belief takes.");
}

void describe(nb::dict& all, const Declaration& declaration, const Parts& parts) {
    constexpr std::pair<const char*, bool Parts::*> names[] = {{"keep", &Parts::keep},
                                                               {"spread", &Parts::spread},
                                                               {"threshold", &Parts::threshold},
                                                               {"mean_norm", &Parts::mean_norm}};
    Described described{&declaration, {}};
    for (const auto& [name, member] : names)
        if (parts.*member) described.parts.emplace_back(name);
    all[declaration.name] = nb::cast(std::move(described));
}

}  // namespace onlinear::bindings
