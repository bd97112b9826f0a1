#pragma once
#include "onlinear/compatible.hpp"
#include "onlinear/learn/loop.hpp"

namespace onlinear {

/// Builds the learner of one belief. Each belief is one translation unit (learner_*.cpp), so that they
/// compile side by side.
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
                        t, Belief(options, features + 1, t.blocks()));
                };
                return single_precision ? build.template operator()<float>()
                                        : build.template operator()<double>();
            } else {
                return nullptr;  // check_task has refused it
            }
        },
        task);
}

extern template std::unique_ptr<RowLearner> make(const TaskSpec&, const belief::MeanOptions&, bool,
                                                 std::size_t);
extern template std::unique_ptr<RowLearner> make(const TaskSpec&, const belief::DiagonalOptions&, bool,
                                                 std::size_t);
extern template std::unique_ptr<RowLearner> make(const TaskSpec&, const belief::FullOptions&, bool,
                                                 std::size_t);
extern template std::unique_ptr<RowLearner> make(const TaskSpec&, const belief::InformationOptions&, bool,
                                                 std::size_t);
extern template std::unique_ptr<RowLearner> make(const TaskSpec&, const belief::DualAveragingOptions&, bool,
                                                 std::size_t);
extern template std::unique_ptr<RowLearner> make(const TaskSpec&, const belief::L1BallOptions&, bool,
                                                 std::size_t);
extern template std::unique_ptr<RowLearner> make(const TaskSpec&, const belief::KernelOptions&, bool,
                                                 std::size_t);

}  // namespace onlinear
