#pragma once
#include <nanobind/nanobind.h>

#include <string>

/// The words of messages about Python's objects.
namespace onlinear::bindings {

namespace nb = nanobind;

/// As Python shows it; a string that is no text with its escapes.
std::string shown(nb::handle value);

/// A number by name, or the words of what is wrong with it.
double to_number(const char* name, nb::handle value);

}  // namespace onlinear::bindings
