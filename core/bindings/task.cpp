#include "bindings.hpp"
#include "declared.hpp"

namespace onlinear::bindings {

void bind_tasks(nb::module_& m) {
    bind_declared<task::Binary>(m, "Two classes.");
    bind_declared<task::Multiclass>(m, "Several classes: the right one against its best rival.");
    bind_declared<task::MulticlassJoint>(m, "Several classes with several constraints at once.");
    bind_declared<task::Regression>(m, "Real targets, errors up to epsilon free.");
    bind_declared<task::OneClass>(m, "One class: a ball around the mean that should hold every example.");
    bind_declared<task::Ranking>(m, "Label ranking: every relevant label above every irrelevant one.");
    bind_declared<task::CostSensitive>(m, "Several classes where some mistakes cost more than others.");
}

}  // namespace onlinear::bindings
