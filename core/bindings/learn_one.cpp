#include <exception>

#include "bindings.hpp"

/// The part of `learn_one` that needs no Python: an example that brings nothing new.
namespace onlinear::bindings {

namespace {

/// False where the example brings something new, is refused, or is none: then nothing has changed, and the
/// reader of Python's code says what is wrong. Ctrl-C and the like are passed on.
bool learn_one_fast(nb::handle learner, nb::handle classes, nb::handle features, nb::handle label,
                    nb::handle weight) {
    if (!PyFloat_CheckExact(weight.ptr())) return false;
    try {
        return learn_known(learner, features, classes, label, PyFloat_AsDouble(weight.ptr()));
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_Exception)) throw;
    } catch (const std::exception&) {
    }
    return false;
}

}  // namespace

void bind_learn_one(nb::module_& m) {
    m.def("learn_one_fast", &learn_one_fast, nb::arg("learner").none(), nb::arg("classes").none(),
          nb::arg("features").none(), nb::arg("label").none(), nb::arg("weight").none(),
          nb::sig("def learn_one_fast(learner: Learner | None, classes: dict[typing.Any, int], features: "
                  "object, label: object, weight: object) -> bool"),
          "Learn a dict of features that brings nothing new, of a class that `classes` has a number for. "
          "False, and nothing has changed, where there is anything else to do or to say.");
}

}  // namespace onlinear::bindings
