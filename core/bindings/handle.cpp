#include "handle.hpp"

#include <algorithm>
#include <iterator>

#include "onlinear/best.hpp"
#include "onlinear/memory/pages.hpp"
#include "onlinear/whole.hpp"

namespace onlinear::bindings {

namespace {

nb::tuple report(const Report& r) {
    return nb::make_tuple(r.learned, r.mistakes, r.updates, r.cost, static_cast<int>(r.refusal.fault),
                          r.refusal.row, r.refusal.column);
}

/// A CSR of labels; nothing in it is trusted.
void read_lists(const std::optional<Array>& labels, const Array& lists, Lesson& lesson) {
    if (!labels) throw std::invalid_argument("label_lists needs labels");
    lesson.labels = flat<std::int32_t>(labels, "labels", labels->size());
    lesson.label_lists = flat<std::int64_t>(lists, "label_lists", lists.size());
    std::int64_t before = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (lesson.label_lists[i] < before ||
            static_cast<std::size_t>(lesson.label_lists[i]) > labels->size())
            throw std::invalid_argument("label_lists must rise within the labels");
        before = lesson.label_lists[i];
    }
}

}  // namespace

nb::tuple Handle::learn(const Matrix& matrix, const std::optional<Array>& labels,
                        const std::optional<Array>& sample_weight, const std::optional<Array>& class_weight,
                        bool balanced, const std::optional<Array>& order, bool calibrate, bool checked,
                        const std::optional<nb::ndarray<double, nb::c_contig, nb::device::cpu>>& scores,
                        const std::optional<Array>& label_lists, bool late, const Recorded& record,
                        const std::vector<std::size_t>& ranking, bool asks) {
    // Another thread may be about to make the learner larger: sizes are compared when it is our turn.
    const auto lock = own_turn(turn);
    Lesson lesson;
    const std::size_t examples =
        label_lists ? std::max<std::size_t>(label_lists->size(), 1) - 1 : matrix.rows;
    if (label_lists) {
        read_lists(labels, *label_lists, lesson);
        if (single_prototype) lesson.candidates = examples ? matrix.rows / examples : 0;
        if (matrix.rows != examples * std::max<std::size_t>(lesson.candidates, 1))
            throw std::invalid_argument("label_lists has the wrong length");
    } else if (labels && labels->dtype() == nb::dtype<std::int32_t>()) {
        lesson.labels = flat<std::int32_t>(labels, "labels", examples);
    } else {
        lesson.targets = flat<double>(labels, "targets", examples);
    }
    if (!(label_lists      ? wants == task::Answer::lists
          : lesson.labels  ? wants == task::Answer::labels
          : lesson.targets ? wants == task::Answer::targets
                           : wants == task::Answer::nothing))
        throw std::invalid_argument("these are not the answers this task learns from");
    lesson.sample_weight = flat<double>(sample_weight, "sample_weight", examples);
    if (class_weight) lesson.class_weight = flat<double>(class_weight, "class_weight", class_count());
    lesson.balanced = balanced;
    lesson.calibrate = calibrate;
    lesson.late = late;
    lesson.count = examples;
    if (order) {
        lesson.order = flat<std::int64_t>(order, "order", order->shape(0));
        lesson.count = order->shape(0);
        for (std::size_t i = 0; i < lesson.count; ++i)
            if (static_cast<std::uint64_t>(lesson.order[i]) >= examples)
                throw std::invalid_argument("order holds a row that does not exist");
    }
    if (scores) {
        if (scores->size() != lesson.count * (lesson.candidates ? lesson.candidates : learner->blocks()))
            throw std::invalid_argument("scores has the wrong size");
        lesson.scores = scores->data();
    }
    std::vector<std::size_t> classes;
    if (record) {
        if (record->shape(0) != lesson.count || record->shape(1) != kRoundFields)
            throw std::invalid_argument("record has the wrong shape");
        if (lesson.candidates) throw std::invalid_argument("examples of several rows have no record");
        // Another thread may have brought a class since these were sorted.
        std::copy_if(ranking.begin(), ranking.end(), std::back_inserter(classes),
                     [this](std::size_t number) { return number < class_count(); });
        lesson.record = {.rows = record->data(), .asks = asks, .ranking = classes};
    }
    if (matrix.columns > learner->features())
        throw std::invalid_argument("the rows have " + std::to_string(matrix.columns) +
                                    " columns, the learner " + std::to_string(learner->features()));
    WholeReport done;
    {
        nb::gil_scoped_release release;
        done = learn_whole(*learner, matrix, lesson, checked);
    }
    // With the interpreter's lock: other threads read sizes of the learner while they hold it.
    if (done.before) learner = std::move(done.before);
    return report(done.report);
}

nb::object Handle::read(Matrix matrix, Reading what, std::size_t threads) const {
    const auto lock = shared_turn(turn);
    fit_columns(matrix);
    double* data;
    const auto out = new_array(data, matrix.rows, what == Reading::margin_variance ? 1 : learner->blocks());
    Refusal refusal;
    {
        nb::gil_scoped_release release;
        refusal = learner->read(matrix, what, data, threads);
    }
    if (refusal) return refused(refusal);
    return nb::cast(out);
}

void Handle::measure(Matrix matrix) {
    const auto lock = own_turn(turn);
    fit_columns(matrix);
    nb::gil_scoped_release release;
    measure_scores(*learner, matrix);
}

void Handle::shift_map(Matrix matrix, const Array& labels, const std::optional<Array>& weights) {
    const auto lock = own_turn(turn);
    fit_columns(matrix);
    const auto* classes = flat<std::int32_t>(labels, "labels", matrix.rows);
    const auto* weight = flat<double>(weights, "weights", matrix.rows);
    nb::gil_scoped_release release;
    onlinear::shift_map(*learner, matrix, classes, weight);
}

nb::object Handle::best(Matrix matrix, const std::vector<std::size_t>& order, std::size_t threads) const {
    const auto lock = shared_turn(turn);
    fit_columns(matrix);
    std::int64_t* data;
    const auto out = new_array<nb::memview>(data, matrix.rows);
    Refusal refusal;
    {
        nb::gil_scoped_release release;
        refusal = best_classes(*learner, matrix, order, threads, data);
    }
    if (refusal) return refused(refusal);
    return nb::cast(out);
}

void Handle::fit_columns(Matrix& matrix) const {
    if (matrix.columns <= learner->features()) return;
    if (!matrix.sparse()) throw std::invalid_argument("X has too many columns");
    matrix.columns = learner->features();
}

}  // namespace onlinear::bindings
