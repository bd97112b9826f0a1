#include <nanobind/stl/string.h>

#include <new>
#include <string>
#include <vector>

#include "bindings.hpp"

/// `learn_one` of the classifiers as a method of their class that runs no Python: an example that brings
/// nothing new is learned here, for any other the method written in Python is called. What Python does around
/// it takes a tenth of the time of a dict of 78 words.
namespace onlinear::bindings {

namespace {

PyObject* the_long_way = nullptr;  // the method written in Python

PyObject* interned(const char* name) {
    PyObject* const made = PyUnicode_InternFromString(name);
    if (!made) throw nb::python_error();
    return made;
}

/// What an object's dict holds under a name; null where there is no such thing.
nb::handle field(nb::handle fields, PyObject* name) {
    PyObject* const found = PyDict_GetItemWithError(fields.ptr(), name);
    if (!found && PyErr_Occurred()) throw nb::python_error();
    return found;
}

nb::object attribute(nb::handle owner, PyObject* name) {
    return owner.is_valid() ? nb::steal(PyObject_GetAttr(owner.ptr(), name)) : nb::object();
}

/// False, and nothing has changed, where the example brings something new or is refused; with an error set
/// where that is none of an example's, such as Ctrl-C.
bool learn_shortly(PyObject* model, PyObject* features, PyObject* label, double weight) noexcept {
    try {
        static PyObject *const class_weight = interned("class_weight"), *const learner = interned("_learner"),
                               *const handle = interned("_handle"), *const labels = interned("_labels"),
                               *const index = interned("index"), *const changed = interned("_changed");
        const nb::object fields = nb::steal(PyObject_GenericGetDict(model, nullptr));
        if (fields.is_valid() && field(fields, class_weight).is_none() &&
            !field(fields, changed).is_valid()) {
            const nb::object native = attribute(field(fields, learner), handle),
                             classes = attribute(field(fields, labels), index);
            if (native.is_valid() && classes.is_valid())
                return learn_known(native, features, classes, label, weight);
        }
        PyErr_Clear();
    } catch (nb::python_error& error) {
        // What is wrong with an example the method in Python says better.
        if (!error.matches(PyExc_Exception)) error.restore();
    } catch (...) {
    }
    return false;
}

PyObject* learn_one(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    const bool weighted = count == 3;
    if (!names && (count == 2 || (weighted && PyFloat_CheckExact(arguments[2]))) &&
        learn_shortly(self, arguments[0], arguments[1], weighted ? PyFloat_AsDouble(arguments[2]) : 1.0)) {
        Py_INCREF(self);
        return self;
    }
    if (PyErr_Occurred()) return nullptr;
    try {
        std::vector<PyObject*> all{self};
        all.insert(all.end(), arguments, arguments + count + (names ? PyTuple_Size(names) : 0));
        return PyObject_Vectorcall(the_long_way, all.data(), static_cast<std::size_t>(count + 1), names);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

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
    m.def(
        "shorten_learn_one",
        [](nb::type_object owner) {
            static std::string text;
            static PyMethodDef method{"learn_one",
                                      reinterpret_cast<PyCFunction>(
                                          reinterpret_cast<void (*)()>(learn_one)),  // as METH_FASTCALL says
                                      METH_FASTCALL | METH_KEYWORDS, nullptr};
            nb::object written = owner.attr("learn_one");
            text = "learn_one($self, x, y, w=1.0)\n--\n\n" + nb::cast<std::string>(written.attr("__doc__"));
            method.ml_doc = text.c_str();
            owner.attr("learn_one") =
                nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(owner.ptr()), &method));
            the_long_way = written.release().ptr();
        },
        nb::arg("owner"),
        "Let `learn_one` of a class learn in the core what brings nothing new; the rest is left to the "
        "method.");
}

}  // namespace onlinear::bindings
