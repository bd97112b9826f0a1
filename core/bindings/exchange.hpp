#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <vector>

#include "onlinear/state/state.hpp"

/// States on their way from and to Python.
namespace onlinear::bindings {

namespace nb = nanobind;

nb::dict to_dict(std::vector<StateEntry> entries);

/// A state as Python gives it. Its numbers are not copied but held, until it is loaded.
struct HeldState {
    std::vector<GivenEntry> entries;
    std::vector<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>> arrays;

    GivenState given(const Touched* touched = nullptr) const { return {entries, touched}; }
};
HeldState from_dict(const nb::dict& state);

}  // namespace onlinear::bindings
