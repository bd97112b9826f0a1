#pragma once
#include <cstdint>
#include <memory>

#include "onlinear/feature_map.hpp"
#include "onlinear/learner.hpp"

/// Calls that learn all they are given or nothing, and what a learner is asked for besides.
namespace onlinear {

struct WholeReport {
    Report report;
    std::unique_ptr<RowLearner> before;  // to go back to, where the call was refused after it had begun
};

/// Learns rows; a fault of the input is found before the first is learned, or `before` is the learner as it
/// was. `checked` rows have been through `inspect`. A step that would overflow is no fault of the input: it
/// stops the call, and the rows before it stay learned.
WholeReport learn_whole(RowLearner& learner, const Matrix& matrix, const Lesson& lesson, bool checked);

/// Centre and size of the calibration become those of what the model says of some rows as it is now. Between
/// passes scores drift and stretch; a map fitted after one call is after another still the map of the model
/// as it has become. Where there is nothing to measure, they stay as they were.
void measure_scores(RowLearner& learner, const Matrix& matrix);

/// Makes room for features and classes; throws where there would be more features than `map` may have.
void make_room(RowLearner& learner, const FeatureMap& map, std::size_t features, std::size_t classes);

/// Says how many classes there will be, so that room for all is made at the next growth. A stream may say
/// anything: past 65,536 room is made as they come.
void expect_classes(RowLearner& learner, std::size_t classes);

/// Takes back a growth that nothing has been learned of since, down to two classes or more; false where that
/// cannot be done.
bool take_back_room(RowLearner& learner, std::size_t features, std::size_t classes);

/// Moves the offset of the map of two classes towards where what it says of some rows is in sum what they
/// are: the logistic loss of these rows, `labels` 0 or 1, and the curvature of what the map was fitted to as
/// a prior. How sure a model is of rows it has learned says nothing of others, so the scale stays; how many
/// of them it takes for which class does, and rows that are known are many. Those it is quite sure of have
/// next to no curvature, and no say. `weights` may be null.
void shift_map(RowLearner& learner, const Matrix& matrix, const std::int32_t* labels, const double* weights);

/// The probability from which labels are predicted becomes another, where one is learned; what is learned
/// later goes on from there.
void set_label_cut(RowLearner& learner, double probability);

/// The dict that `map` has read as a row to learn or to score; a bad one is refused before anything grows for
/// its sake.
Matrix row_of(RowLearner& learner, FeatureMap& map, bool learning, Refusal& refusal);

/// Learns the dict that `map` has read; what is refused, or has no weight, leaves no feature and no word
/// behind.
Refusal learn_row(RowLearner& learner, FeatureMap& map, const Lesson& lesson);

/// The same in less time for a dict that brings nothing new; false, with nothing changed, for any other and
/// where it is refused.
bool learn_known_row(RowLearner& learner, FeatureMap& map, const Lesson& lesson);

}  // namespace onlinear
