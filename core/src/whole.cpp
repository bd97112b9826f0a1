#include "onlinear/whole.hpp"

#include <algorithm>
#include <cmath>

namespace onlinear {

namespace {

/// Faults of the input, as against steps that would overflow, before which the rows stay learned.
bool is_input_fault(Fault fault) {
    return fault != Fault::none && fault != Fault::margin_overflow && fault != Fault::step_overflow &&
           fault != Fault::variance_overflow && fault != Fault::too_many_means;
}

std::size_t bytes(const Matrix& m) {
    const std::size_t value = m.value_type == ValueType::f32 ? 4 : 8,
                      index = m.index_type == IndexType::i32 ? 4 : 8;
    return m.sparse() ? m.entries * (value + index) : m.rows * m.columns * value;
}

}  // namespace

WholeReport learn_whole(RowLearner& learner, const Matrix& matrix, const Lesson& lesson, bool checked) {
    if (checked) return {learner.learn(matrix, lesson), nullptr};
    // Remembering a small state is cheaper than reading the data twice.
    if (bytes(matrix) > 4 * learner.bytes()) {
        auto before = learner.copy();
        const Report report = learner.learn(matrix, lesson);
        return {report, is_input_fault(report.refusal.fault) ? std::move(before) : nullptr};
    }
    if (const Refusal refusal = inspect(matrix, learner.single_precision()))
        return {{.refusal = refusal}, nullptr};
    return {learner.learn(matrix, lesson), nullptr};
}

void measure_scores(RowLearner& learner, const Matrix& matrix) {
    std::vector<double> scores(matrix.rows * learner.blocks());
    if (learner.read(matrix, Reading::scores, scores.data(), 1)) return;
    learner.calibration.measure(scores.data(), matrix.rows, learner.blocks());
}

void make_room(RowLearner& learner, const FeatureMap& map, std::size_t features, std::size_t classes) {
    if (features > map.max_features)
        throw std::invalid_argument("more than max_features (" + std::to_string(map.max_features) +
                                    ") features; hash them to fewer, or raise max_features");
    learner.grow(std::max(features, learner.features()), classes);
}

void expect_classes(RowLearner& learner, std::size_t classes) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    learner.expect(std::min(classes, kMost));
}

bool take_back_room(RowLearner& learner, std::size_t features, std::size_t classes) {
    if (classes < 2 || learner.blocks() < 2) throw std::invalid_argument("two classes or more must stay");
    return learner.shrink_classes(features, classes);
}

void shift_map(RowLearner& learner, const Matrix& matrix, const std::int32_t* labels, const double* weights) {
    constexpr double kLargest = 1e100;
    constexpr int kSteps = 30;
    if (learner.blocks() != 1) return;
    std::vector<double> scores(matrix.rows);
    if (learner.read(matrix, Reading::scores, scores.data(), 1)) return;
    Calibration map = learner.calibration;
    const double before = map.offset;
    for (int step = 0; step < kSteps; ++step) {
        double slope = map.h_oo * (before - map.offset), curvature = map.h_oo;
        for (std::size_t i = 0; i < matrix.rows; ++i) {
            const double p = map.probability(scores[i]), w = weights ? std::min(weights[i], kLargest) : 1.0;
            slope += w * (labels[i] - p);
            curvature += w * p * (1 - p);
        }
        const double move = std::clamp(slope / curvature, -1.0, 1.0);
        if (!std::isfinite(move)) return;
        map.offset = std::clamp(map.offset + move, -50.0, 50.0);
        if (std::abs(move) < 1e-9) break;
    }
    learner.calibration.offset = map.offset;
}

void set_label_cut(RowLearner& learner, double probability) {
    std::vector<double> numbers = learner.cut.numbers();
    if (numbers.empty()) return;
    numbers[1] = std::clamp(probability, 0.0, 1.0) * numbers[2];
    learner.cut = Cut::from(numbers);
}

Matrix row_of(RowLearner& learner, FeatureMap& map, bool learning, Refusal& refusal) {
    refusal = map.inspect(learner.single_precision());
    if (refusal) return {};
    const std::size_t needed = map.needed();
    if (needed > learner.features()) {
        if (learning)
            learner.grow(std::max(needed, map.hashed_size()), learner.blocks());
        else
            map.drop_unknown(learner.features());
    }
    return map.row(learner.features());
}

Refusal learn_row(RowLearner& learner, FeatureMap& map, const Lesson& lesson) {
    const std::size_t known = learner.features();
    const bool weightless = *lesson.sample_weight == 0;
    Refusal refusal;
    const Matrix matrix = row_of(learner, map, !weightless, refusal);
    if (refusal || weightless) return refusal;
    refusal = learner.learn(matrix, lesson).refusal;
    if (refusal)
        learner.shrink(known);
    else
        map.commit();
    return refusal;
}

bool learn_known_row(RowLearner& learner, FeatureMap& map, const Lesson& lesson) {
    if (map.needed() > learner.features() || !map.fresh.empty() || map.inspect(learner.single_precision()))
        return false;
    if (learner.learn(map.row(learner.features()), lesson).refusal) return false;
    map.commit();
    return true;
}

}  // namespace onlinear
