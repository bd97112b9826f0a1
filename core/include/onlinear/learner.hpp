#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "onlinear/belief/all.hpp"
#include "onlinear/calibration.hpp"
#include "onlinear/compatible.hpp"
#include "onlinear/stage.hpp"
#include "onlinear/state.hpp"
#include "onlinear/task/all.hpp"

/// The loop, and nothing else; and the one interface through which everything outside the core sees it.
namespace onlinear {

/// The answers to the rows of a matrix, and how they are to be learned.
struct Lesson {
    const std::int32_t* labels = nullptr;
    const std::int64_t* label_lists =
        nullptr;                 // row i has labels [label_lists[i], label_lists[i + 1]); null: one a row
    std::size_t candidates = 0;  // rows to an example, one for each label; 0: an example is a row
    const double* targets = nullptr;
    const double* sample_weight = nullptr;  // null: all 1
    const double* class_weight = nullptr;   // one per class; null: all 1
    bool balanced = false;                  // weigh classes by how often they have come so far
    const std::int64_t* order = nullptr;    // null: as they lie
    std::size_t count = 0;                  // examples to learn (the length of `order` where given)
    bool calibrate = true;                  // false from the second pass on: the examples have been seen
    double* scores = nullptr;  // where to write the scores before each round; blocks() or candidates each
};

struct Report {
    std::size_t learned = 0;  // examples gone through, passive and weightless ones included
    std::size_t seen = 0;     // those of them that had weight
    std::size_t mistakes = 0;
    std::size_t updates = 0;
    double cost = 0.0;
    Refusal refusal;
};

struct Counters {
    double seen = 0, mistakes = 0, updates = 0, cost = 0;
};

/// What to read of a row: every block's score, every block's variance, or the variance of the margin between
/// the best block and its rival (one number; with one block, that block's variance).
enum class Reading { scores, variances, margin_variance };

class AnyLearner {
public:
    virtual ~AnyLearner() = default;

    virtual Report learn(const Matrix& matrix, const Lesson& lesson) = 0;
    /// The first answer that would be refused.
    virtual Refusal check(const Lesson& lesson) const noexcept = 0;
    /// Fills `out`, blocks() numbers a row (one for the margin's variance), on `threads` threads.
    virtual Refusal read(const Matrix& matrix, Reading what, double* out, std::size_t threads) const = 0;

    virtual bool single_precision() const noexcept = 0;
    virtual std::size_t blocks() const noexcept = 0;
    virtual std::size_t features() const noexcept = 0;
    /// Where the weights of column 0 lie, and the bytes from one column's to the next: to ask for them early.
    virtual const char* place() const noexcept = 0;
    virtual std::size_t pitch() const noexcept = 0;
    virtual void grow(std::size_t features, std::size_t classes) = 0;
    /// Says how many classes there will be before long, so that room for them is made at once.
    virtual void expect(std::size_t classes) = 0;
    /// Takes back a growth whose features have not been learned from.
    virtual void shrink(std::size_t features) = 0;
    /// The same for classes, down to two or more blocks; false, with nothing done, where the belief cannot.
    virtual bool shrink_classes(std::size_t features, std::size_t classes) = 0;
    /// The same learner for several classes; two classes become blocks -w/2 and +w/2.
    virtual std::unique_ptr<AnyLearner> for_multiclass(const TaskSpec& task) = 0;
    virtual std::unique_ptr<AnyLearner> copy() const = 0;
    /// Memory the state takes.
    virtual std::size_t bytes() const noexcept = 0;
    /// Moves the weights to huge pages (see memory/pages.hpp).
    virtual void settle() noexcept = 0;

    /// Everything `which` says of every weight, block-major, the intercept apart.
    enum class Weights { mean, variance, average };
    virtual void weights(Weights which, double* coefficients, double* intercepts) const = 0;
    virtual void set_mean(const double* coefficients, const double* intercepts) = 0;
    virtual bool has_variance() const noexcept = 0;
    virtual std::vector<double> covariance() const = 0;  // empty when there is none
    virtual void inflate(double share) = 0;
    /// Zeroes the smallest weights whose squares sum to less than sigma; false when the belief cannot.
    virtual bool truncate(double sigma) = 0;
    /// The same after every update; 0 is off.
    virtual bool set_truncation(double sigma) = 0;
    /// Tells the belief what the rule will ask of it; called once, when both are known.
    virtual void prepare() = 0;

