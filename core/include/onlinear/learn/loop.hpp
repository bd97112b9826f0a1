#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "onlinear/compatible.hpp"
#include "onlinear/learn/pipeline.hpp"
#include "onlinear/learn/reading.hpp"
#include "onlinear/learn/recorder.hpp"
#include "onlinear/learn/with_belief.hpp"

/// The loop: a task poses a demand for each row, the rule answers it, the belief takes the step.
namespace onlinear {

template <class Task, class Belief>
class TaskLearner final : public RowsWithBelief<Belief> {
    using Base = RowsWithBelief<Belief>;
    using Base::belief_;
    using Base::rule_;

public:
    using Base::blocks;
    using RowLearner::calibration;
    using RowLearner::class_counts;
    using RowLearner::counters;
    using RowLearner::cut;
    using RowLearner::intercept;
    using RowLearner::targets;
    using typename Base::T;
    using typename Base::Weights;

    TaskLearner(Task task, Belief&& belief) : Base(std::move(belief)), task_(std::move(task)) { make_room(); }

    Report learn(const Matrix& matrix, const Lesson& lesson) override {
        if (const Refusal refusal = check(lesson)) return {.refusal = refusal};
        const Stager<T> stage(matrix, intercept, belief_.planes());
        const LateRows late(calibration, lesson.calibrate && lesson.late);
        const Report report = learn_parted(stage, lesson);
        counters.seen += static_cast<double>(report.seen);
        counters.mistakes += static_cast<double>(report.mistakes);
        counters.updates += static_cast<double>(report.updates);
        return report;
    }

    /// Answers are looked at before the first is learned, so that a refused call has learned nothing.
    Refusal check(const Lesson& lesson) const noexcept override {
        for (std::size_t i = 0; i < lesson.count; ++i) {
            const std::size_t index = lesson.order ? static_cast<std::size_t>(lesson.order[i]) : i;
            if (const Fault fault = fault_of(example_of(lesson, index)); fault != Fault::none)
                return {fault, index, -1};
        }
        return {};
    }

    Refusal read(const Matrix& matrix, Reading what, double* out, std::size_t threads) const override {
        const Refusal refusal =
            RowReader<Belief>::template of<Task>(belief_, intercept).read(matrix, what, out, threads);
        return refusal ? refusal : told(matrix.rows, what, out);
    }

    void grow(std::size_t features, std::size_t classes) override {
        if constexpr (task::GrowsClasses<Task>) {
            task_.classes = std::max(classes, task_.classes);
        }
        belief_.grow(features + 1, task_.blocks());
        make_room();
    }

    bool shrink_classes(std::size_t features, std::size_t classes) override {
        if constexpr (task::GrowsClasses<Task> && !belief::ShrinksItself<Belief>) {
            task_.classes = std::min(classes, task_.classes);
            belief_.planes().shrink(features + 1, task_.blocks());
            if constexpr (belief::HasScales<Belief>) belief_.scales.shrink(features + 1);
            return true;
        } else {
            return false;
        }
    }

    std::unique_ptr<RowLearner> for_multiclass(const TaskSpec& task) override {
        if constexpr (task::TwoClasses<Task>) {
            // A temperature over blocks -s/2, s/2 is the same map as a scale over s, but for the offset.
            const auto rebuild = [&]<class Several>(Several several) -> std::unique_ptr<RowLearner> {
                belief_.split();
                several.classes = 2;
                auto learner =
                    std::make_unique<TaskLearner<Several, Belief>>(std::move(several), std::move(belief_));
                learner->adopt(*this);
                learner->calibration.offset = 0;
                learner->calibration.centre = 0;
                return learner;
            };
            if (const auto* joint = std::get_if<task::MulticlassJoint>(&task)) {
                if constexpr (serves<task::MulticlassJoint, typename Belief::Options>())
                    return rebuild(*joint);
                else
                    throw std::invalid_argument(
                        std::string("task.MulticlassJoint is not defined on belief.") +
                        Belief::Options::name);
            }
            return rebuild(task::Multiclass{});
        } else {
            return copy();
        }
    }

    std::unique_ptr<RowLearner> copy() const override {
        auto twin = std::make_unique<TaskLearner>(task_, Contents<Belief>::copied(belief_));
        twin->adopt(*this);
        return twin;
    }

