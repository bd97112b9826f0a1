#pragma once
#include "onlinear/learner.hpp"

namespace onlinear {

/// Builds the learner of one belief, in a translation unit of its own (learner_*.cpp), so that they compile
/// side by side. What it is made of is in make_learner.hpp.
template <class Options>
std::unique_ptr<RowLearner> make(const TaskSpec& task, const Options& options, bool single_precision,
                                 std::size_t features);

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
