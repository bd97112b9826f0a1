#include "bindings.hpp"
#include "declared.hpp"

namespace onlinear::bindings {

void bind_tasks(nb::module_& m) {
    bind_declared<task::Binary>(m, "Two classes.");
    bind_declared<task::Multiclass>(m, "Several classes: the right one against its best rival.");
    bind_declared<task::MulticlassJoint>(m, "Several classes with several constraints at once.");
}

}  // namespace onlinear::bindings
