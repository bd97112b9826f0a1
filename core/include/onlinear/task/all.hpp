#pragma once
#include <variant>

#include "onlinear/task/binary.hpp"
#include "onlinear/task/cost_sensitive.hpp"
#include "onlinear/task/multiclass.hpp"
#include "onlinear/task/multiclass_joint.hpp"
#include "onlinear/task/one_class.hpp"
#include "onlinear/task/ranking.hpp"
#include "onlinear/task/regression.hpp"

namespace onlinear {

/// The closed list: a task on rows exists when it stands here. (Sequences, task/sequence.hpp, are learned
/// from sentences.)
using TaskSpec = std::variant<task::Binary, task::Multiclass, task::MulticlassJoint, task::Regression,
                              task::OneClass, task::Ranking, task::CostSensitive>;

inline task::Answer answer_of(const TaskSpec& task) {
    return std::visit([]<class Task>(const Task&) { return task::kind_of_answer<Task>(); }, task);
}

/// Tells a task how many classes there are; one whose parameters say so themselves is compared with them.
inline void set_classes(TaskSpec& task, std::size_t classes) {
    std::visit(
        [&](auto& t) {
            if constexpr (task::SetsClasses<std::remove_cvref_t<decltype(t)>>) t.set_classes(classes);
        },
        task);
}
/// Whether a task decides its steps itself, without a rule.
inline bool has_own_rule(const TaskSpec& task) {
    return std::visit([]<class Task>(const Task&) { return task::OwnRule<Task>; }, task);
}

}  // namespace onlinear