    void weights(Weights which, double* coefficients, double* intercepts) const override {
        Base::weights(which, coefficients, intercepts);
        if constexpr (task::ScalesTargets<Task>) {
            if (!task_.scaled()) return;
            const bool variance = which == Weights::variance;
            const double unit = variance ? targets.unit() * targets.unit() : targets.unit();
            const auto in_targets = [=](double w) {
                return variance ? std::max(within_range(w * unit), std::numeric_limits<double>::min())
                                : within_range(w * unit);
            };
            std::transform(coefficients, coefficients + this->features(), coefficients, in_targets);
            *intercepts = in_targets(*intercepts) + (variance ? 0.0 : targets.centre());
        }
    }
    void set_mean(const double* coefficients, const double* intercepts) override {
        if constexpr (task::ScalesTargets<Task>) {
            if (task_.scaled()) {
                std::vector<double> sizes(coefficients, coefficients + this->features());
                for (double& w : sizes) w /= targets.unit();
                const double offset = (*intercepts - targets.centre()) / targets.unit();
                return Base::set_mean(sizes.data(), &offset);
            }
        }
        Base::set_mean(coefficients, intercepts);
    }

    void prepare() override {
        Base::prepare();
        if constexpr (task::Starts<Task, Belief>) task_.start(belief_);
    }

private:
    /// With a record every row is scored as a prediction scores it, and every round is looked on at; a loop
    /// of its own, so that the others cost what they did.
    template <bool kRecorded = false, class Rule>
    Report learn_rows(const Stager<T>& stage, const Lesson& lesson, const Rule& chosen) {
        Report report;
        Pipeline<Task, Belief> rows(stage, lesson, belief_, stages_);
        [[maybe_unused]] std::optional<Recorder> record;
        if constexpr (kRecorded) record.emplace(*this, stage.matrix(), lesson);
        const Clock start = this->clock();
        for (std::size_t i = 0; rows.has(i); ++i) {
            const Row<T>& row = rows[i];
            const std::size_t index = rows.index(i);
            if (!rows.show(i)) return refused(report, {Fault::nan, index, -1});
            task::Example example = example_of(lesson, index);
            if (const Fault fault = weigh(example, lesson); fault != Fault::none)
                return refused(report, {fault, index, -1});
            if constexpr (kRecorded) record->ask(index);
            if (const Fault fault = rows.scale(i, example.weight != 0); fault != Fault::none)
                return refused(report, {fault, index, -1});
            Witness witness;
            Round round;
            if (example.weight == 0) {  // an exact no-op
                if (const Refusal refusal = rows.late_fault(i)) return refused(report, refusal);
                if (lesson.scores) look(row);
                told_by_ = targets;
                rows.advance();
            } else {
                shown_now_ = shown_scores(row, lesson);
                measure(example);
                if constexpr (task::KnowsReach<Task>) example.reach = task_.reach(cut);
                round =
                    play(rows, chosen, row, example, since(start, report, kRecorded ? &witness : nullptr));
                if (round.fault != Fault::none) {
                    const Refusal refusal = rows.late_fault(i);
                    scale_back();
                    targets = told_by_;
                    return refused(report, refusal ? refusal : Refusal{round.fault, index, -1});
                }
                cost_in_targets(round, lesson, index);
                settle(example, round, lesson, report);
            }
            if constexpr (kRecorded) record->write(i, row, example, witness, round);
            if (lesson.scores) {
                std::copy_n(scores_.data(), blocks(), lesson.scores + i * blocks());
                if constexpr (task::ScalesTargets<Task>)
                    if (task_.scaled()) lesson.scores[i] = told_by_.answer(scores_[0]);
            }
            ++report.learned;
        }
        return refused(report, rows.refusal());
    }

    /// A round of the task; the next row is staged while the sums over this one are being added up.
    template <class Rule>
    [[gnu::always_inline]] Round play(Pipeline<Task, Belief>& rows, const Rule& chosen, const Row<T>& row,
                                      const task::Example& example, const Moment& now) {
        if constexpr (task::LooksFirst<Task, Belief, Rule>) {
            const auto seen = task_.look(belief_, chosen, row, example, scores_.data());
            rows.advance();
            return task_.round(belief_, chosen, row, example, scores_.data(), now, seen);
        } else {
            rows.advance();
            return task_.round(belief_, chosen, row, example, scores_.data(), now);
        }
    }

    /// The moment of the next round in a call.
    [[gnu::always_inline]] static Moment since(const Clock& start, const Report& report,
                                               Witness* witness = nullptr) noexcept {
        return {{.round = start.round + report.seen, .updates = start.updates + report.updates}, witness};
    }

