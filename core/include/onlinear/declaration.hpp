#pragma once
#include <memory>
#include <variant>

#include "onlinear/rule/rule.hpp"

/// What a rule, a belief or a task declares of itself, as a table without its type.
namespace onlinear {

namespace belief {
struct KernelKind;
}

/// What a parameter holds, which is the C++ type of its member.
enum class Kind {
    number,          // double
    number_or_none,  // std::optional<double>
    flag,            // bool
    choice,          // int, the place of a word among the choices
    count_or_none,   // std::size_t, 0 for none
    square,          // std::vector<double>, row-major
    kernel,          // belief::KernelKind
};
inline constexpr std::array<const char*, 7> kKinds{"number",        "number_or_none", "flag",  "choice",
                                                   "count_or_none", "square",         "kernel"};

template <class Value>
constexpr Kind kind_of() {
    if constexpr (std::is_same_v<Value, double>)
        return Kind::number;
    else if constexpr (std::is_same_v<Value, std::optional<double>>)
        return Kind::number_or_none;
    else if constexpr (std::is_same_v<Value, bool>)
        return Kind::flag;
    else if constexpr (std::is_same_v<Value, std::size_t>)
        return Kind::count_or_none;
    else if constexpr (std::is_same_v<Value, std::vector<double>>)
        return Kind::square;
    else if constexpr (std::is_same_v<Value, belief::KernelKind>)
        return Kind::kernel;
    else {
        static_assert(std::is_same_v<Value, int>, "a parameter of a type that has no Kind");
        return Kind::choice;
    }
}

struct DeclaredParameter {
    const char* name;
    const char* doc;
    Kind kind;
    rule::Range range;
    std::span<const char* const> choices;
    std::size_t offset;  // of the member in its object

    /// The member of an object of the declared class; `Value` must be the type of `kind`.
    template <class Value>
    Value& of(void* object) const noexcept {
        return *reinterpret_cast<Value*>(static_cast<char*>(object) + offset);
    }
    template <class Value>
    const Value& of(const void* object) const noexcept {
        return *reinterpret_cast<const Value*>(static_cast<const char*>(object) + offset);
    }
};

struct Declaration {
    const char* name;
    const char* doc;
    std::vector<DeclaredParameter> parameters;
    std::shared_ptr<const void> defaults;  // an object that nothing was set in
};

/// The declaration of a class with `name`, `doc` and `parameters()`.
template <class T>
const Declaration& declaration_of() {
    static const Declaration declaration = [] {
        const auto defaults = std::make_shared<const T>();
        Declaration made{T::name, T::doc, {}, defaults};
        const auto add = [&]<class Value>(const rule::Parameter<T, Value>& parameter) {
            const auto* const member = reinterpret_cast<const char*>(&((*defaults).*(parameter.member)));
            made.parameters.push_back(
                {parameter.name, parameter.doc, kind_of<Value>(), parameter.range, parameter.choices,
                 static_cast<std::size_t>(member - reinterpret_cast<const char*>(defaults.get()))});
        };
        std::apply([&](const auto&... parameter) { (add(parameter), ...); }, T::parameters());
        return made;
    }();
    return declaration;
}

/// Calls `f.template operator()<T>()` for each class of a closed list, in its order.
template <class Variant, std::size_t I = 0, class F>
void each_of(F&& f) {
    if constexpr (I < std::variant_size_v<Variant>) {
        f.template operator()<std::variant_alternative_t<I, Variant>>();
        each_of<Variant, I + 1>(f);
    }
}

}  // namespace onlinear