    /// The state by name. A large model is better read one array at a time: with `which`, the other arrays
    /// come with their shapes and without their numbers.
    virtual std::vector<StateEntry> state(const StatePart* part = nullptr) const = 0;
    /// The weights that learning has touched; nothing for a state that is more than numbers for each weight.
    virtual std::optional<Touched> touched() const = 0;
    /// Takes a state; where it is refused, this learner is good for nothing any more.
    virtual void load(const GivenState& given) = 0;

    Counters counters;
    Calibration calibration;
    std::vector<double> class_counts;
    bool intercept = true;
    rule::AnyRule rule;
};

/// Checks rows before anything is learned from them, so that a refused call has learned nothing.
Refusal inspect(const Matrix& matrix, bool single_precision);

/// Throws std::invalid_argument where the parts do not go together (compatible.hpp). A task that is its own
/// rule takes none.
std::unique_ptr<AnyLearner> make_learner(const TaskSpec& task, const std::optional<rule::AnyRule>& rule,
                                         const BeliefSpec& belief, bool single_precision,
                                         std::size_t features, bool intercept);

template <class Task, class Belief>
class Learner final : public AnyLearner {
public:
    using T = typename Belief::Scalar;

    Learner(Task task, Belief belief) : task_(std::move(task)), belief_(std::move(belief)) { make_room(); }

    Report learn(const Matrix& matrix, const Lesson& lesson) override {
        if (const Refusal refusal = check(lesson)) return {.refusal = refusal};
        const Stager<T> stage(matrix, intercept, belief_.planes());
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
        threads = std::max<std::size_t>(1, std::min(threads, matrix.rows / 64 + 1));
        if constexpr (requires { belief_.serial(); }) {
            if (belief_.serial()) threads = 1;
        }
        std::vector<Refusal> refusals(threads);
        const auto part = [&](std::size_t index) {
            const std::size_t first = matrix.rows * index / threads,
                              last = matrix.rows * (index + 1) / threads;
            refusals[index] = read_rows(matrix, what, out, first, last);
        };
        std::vector<std::thread> team;
        for (std::size_t index = 1; index < threads; ++index) team.emplace_back(part, index);
        part(0);
        for (std::thread& member : team) member.join();
        for (const Refusal& refusal : refusals)
            if (refusal) return refusal;
        return {};
    }

    bool single_precision() const noexcept override { return sizeof(T) == 4; }
    std::size_t bytes() const noexcept override {
        if constexpr (requires { belief_.bytes(); }) return belief_.bytes();
        std::size_t size = belief_.planes().size();
        if constexpr (requires { belief_.root(); }) size += belief_.root().size();
        return size * sizeof(T);
    }
    void settle() noexcept override { belief_.planes().settle(); }
    std::size_t blocks() const noexcept override { return belief_.planes().blocks(); }
    std::size_t features() const noexcept override { return belief_.planes().slots() - 1; }
    const char* place() const noexcept override {
        return reinterpret_cast<const char*>(belief_.planes().data()) + pitch();
    }
    std::size_t pitch() const noexcept override { return belief_.planes().slot_step() * sizeof(T); }

    void grow(std::size_t features, std::size_t classes) override {
        if constexpr (requires { task_.classes; }) {
            task_.classes = std::max(classes, task_.classes);
        }
        belief_.grow(features + 1, task_.blocks());
        make_room();
    }

    void expect(std::size_t classes) override { belief_.planes().expect(classes); }

    void shrink(std::size_t features) override {
        if constexpr (requires { belief_.shrink(features + 1); }) {
            belief_.shrink(features + 1);
        } else {
            belief_.planes().shrink(features + 1);
        }
    }

