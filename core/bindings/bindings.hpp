#pragma once
#include <nanobind/nanobind.h>

namespace onlinear::bindings {

namespace nb = nanobind;

void bind_declarations(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_beliefs(nb::module_& m);
void bind_tasks(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_learner(nb::module_& m);
void bind_learn_one(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_constants(nb::module_& m);
void bind_text(nb::module_& m);
void bind_sequence(nb::module_& m);

/// Learns a dict that brings nothing new, of a class that `classes`, a dict, has a number for; false, and
/// nothing has changed, where that is not so or it is refused.
bool learn_known(nb::handle learner, nb::handle features, nb::handle classes, nb::handle label,
                 double weight);

}  // namespace onlinear::bindings
