#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "onlinear/belief/all.hpp"
#include "onlinear/calibration.hpp"
#include "onlinear/cut.hpp"
#include "onlinear/rounds.hpp"
#include "onlinear/rows/matrix.hpp"
#include "onlinear/rule/any.hpp"
#include "onlinear/state/state.hpp"
#include "onlinear/targets.hpp"
#include "onlinear/task/all.hpp"

/// The interface through which everything outside the core sees a learner. The loop is in learn/loop.hpp.
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
    bool late = false;                      // late rows fit the map (Calibration): these with `calibrate`,
                                            // without it the map is left as it is
    double* scores = nullptr;  // where to write the scores before each round; blocks() or candidates each
    RecordTo record = {};      // where to write what each round was; not of examples of several rows

    bool leaves_map() const noexcept { return late && !calibrate; }
};

/// What a call of `learn` did.
struct Report {
    std::size_t learned = 0;  // examples gone through, passive and weightless ones included
    std::size_t seen = 0;     // those of them that had weight
    std::size_t mistakes = 0;
    std::size_t updates = 0;
    double cost = 0.0;
    std::size_t tokens = 0, wrong_tokens = 0;  // of sentences
    Refusal refusal;
};

/// The same over a learner's life.
struct Counters {
    double seen = 0, mistakes = 0, updates = 0, cost = 0, tokens = 0, wrong_tokens = 0;
};

/// What to read of a row: every block's score, every block's variance, or the variance of the margin between
/// the best block and its rival (one number; with one block, that block's variance).
enum class Reading { scores, variances, margin_variance };

/// What every learner has, whether it learns from rows or from sentences (sequence/learner.hpp).
class AnyLearner {
public:
    virtual ~AnyLearner() = default;

    virtual bool single_precision() const noexcept = 0;
    virtual bool has_variance() const noexcept = 0;
    /// Memory the state takes.
    virtual std::size_t bytes() const noexcept = 0;
    /// The rule it learns by.
    virtual const rule::AnyRule& rule() const noexcept = 0;
    virtual void set_rule(const rule::AnyRule& rule) = 0;
    /// Tells the belief what the rule will ask of it; called once, when both are known.
    virtual void prepare() = 0;

    /// Zeroes the smallest weights whose squares sum to less than sigma; false when the belief cannot.
    virtual bool truncate(double sigma) = 0;
    /// The same after every update; 0 is off.
    virtual bool set_truncation(double sigma) = 0;

    /// The state by name. A large model is better read one array at a time: with `part`, the other arrays
    /// come with their shapes and without their numbers.
    virtual std::vector<StateEntry> state(const StatePart* part = nullptr) const = 0;
    /// The weights that learning has touched; nothing for a state that is more than numbers for each weight.
    virtual std::optional<Touched> touched() const = 0;
    /// Takes a state. Where it throws, part of the state may have been taken: the learner must not be used.
    virtual void load(const GivenState& given) = 0;

    /// What is known of every weight.
    enum class Weights { mean, variance, average };

    /// The clock of the next round.
    Clock clock() const noexcept {
        return {.round = static_cast<std::uint64_t>(counters.seen) + 1,
                .updates = static_cast<std::uint64_t>(counters.updates)};
    }

    Counters counters;
};

/// A learner of rows.
class RowLearner : public AnyLearner {
public:
    virtual Report learn(const Matrix& matrix, const Lesson& lesson) = 0;
    /// The first answer that would be refused.
    virtual Refusal check(const Lesson& lesson) const noexcept = 0;
    /// Fills `out`, blocks() numbers a row (one for the margin's variance), on `threads` threads.
    virtual Refusal read(const Matrix& matrix, Reading what, double* out, std::size_t threads) const = 0;

    virtual std::size_t blocks() const noexcept = 0;
    virtual std::size_t features() const noexcept = 0;
    /// Where the weights of column 0 lie, and the bytes from one column's to the next: to prefetch them.
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
    virtual std::unique_ptr<RowLearner> for_multiclass(const TaskSpec& task) = 0;
    virtual std::unique_ptr<RowLearner> copy() const = 0;

    /// What `which` says of every weight, block-major, the intercept apart.
    virtual void weights(Weights which, double* coefficients, double* intercepts) const = 0;
    virtual void set_mean(const double* coefficients, const double* intercepts) = 0;
    virtual std::vector<double> covariance() const = 0;  // empty when there is none
    virtual void inflate(double share) = 0;

    Calibration calibration;
    Cut cut;
    Targets targets;
    std::vector<double> class_counts;
    bool intercept = true;
};

/// Checks rows before anything is learned from them, so that a refused call has learned nothing.
Refusal inspect(const Matrix& matrix, bool single_precision);

/// Throws std::invalid_argument where the parts do not go together (compatible.hpp). A task that is its own
/// rule takes none (null).
std::unique_ptr<RowLearner> make_learner(const TaskSpec& task, const rule::AnyRule* rule,
                                         const BeliefSpec& belief, bool single_precision,
                                         std::size_t features, bool intercept);

}  // namespace onlinear
