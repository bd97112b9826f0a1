#include "axes.hpp"
#include "bindings.hpp"
#include "declared.hpp"

namespace onlinear::bindings {

BeliefSpec to_belief(nb::handle belief) { return to_variant<BeliefSpec>(belief, "a belief"); }

void bind_beliefs(nb::module_& m) {
    each_of<BeliefSpec>([&]<class B>() { bind_declared<B>(m); });
    m.def(
        "declared",
        [] {
            nb::dict all;
            each_of<BeliefSpec>([&]<class B>() { describe(all, declaration_of<B>(), B::takes); });
            return all;
        },
        nb::sig("def declared() -> dict[str, onlinear._core.Declaration]"),
        "All beliefs by name, with their parameters, ranges, defaults and words.");
}

}  // namespace onlinear::bindings
