#pragma once
#include <nanobind/nanobind.h>

#include "onlinear/feature_map.hpp"

namespace onlinear::bindings {

namespace nb = nanobind;

/// Reads a dict, or another mapping, into a map of features; the arguments are those of FeatureMap::begin.
void read_dict(FeatureMap& map, nb::handle features, bool learning, const char* place = nullptr,
               std::size_t pitch = 0);

}  // namespace onlinear::bindings
