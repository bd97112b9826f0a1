#pragma once
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>

/// New arrays for Python, and what is found in old ones.
namespace onlinear::bindings {

namespace nb = nanobind;

/// An array that owns its numbers; `data` is where they go. By default NumPy's; as nb::memview it does not
/// need NumPy, whose import takes as long as a short run.
template <class Framework = nb::numpy, class T, class... Sizes>
nb::ndarray<Framework, T, nb::ndim<sizeof...(Sizes)>> new_array(T*& data, Sizes... sizes) {
    data = new T[std::max<std::size_t>((std::size_t{1} * ... * static_cast<std::size_t>(sizes)), 1)];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<Framework, T, nb::ndim<sizeof...(Sizes)>>(data, {static_cast<std::size_t>(sizes)...},
                                                                 owner);
}

/// The place of the largest of n scores, the first of equals.
template <class Score>
std::size_t first_largest(std::size_t n, Score&& score) {
    std::size_t top = 0;
    double highest = score(0);
    for (std::size_t i = 1; i < n; ++i) {
        const double next = score(i);
        top = next > highest ? i : top;
        highest = next > highest ? next : highest;
    }
    return top;
}

}  // namespace onlinear::bindings
