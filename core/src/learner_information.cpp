#include "make_learner.hpp"

template std::unique_ptr<onlinear::RowLearner> onlinear::make(const TaskSpec&,
                                                              const belief::InformationOptions&, bool,
                                                              std::size_t);
