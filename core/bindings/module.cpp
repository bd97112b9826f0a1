#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#include <cstdlib>

#include "bindings.hpp"
#include "onlinear/simd/simd.hpp"
#include "turn.hpp"

NB_MODULE(_core, m) {
    namespace b = onlinear::bindings;
    m.doc() = "The native core of onlinear.";
    // A user who ends a program with a model in a module's dict has done nothing wrong; tests ask for the
    // warnings.
    nanobind::set_leak_warnings(std::getenv("ONLINEAR_LEAKS") != nullptr);
#if defined(__unix__) || defined(__APPLE__)
    pthread_atfork(nullptr, nullptr, [] { b::forks.fetch_add(1, std::memory_order_relaxed); });
#endif
    // Tests try each instruction set.
    onlinear::use_simd_level(std::getenv("ONLINEAR_SIMD"));
    nanobind::module_ rules = m.def_submodule("rule", "Rules: the algorithms.");
    nanobind::module_ beliefs = m.def_submodule("belief", "Beliefs: what a learner knows.");
    nanobind::module_ tasks = m.def_submodule("task", "Tasks: what is asked of it.");
    b::bind_declarations(m);
    b::bind_rules(rules);
    b::bind_beliefs(beliefs);
    b::bind_tasks(tasks);
    b::bind_arrays(m);
    b::bind_learner(m);
    b::bind_learn_one(m);
    b::bind_labels(m);
    b::bind_constants(m);
    b::bind_sequence(m);
    nanobind::module_ text = m.def_submodule("text", "Bytes: parsers, hashing, text features.");
    b::bind_text(text);
}
