#pragma once
#include "make.hpp"
#include "onlinear/compatible.hpp"
#include "onlinear/learn/loop.hpp"

namespace onlinear {

template <class Options>
std::unique_ptr<RowLearner> make(const TaskSpec& task, const Options& options, bool single_precision,
                                 std::size_t features) {
    return std::visit(
        [&](const auto& t) -> std::unique_ptr<RowLearner> {
            using Task = std::remove_cvref_t<decltype(t)>;
            if constexpr (serves<Task, Options>()) {
                const auto build = [&]<class T>() -> std::unique_ptr<RowLearner> {
                    using Belief = typename Options::template Belief<T>;
                    return std::make_unique<TaskLearner<Task, Belief>>(
                        t, Contents<Belief>::made(options, features + 1, t.blocks()));
                };
                return single_precision ? build.template operator()<float>()
                                        : build.template operator()<double>();
            } else {
                return nullptr;  // check_task has refused it
            }
        },
        task);
}

}  // namespace onlinear