    /// Learns with means and variances taken apart where dense rows are many enough to pay for it.
    Report learn_parted(const Stager<T>& stage, const Lesson& lesson) {
        if constexpr (kReadDirectly<Task, Belief> && belief::ComesApart<Belief>) {
            constexpr std::size_t kMany = 16;
            if (!stage.plain() || lesson.count < kMany || centred() || lesson.record.rows)
                return learn_all(stage, lesson);
            struct Together {
                Belief& belief;
                ~Together() { belief.together(); }
            } after{belief_};
            belief_.part();
            return learn_all(stage, lesson);
        }
        return learn_all(stage, lesson);
    }

    /// Whether rows are learned with other entries than they come with.
    bool centred() const noexcept {
        if constexpr (belief::HasScales<Belief>) return belief_.scales.centred();
        return false;
    }

    Report learn_all(const Stager<T>& stage, const Lesson& lesson) {
        if constexpr (task::MaybeSingle<Task>) {
            if (task_.single()) return learn_groups(stage, lesson);
        }
        if (lesson.record.rows) return learn_rows<true>(stage, lesson, rule_);
        // On short rows choosing the rule again for each would be felt: the rules most used have a loop of
        // their own.
        if constexpr (kReadDirectly<Task, Belief>) {
            std::optional<Report> report;
            rule::dispatch_among<rule::On<Belief>::template Fits>(
                rule_, [&]<class R>([[maybe_unused]] const R& chosen) {
                    if constexpr (rule::OwnLoop<R>) report = learn_rows(stage, lesson, chosen);
                });
            if (report) return *report;
        }
        return learn_rows(stage, lesson, rule_);
    }

    /// Examples of several rows each, a row for each label.
    Report learn_groups(const Stager<T>& stage, const Lesson& lesson) {
        Report report;
        const Clock start = this->clock();
        const std::size_t k = lesson.candidates;
        candidates_.resize(k);
        scores_.resize(std::max(scores_.size(), k));
        for (std::size_t i = 0; i < lesson.count; ++i) {
            const std::size_t index = lesson.order ? static_cast<std::size_t>(lesson.order[i]) : i;
            for (std::size_t c = 0; c < k; ++c)
                if ((report.refusal = stage(index * k + c, candidates_[c]))) return report;
            task::Example example = example_of(lesson, index);
            if (const Fault fault = weigh(example, lesson); fault != Fault::none)
                return refused(report, {fault, index, -1});
            scale_candidates(example.weight != 0);
            if (example.weight == 0) {
                for (std::size_t c = 0; lesson.scores && c < k; ++c)
                    belief_.scores(candidates_[c].row, scores_.data() + c);
            } else {
                shown_now_ = scores_.data();
                const Round round = task_.round(belief_, rule_, std::span<const Stage<T>>(candidates_),
                                                stages_[0], example, scores_.data(), since(start, report));
                if (round.fault != Fault::none) {
                    scale_back();
                    return refused(report, {round.fault, index, -1});
                }
                settle(example, round, lesson, report);
            }
            if (lesson.scores) std::copy_n(scores_.data(), k, lesson.scores + i * k);
            ++report.learned;
        }
        return report;
    }

    /// Divides the rows of an example by the scales of their features, raised by all of them first.
    void scale_candidates([[maybe_unused]] bool learned) {
        if constexpr (belief::HasScales<Belief>) {
            if (!belief_.scales.on()) return;
            belief_.scales.keep();
            for (std::size_t c = 0; learned && c < candidates_.size(); ++c)
                belief_.scales.raise(belief_, candidates_[c]);
            for (Stage<T>& candidate : candidates_) belief_.scales.divide(candidate, belief_.planes());
        }
    }
    /// A row that is refused has raised no scale.
    void scale_back() noexcept {
        if constexpr (belief::HasScales<Belief>) belief_.scales.back(belief_);
    }

    /// Measures the target of an example in sizes from the centre of all so far, itself included.
    void measure([[maybe_unused]] task::Example& example) noexcept {
        if constexpr (task::ScalesTargets<Task>) {
            if (!task_.scaled()) return;
            told_by_ = targets;
            targets.observe(example.target);
            example.target = targets.standard(example.target);
        }
    }
    /// The cost of a round is in the unit of its target, of what was predicted before it.
    void cost_in_targets([[maybe_unused]] Round& round, [[maybe_unused]] const Lesson& lesson,
                         [[maybe_unused]] std::size_t index) const noexcept {
        if constexpr (task::ScalesTargets<Task>)
            if (task_.scaled()) round.cost = std::abs(lesson.targets[index] - told_by_.answer(scores_[0]));
    }
    /// Scores and variances as numbers in the unit of the targets.
    Refusal told([[maybe_unused]] std::size_t rows, [[maybe_unused]] Reading what,
                 [[maybe_unused]] double* out) const noexcept {
        if constexpr (task::ScalesTargets<Task>) {
            if (!task_.scaled()) return {};
            const double unit = targets.unit();
            for (std::size_t i = 0; i < rows; ++i) {
                out[i] =
                    what == Reading::scores ? targets.answer(out[i]) : within_range(unit * unit * out[i]);
                if (!std::isfinite(out[i])) return {Fault::margin_overflow, i, -1};
            }
        }
        return {};
    }

