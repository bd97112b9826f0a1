#include "axes.hpp"
#include "bindings.hpp"
#include "declared.hpp"

namespace onlinear::bindings {

TaskSpec to_task(nb::handle task) { return to_variant<TaskSpec>(task, "a task"); }

void bind_tasks(nb::module_& m) {
    each_of<TaskSpec>([&]<class T>() { bind_declared<T>(m); });
    m.def(
        "declared",
        [] {
            nb::dict all;
            each_of<TaskSpec>([&]<class T>() { describe(all, declaration_of<T>()); });
            return all;
        },
        nb::sig("def declared() -> dict[str, onlinear._core.Declaration]"),
        "All tasks by name, with their parameters, ranges, defaults and words.");
}

}  // namespace onlinear::bindings
