#pragma once
#include <nanobind/nanobind.h>

#include "onlinear/declaration.hpp"
#include "words.hpp"

/// A Python class for anything that declares its `name`, `doc` and `parameters()`: constructor, attributes,
/// repr, equality, pickle.
namespace onlinear::bindings {

namespace nb = nanobind;

/// Sets the members of an object from the arguments of its constructor.
void fill(const Declaration& declaration, void* object, const nb::args& unnamed, const nb::kwargs& named);

/// The constructor's signature.
std::string signature_of(const Declaration& declaration);

/// Gives a class all that follows from its declaration but the constructor. `object` finds the C++ object of
/// a Python one; it throws where that is of another class.
void derive(nb::object cls, const Declaration& declaration, const void* (*object)(nb::handle));

template <class T>
nb::class_<T> bind_declared(nb::module_& m) {
    const Declaration& declaration = declaration_of<T>();
    nb::class_<T> cls(m, declaration.name, declaration.doc);
    cls.def(
        "__init__",
        [](T* self, nb::args unnamed, nb::kwargs named) {
            T made;
            fill(declaration_of<T>(), &made, unnamed, named);
            new (self) T(std::move(made));
        },
        nb::sig(signature_of(declaration).c_str()));
    derive(cls, declaration, [](nb::handle self) -> const void* { return nb::cast<const T*>(self); });
    return cls;
}

/// The object of a closed list that a Python object holds.
template <class Made, class Variant = Made, std::size_t I = 0>
Made to_variant(nb::handle object, const char* what) {
    if constexpr (I == std::variant_size_v<Variant>) {
        throw nb::type_error((std::string("expected ") + what + ", got " + shown(object)).c_str());
    } else {
        using Alternative = std::variant_alternative_t<I, Variant>;
        if (nb::isinstance<Alternative>(object)) return nb::cast<Alternative>(object);
        return to_variant<Made, Variant, I + 1>(object, what);
    }
}

/// Adds a declaration to a dict by its name. `parts` are those of a step: which a rule uses with its
/// defaults, which a belief takes.
void describe(nb::dict& all, const Declaration& declaration, const Parts& parts = {});

}  // namespace onlinear::bindings