    task::Example example_of(const Lesson& lesson, std::size_t index) const noexcept {
        task::Example example{.label = lesson.labels && !lesson.label_lists ? lesson.labels[index] : 0,
                              .target = lesson.targets ? lesson.targets[index] : 0.0,
                              .candidates = lesson.candidates,
                              .weight = lesson.sample_weight ? lesson.sample_weight[index] : 1.0};
        if (lesson.label_lists)
            example.relevant = {lesson.labels + lesson.label_lists[index],
                                lesson.labels + lesson.label_lists[index + 1]};
        return example;
    }

    Fault fault_of(const task::Example& example) const noexcept {
        if (!(example.weight >= 0) || std::isinf(example.weight)) return Fault::bad_weight;
        if (task_.valid(example)) return Fault::none;
        return task::needs<Task>().targets ? Fault::bad_target : Fault::bad_label;
    }

    static Report refused(Report report, const Refusal& refusal) noexcept {
        report.refusal = refusal;
        return report;
    }

    /// Checks an example and gives it the weight of its class.
    [[gnu::always_inline]] Fault weigh(task::Example& example, const Lesson& lesson) const noexcept {
        if (const Fault fault = fault_of(example); fault != Fault::none) return fault;
        if (example.weight > 0 && lesson.class_weight) example.weight *= lesson.class_weight[example.label];
        if (example.weight > 0 && lesson.balanced) example.weight *= balance(example);
        return Fault::none;
    }

    /// What follows a round, whatever the task.
    [[gnu::always_inline]] void settle(const task::Example& example, const Round& round, const Lesson& lesson,
                                       Report& report) {
        if (lesson.balanced) count(example);
        if constexpr (task::LearnsCut<Task>)  // by the probabilities before this round
            task_.learn_cut(cut, calibration, shown_now_, example, lesson.calibrate);
        if (!lesson.leaves_map()) task_.calibrate(calibration, shown_now_, example, lesson.calibrate);
        belief_.tick();
        ++report.seen;
        report.mistakes += round.mistake;
        report.updates += round.updated;
        if (round.cost != 0) {  // a sum of fractions depends on its order, so it is kept round by round
            counters.cost = within_range(counters.cost + round.cost);
            report.cost = within_range(report.cost + round.cost);
        }
    }

    /// The scores predictions show, which the calibration is about: averages and inclusive scores differ from
    /// those a round learns from. They are read before the round, and only where they are asked for.
    const double* shown_scores(const Row<T>& row, const Lesson& lesson) {
        if constexpr (belief::PredictsOtherwise<Belief> && !task::Predicts<Task, Belief>) {
            if (belief_.predicts_otherwise() && !lesson.leaves_map()) {
                belief_.predict(row, shown_.data(), scratch_.data());
                return shown_.data();
            }
        }
        return scores_.data();
    }

    void look(const Row<T>& row) noexcept {
        if constexpr (task::Predicts<Task, Belief>)
            task_.predict(belief_, row, scores_.data());
        else
            belief_.scores(row, scores_.data());
    }

    /// n / (classes * count of this class), over the stream so far, this example included.
    double balance(const task::Example& example) const noexcept {
        const auto label = static_cast<std::size_t>(example.label);
        double total = 1, classes = 1;
        for (std::size_t k = 0; k < class_counts.size(); ++k) {
            total += class_counts[k];
            classes += k != label && class_counts[k] > 0;
        }
        return total / (classes * (1 + (label < class_counts.size() ? class_counts[label] : 0.0)));
    }
    void count(const task::Example& example) {
        const auto label = static_cast<std::size_t>(example.label);
        if (class_counts.size() <= label) class_counts.resize(label + 1, 0.0);
        class_counts[label] += 1;
    }

    void make_room() {
        scores_.assign(belief_.planes().lanes() + blocks(), 0.0);
        shown_ = scratch_ = scores_;
    }

    Task task_;
    typename Pipeline<Task, Belief>::Stages stages_;
    std::vector<Stage<T>> candidates_;
    std::vector<double> scores_, shown_, scratch_;
    Targets told_by_;                    // what the round at hand is told by: the targets before it
    const double* shown_now_ = nullptr;  // the scores of the round at hand, as predictions show them
};

}  // namespace onlinear
