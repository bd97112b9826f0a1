#pragma once
#include <nanobind/nanobind.h>

#include "onlinear/learner.hpp"

namespace onlinear::bindings {

namespace nb = nanobind;

void bind_rules(nb::module_& m);
void bind_beliefs(nb::module_& m);
void bind_tasks(nb::module_& m);
void bind_learner(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_text(nb::module_& m);
void bind_sequence(nb::module_& m);

}  // namespace onlinear::bindings