    bool shrink_classes(std::size_t features, std::size_t classes) override {
        if constexpr (requires { task_.classes; } && !requires { belief_.shrink(features + 1); }) {
            task_.classes = std::min(classes, task_.classes);
            belief_.planes().shrink(features + 1, task_.blocks());
            return true;
        } else {
            return false;
        }
    }

    std::unique_ptr<AnyLearner> for_multiclass(const TaskSpec& task) override {
        if constexpr (std::is_same_v<Task, task::Binary>) {
            // A temperature over blocks -s/2, s/2 is the same map as a scale over s, but for the offset.
            const auto rebuild = [&]<class Several>(Several several) -> std::unique_ptr<AnyLearner> {
                belief_.split();
                several.classes = 2;
                auto learner =
                    std::make_unique<Learner<Several, Belief>>(std::move(several), std::move(belief_));
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

    std::unique_ptr<AnyLearner> copy() const override {
        auto twin = std::make_unique<Learner>(task_, belief_);
        twin->adopt(*this);
        return twin;
    }

    void weights(Weights which, double* coefficients, double* intercepts) const override {
        const std::size_t d = features();
        for (std::size_t b = 0; b < blocks(); ++b) {
            intercepts[b] = weight(which, 0, b);
            for (std::uint32_t s = 1; s <= d; ++s) *coefficients++ = weight(which, s, b);
        }
    }
    void set_mean(const double* coefficients, const double* intercepts) override {
        std::vector<double> all;
        for (std::size_t b = 0; b < blocks(); ++b) {
            all.push_back(intercepts[b]);
            all.insert(all.end(), coefficients, coefficients + features());
            coefficients += features();
        }
        belief_.set_mean(all.data());
    }
    bool has_variance() const noexcept override {
        if constexpr (requires { belief_.has_variance(); }) return belief_.has_variance();
        return !std::is_same_v<Belief, belief::Mean<T>> &&
               !std::is_same_v<Belief, belief::DualAveraging<T>> &&
               !std::is_same_v<Belief, belief::L1Ball<T>>;
    }
    std::vector<double> covariance() const override {
        if constexpr (requires { belief_.sigma(); }) {
            return belief_.sigma();
        } else {
            return {};
        }
    }
    void inflate(double share) override {
        if constexpr (requires { belief_.inflate(share); }) belief_.inflate(share);
    }

    bool truncate(double sigma) override {
        if constexpr (requires { belief_.truncation; }) {
            belief_.truncation.once(belief_, sigma);
            return true;
        }
        return false;
    }
    bool set_truncation(double sigma) override {
        if constexpr (requires { belief_.truncation; }) {
            belief_.truncation.sigma = sigma;
            return true;
        }
        return sigma == 0;
    }

    void prepare() override {
        rule::dispatch(rule, [this](const auto& r) {
            double threshold = 0;
            if constexpr (requires { r.initial_threshold(); }) threshold = r.initial_threshold();
            belief_.start(threshold, rule::uses(r).mean_norm);
            if constexpr (requires { belief_.confine(r.radius); }) belief_.confine(r.radius);
            if constexpr (requires { belief_.learn_covariance(true); })
                belief_.learn_covariance(std::remove_cvref_t<decltype(r)>::metric != rule::Metric::mean);
        });
        if constexpr (requires { task_.start(belief_); }) task_.start(belief_);
    }

    std::vector<StateEntry> state(const StatePart* part = nullptr) const override {
        StateWriter<T> writer(part);
        const_cast<Belief&>(belief_).visit(writer);  // the writer only reads
        return std::move(writer.entries);
    }
    std::optional<Touched> touched() const override {
        TouchedFinder<T> finder;
        const_cast<Belief&>(belief_).visit(finder);  // the finder only reads
        return std::move(finder).result();
    }
    void load(const GivenState& given) override {
        StateReader<T> reader{given};
        belief_.visit(reader);
        belief_.loaded();
    }

    void adopt(const AnyLearner& other) {
        counters = other.counters;
        calibration = other.calibration;
        class_counts = other.class_counts;
        intercept = other.intercept;
        rule = other.rule;
    }
    Belief& belief() noexcept { return belief_; }

private:
    /// Scores are linear in the row for these, so the intercept can be added last and values need no copy.
    static constexpr bool kLinear =
        (std::is_same_v<Belief, belief::Mean<T>> || std::is_same_v<Belief, belief::Diagonal<T>>) &&
        (std::is_same_v<Task, task::Binary> || std::is_same_v<Task, task::Multiclass>);

    /// Every variance is positive, so a value that is not finite shows in the variance of its row's score.
    static constexpr bool kShowsFaults =
        std::is_same_v<Task, task::Binary> && std::is_same_v<Belief, belief::Diagonal<T>>;

    double weight(Weights which, std::uint32_t slot, std::size_t block) const noexcept {
        switch (which) {
            case Weights::mean:
                return belief_.mean_at(slot, block);
            case Weights::variance:
                return belief_.variance_at(slot, block);
            default:
                return belief_.average_at(slot, block);
        }
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

    /// Learns with means and variances taken apart where dense rows are many enough to pay for it.
    Report learn_parted(const Stager<T>& stage, const Lesson& lesson) {
        if constexpr (kLinear && requires { belief_.part(); }) {
            constexpr std::size_t kMany = 16;
            if (!stage.plain() || lesson.count < kMany) return learn_all(stage, lesson);
            struct Together {
                Belief& belief;
                ~Together() { belief.together(); }
            } after{belief_};
            belief_.part();
            return learn_all(stage, lesson);
        }
        return learn_all(stage, lesson);
    }

    Report learn_all(const Stager<T>& stage, const Lesson& lesson) {
        if constexpr (requires { task_.single(); }) {
            if (task_.single()) return learn_groups(stage, lesson);
        }
        // On short rows choosing the rule again for each would be felt: the rules most used have a loop of
        // their own.
        if constexpr (kLinear) {
            if (const auto* chosen = std::get_if<rule::Arow>(&rule))
                return learn_rows(stage, lesson, *chosen);
            if (const auto* chosen = std::get_if<rule::PassiveAggressive>(&rule))
                return learn_rows(stage, lesson, *chosen);
            if (const auto* chosen = std::get_if<rule::SoftConfidenceWeighted>(&rule))
                return learn_rows(stage, lesson, *chosen);
        }
        return learn_rows(stage, lesson, rule);
    }

    Clock clock(const Report& report) const noexcept {
        return {static_cast<std::uint64_t>(counters.seen) + report.seen + 1};
    }

    template <class Rule>
    Report learn_rows(const Stager<T>& stage, const Lesson& lesson, const Rule& chosen) {
        Report report;
        const auto row_of = [&](std::size_t i) {
            return lesson.order ? static_cast<std::size_t>(lesson.order[i]) : i;
        };
        // Rows are staged, and their weights asked for, some rounds before their own. One that is refused is
        // where the call ends.
        std::size_t end = lesson.count, fetched = 0;
        Refusal ahead;
        const auto fetch = [&]() __attribute__((always_inline)) {
            if (fetched == end) return;
            Stage<T>& next = stages_[fetched % kStages];
            if (fetched < kStages || !restage(stage, row_of(fetched), next)) {
                ahead = stage(row_of(fetched), next);
                if (ahead) {
                    end = fetched;
                    return;
                }
                if constexpr (!kLinear) stage.prefetch(next);
            }
            ++fetched;
        };
        for (std::size_t i = 0; i < kRowsAhead; ++i) fetch();
        [[maybe_unused]] const bool asks = !stage.plain();
        for (std::size_t i = 0; i < end; ++i) {
            const std::size_t index = row_of(i);
            // The sums over a row ask for the weights of the next one on the way.
            if constexpr (kLinear) {
                if (asks && i + 1 < fetched) stages_[i % kStages].ask_along(stages_[(i + 1) % kStages]);
            }
            const Row<T>& row = stages_[i % kStages].row;
            if constexpr (requires { belief_.foresee(); }) {
                if (i % Belief::kAhead == 0)
                    foresee(stage, lesson.count - i, [&](std::size_t j) { return row_of(i + j); });
                // The view ends before a row that was refused; one that is good now was changed in between.
                if (i % Belief::kAhead >= belief_.ahead().size())
                    return refused(report, {Fault::nan, index, -1});
                belief_.turn(i % Belief::kAhead);
            }
            task::Example example = example_of(lesson, index);
            if (const Fault fault = weigh(example, lesson); fault != Fault::none)
                return refused(report, {fault, index, -1});
            if (example.weight == 0) {  // an exact no-op
                if (const Refusal refusal = late_fault(stage, index, i)) return refused(report, refusal);
                if (lesson.scores) look(row);
                fetch();
            } else {
                shown_now_ = shown_scores(row);
                Round round;
                if constexpr (requires { task_.look(belief_, chosen, row, example, scores_.data()); }) {
                    // The next row is fetched while the sums over this one are being added up.
                    const auto seen = task_.look(belief_, chosen, row, example, scores_.data());
                    fetch();
                    round = task_.round(belief_, chosen, row, example, scores_.data(), clock(report), seen);
                } else {
                    fetch();
                    round = task_.round(belief_, chosen, row, example, scores_.data(), clock(report));
                }
                if (round.fault != Fault::none) {
                    const Refusal refusal = late_fault(stage, index, i);
                    return refused(report, refusal ? refusal : Refusal{round.fault, index, -1});
                }
                settle(example, round, lesson, report);
            }
            if (lesson.scores) std::copy_n(scores_.data(), blocks(), lesson.scores + i * blocks());
            ++report.learned;
        }
        return refused(report, ahead);
    }

    [[gnu::always_inline]] static bool restage(const Stager<T>& stage, std::size_t row, Stage<T>& to) {
        if constexpr (kShowsFaults)
            return stage.again_unseen(row, to);
        else
            return stage.again(row, to);
    }
    /// What is wrong with a row that was not looked at when it was staged.
    Refusal late_fault(const Stager<T>& stage, std::size_t index, std::size_t round) noexcept {
        if constexpr (kShowsFaults) {
            if (stage.plain()) return stage.fault_of(index, stages_[round % kStages]);
        }
        return {};
    }

    /// Examples of several rows each, a row for each label.
    Report learn_groups(const Stager<T>& stage, const Lesson& lesson) {
        Report report;
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
            if (example.weight == 0) {
                for (std::size_t c = 0; lesson.scores && c < k; ++c)
                    belief_.scores(candidates_[c].row, scores_.data() + c);
            } else {
                shown_now_ = scores_.data();
                const Round round = task_.round(belief_, rule, std::span<const Stage<T>>(candidates_),
                                                stages_[0], example, scores_.data(), clock(report));
                if (round.fault != Fault::none) return refused(report, {round.fault, index, -1});
                settle(example, round, lesson, report);
            }
            if (lesson.scores) std::copy_n(scores_.data(), k, lesson.scores + i * k);
            ++report.learned;
        }
        return report;
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
        task_.calibrate(calibration, shown_now_, example, lesson.calibrate);
        belief_.tick();
        ++report.seen;
        report.mistakes += round.mistake;
        report.updates += round.updated;
        if (round.cost != 0) {  // a sum of fractions depends on its order, so it is kept round by round
            counters.cost += round.cost;
            report.cost += round.cost;
        }
    }

    /// The scores predictions show, which the calibration is about: averages and inclusive scores differ from
    /// those a round learns from. They are read before the round.
    const double* shown_scores(const Row<T>& row) {
        if constexpr (
            requires { belief_.predicts_otherwise(); } &&
            !requires { task_.predict(belief_, row, scores_.data()); }) {
            if (belief_.predicts_otherwise()) {
                belief_.predict(row, shown_.data(), scratch_.data());
                return shown_.data();
            }
        }
        return scores_.data();
    }

    void look(const Row<T>& row) noexcept {
        if constexpr (requires { task_.predict(belief_, row, scores_.data()); })
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

    /// Scores linear in the row: the intercept is added last, and values are read where they lie, for one
    /// that is not finite shows in the score. What is not sorted is staged.
    Refusal read_scores(const Matrix& matrix, double* out, std::size_t first, std::size_t last) const {
        std::vector<double> base(blocks(), 0.0);
        if (intercept)
            for (std::size_t b = 0; b < blocks(); ++b) base[b] = belief_.average_at(0, b);
        const Stager<T> stage(matrix, false, belief_.planes());
        std::size_t next = first;
        if (stage.direct() && belief_.blend().second == 0) {
            if (!belief_.planes().single())
                next = read_direct(stage, base, out, first, last);
            else if (belief_.planes().planes() <= 2)
                next = read_direct(stage, matrix, base[0], out, first, last);
        }
        std::array<Stage<T>, 2> stages;
        std::vector<double> values(belief_.planes().lanes() + blocks()), scratch(values.size());
        const auto fetch = [&](std::size_t i) -> Refusal {
            if (!stage.light(i, stages[i % 2]))
                if (const Refusal refusal = stage(i, stages[i % 2])) return refusal;
            stage.prefetch(stages[i % 2]);
            return {};
        };
        Refusal ahead;
        if (next < last) ahead = fetch(next);
        for (std::size_t i = next; i < last; ++i) {
            if (ahead) return ahead;
            const Row<T>& row = stages[i % 2].row;
            if (i + 1 < last) ahead = fetch(i + 1);
            belief_.predict(row, values.data(), scratch.data());
            for (std::size_t b = 0; b < blocks(); ++b) {
                const double score = out[i * blocks() + b] = values[b] + base[b];
                if (std::isfinite(score)) continue;
                const Refusal refusal = stage(i, stages[i % 2]);
                return refusal ? refusal : Refusal{Fault::margin_overflow, i, -1};
            }
        }
        return {};
    }

    /// Scores of one block without any staging; returns the first row it could not do.
    std::size_t read_direct(const Stager<T>& stage, const Matrix& matrix, double base, double* out,
                            std::size_t first, std::size_t last) const {
        const Planes<T>& w = belief_.planes();
        const T* weights = w.data() + w.offset(1, 0, 0);
        std::size_t step = w.planes();
        // Of pairs only half is wanted: where weights are read often, means copied together stay in the
        // cache.
        std::unique_ptr<T[]> means;
        const std::size_t entries = matrix.sparse() ? matrix.entries : matrix.rows * matrix.columns;
        std::uint32_t mask = 0;
        if (step > 1 && entries > 4 * w.slots()) {
            const std::size_t room =
                std::bit_ceil(w.slots() - 1);  // an index is kept inside by its bits alone
            means = std::make_unique_for_overwrite<T[]>(room + 1);
            w.read(0, means.get());
            std::fill(means.get() + w.slots(), means.get() + room + 1, T{0});
            weights = means.get() + 1;
            step = 1;
            mask = static_cast<std::uint32_t>(room - 1);
        }
        const double scale = belief_.mean_scale();
        const std::size_t done = stage.score(first, last, weights, step, mask, out);
        for (std::size_t i = first; i < done; ++i) {
            out[i] = scale * out[i] + base;
            if (!std::isfinite(out[i])) return i;
        }
        return done;
    }

    /// The same of several blocks.
    std::size_t read_direct(const Stager<T>& stage, const std::vector<double>& base, double* out,
                            std::size_t first, std::size_t last) const {
        const Planes<T>& w = belief_.planes();
        const T* weights = w.data() + w.offset(1, 0, 0);
        std::vector<double> sums(w.lanes());
        const double scale = belief_.mean_scale();
        for (std::size_t i = first; i < last; ++i) {
            if (!stage.score(i, weights, w.lanes(), sums.data())) return i;
            bool finite = true;
            for (std::size_t b = 0; b < base.size(); ++b) {
                const double score = out[i * base.size() + b] = scale * sums[b] + base[b];
                finite &= score - score == 0;
            }
            if (!finite) return i;
        }
        return last;
    }

    /// Shows the belief the rows to come, for as far as it looks; one that will be refused ends the view.
    template <class Order>
    void foresee(const Stager<T>& stage, std::size_t left, Order&& row_of) {
        Stage<T> scratch;
        belief_.ahead().clear();
        for (std::size_t j = 0; j < std::min(left, Belief::kAhead); ++j) {
            if (stage(row_of(j), scratch)) break;
            belief_.ahead().add(scratch.row);
        }
        belief_.foresee();
    }

    Refusal read_blocks(const Stager<T>& stage, bool variances, double* out, std::size_t first,
                        std::size_t last) const {
        Stage<T> scratch;
        auto block = belief_.block();
        for (std::size_t start = first; start < last; start += Belief::kAhead) {
            block.clear();
            for (std::size_t i = start; i < std::min(last, start + Belief::kAhead); ++i) {
                if (const Refusal refusal = stage(i, scratch)) return refusal;
                block.add(scratch.row);
            }
            belief_.read(block, variances, out + start * blocks());
            for (std::size_t k = start * blocks(); k < std::min(last, start + Belief::kAhead) * blocks(); ++k)
                if (!std::isfinite(out[k])) return {Fault::margin_overflow, k / blocks(), -1};
        }
        return {};
    }

    Refusal read_rows(const Matrix& matrix, Reading what, double* out, std::size_t first,
                      std::size_t last) const {
        if constexpr (kLinear) {
            if (what == Reading::scores) return read_scores(matrix, out, first, last);
        }
        const Stager<T> stage(matrix, intercept, belief_.planes());
        if constexpr (requires { belief_.block(); }) {
            if (what != Reading::margin_variance)
                return read_blocks(stage, what == Reading::variances, out, first, last);
        }
        std::array<Stage<T>, 2> stages;
        std::vector<double> values(belief_.planes().lanes() + blocks()), scratch(values.size());
        Refusal ahead;
        if (first < last) ahead = stage(first, stages[first % 2]);
        for (std::size_t i = first; i < last; ++i) {
            if (ahead) return ahead;
            const Row<T>& row = stages[i % 2].row;
            if (i + 1 < last) {
                ahead = stage(i + 1, stages[(i + 1) % 2]);
                if (!ahead) stage.prefetch(stages[(i + 1) % 2]);
            }
            if (what == Reading::margin_variance) {
                out[i] = margin_variance(row, values.data(), scratch.data());
                if (!std::isfinite(out[i])) return {Fault::margin_overflow, i, -1};
                continue;
            }
            if (what == Reading::scores)
                predict(row, values.data(), scratch.data());
            else
                belief_.variances(row, values.data());
            for (std::size_t b = 0; b < blocks(); ++b)
                if (!std::isfinite(values[b])) return {Fault::margin_overflow, i, -1};
            std::copy_n(values.data(), blocks(), out + i * blocks());
        }
        return {};
    }

    double margin_variance(const Row<T>& row, double* values, double* scratch) const {
        if (blocks() == 1) {
            belief_.variances(row, values);
            return values[0];
        }
        belief_.predict(row, values, scratch);
        const auto best = static_cast<std::uint32_t>(std::max_element(values, values + blocks()) - values);
        const Term terms[2] = {{best, 1.0}, {task::best_rival(values, blocks(), best), -1.0}};
        return belief_.variance(row, Terms(terms, 2));
    }

    void predict(const Row<T>& row, double* out, double* scratch) const {
        if constexpr (requires { task_.predict(belief_, row, out); })
            task_.predict(belief_, row, out);
        else
            belief_.predict(row, out, scratch);
    }

    void make_room() {
        scores_.assign(belief_.planes().lanes() + blocks(), 0.0);
        shown_ = scratch_ = scores_;
    }

    Task task_;
    Belief belief_;
    static constexpr std::size_t kStages = 4, kRowsAhead = 2;
    std::array<Stage<T>, kStages> stages_;
    std::vector<Stage<T>> candidates_;
    std::vector<double> scores_, shown_, scratch_;
    const double* shown_now_ = nullptr;  // the scores of the round at hand, as predictions show them
};

}  // namespace onlinear
