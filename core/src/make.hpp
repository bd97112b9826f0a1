#pragma once
#include "onlinear/learner.hpp"

namespace onlinear {

/// Builds the learner of one belief; each belief is one translation unit, so that they compile side by side.
template <template <class> class Belief, class Options>
std::unique_ptr<AnyLearner> make_with(const TaskSpec& task, const Options& options, bool single_precision,
                                      std::size_t features) {
    return std::visit(
        [&](const auto& t) -> std::unique_ptr<AnyLearner> {
            using Task = std::remove_cvref_t<decltype(t)>;
            if constexpr (task::serves<Task, Belief<double>>()) {
                const auto build = [&]<class T>() -> std::unique_ptr<AnyLearner> {
                    return std::make_unique<Learner<Task, Belief<T>>>(
                        t, Belief<T>(options, features + 1, t.blocks()));
                };
                return single_precision ? build.template operator()<float>()
                                        : build.template operator()<double>();
            } else {
                throw std::invalid_argument(std::string("task.") + Task::name + " is not defined on belief." +
                                            Options::name);
            }
        },
        task);
}

std::unique_ptr<AnyLearner> make(const TaskSpec&, const belief::MeanOptions&, bool, std::size_t);
std::unique_ptr<AnyLearner> make(const TaskSpec&, const belief::DiagonalOptions&, bool, std::size_t);
std::unique_ptr<AnyLearner> make(const TaskSpec&, const belief::FullOptions&, bool, std::size_t);
std::unique_ptr<AnyLearner> make(const TaskSpec&, const belief::InformationOptions&, bool, std::size_t);
std::unique_ptr<AnyLearner> make(const TaskSpec&, const belief::DualAveragingOptions&, bool, std::size_t);
std::unique_ptr<AnyLearner> make(const TaskSpec&, const belief::L1BallOptions&, bool, std::size_t);
std::unique_ptr<AnyLearner> make(const TaskSpec&, const belief::KernelOptions&, bool, std::size_t);

}  // namespace onlinear
