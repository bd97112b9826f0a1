#pragma once
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "onlinear/rows/matrix.hpp"

/// Arrays of Python's as the core sees them, and new ones for Python.
namespace onlinear::bindings {

namespace nb = nanobind;

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

/// An array that owns its numbers; `data` is where they go. By default NumPy's; as nb::memview it does not
/// need NumPy, whose import takes as long as a short run.
template <class Framework = nb::numpy, class T, class... Sizes>
nb::ndarray<Framework, T, nb::ndim<sizeof...(Sizes)>> new_array(T*& data, Sizes... sizes) {
    data = new T[std::max<std::size_t>((std::size_t{1} * ... * static_cast<std::size_t>(sizes)), 1)];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<Framework, T, nb::ndim<sizeof...(Sizes)>>(data, {static_cast<std::size_t>(sizes)...},
                                                                 owner);
}

/// An array that takes over the numbers of a vector.
template <class Framework = nb::numpy, class T>
nb::object array_of(std::vector<T> values, std::vector<std::size_t> shape = {}) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {kept->size()};
    return nb::cast(nb::ndarray<Framework, T>(kept->data(), shape.size(), shape.data(), owner));
}

void need_flat(const Array& a, const char* name);

/// The numbers of a flat array of T; null where there is none.
template <class T>
const T* flat(const std::optional<Array>& a, const char* name, std::size_t size) {
    if (!a) return nullptr;
    need_flat(*a, name);
    if (a->dtype() != nb::dtype<T>()) throw std::invalid_argument(std::string(name) + " has the wrong dtype");
    if (a->shape(0) != size) throw std::invalid_argument(std::string(name) + " has the wrong length");
    return static_cast<const T*>(a->data());
}

/// Rows that are CSR, and rows that are dense.
Matrix csr(const Array& data, const Array& indices, const Array& indptr, std::size_t columns);
Matrix dense(const Array& x);

/// A refusal as Python gets it: (fault, row, column).
nb::tuple refused(const Refusal& refusal);

}  // namespace onlinear::bindings
