#pragma once
#include <memory>

#include "onlinear/learner.hpp"
#include "onlinear/task/sequence.hpp"

/// The interface through which everything outside the core sees a learner of sentences. The loop is in
/// sequence/loop.hpp.
namespace onlinear::sequence {

struct SentenceLesson {
    const std::int64_t* order = nullptr;  // null: as they lie
    std::size_t count = 0;                // sentences to learn (the length of `order` where given)
    const double* weight = nullptr;       // one a sentence; null: all 1
    const double* label_weight =
        nullptr;            // one a label; a sentence's weight is multiplied by their mean over its tokens
    bool balanced = false;  // the same with labels weighed by how often they have come so far
    task::SequenceCost cost;
    std::size_t known =
        0;  // labels met before this batch; the others come into play with the first sentence that has them
};

/// A learner of sentences.
class SentenceLearner : public AnyLearner {
public:
    /// Learns sentences whose slots and labels are in `layout`; every token must have a label.
    virtual Report learn(Sentences& batch, const SentenceLesson& lesson) = 0;
    /// The best labels of every token of the sentences from `first` up to `last`, and where `confidence` is
    /// given, how sure each is.
    virtual void tag(Sentences& batch, std::size_t first, std::size_t last, std::int32_t* labels,
                     double* confidence) = 0;

    virtual std::unique_ptr<SentenceLearner> copy() const = 0;
    /// Makes the weights as large as `layout` says.
    virtual void fit_layout() = 0;
    /// Throws std::length_error where they would be too many.
    virtual void check_layout() const = 0;

    /// Emissions row by row, one a label, then transitions, one row a label before.
    virtual void weights(Weights which, double* out) const = 0;
    /// The covariance in the same order, row by row; only of a full belief.
    virtual bool covariance(double* out) const = 0;

    Layout layout;
    /// How often each label has come, counted where labels are balanced.
    std::vector<double> label_counts;

    std::size_t weight_count() const noexcept {
        return layout.labels() * layout.column.size() + layout.labels() * layout.labels();
    }
};

/// Throws std::invalid_argument where rule and belief do not go together (compatible.hpp).
std::unique_ptr<SentenceLearner> make_learner(const rule::AnyRule& rule, const BeliefSpec& belief,
                                              bool single_precision);

}  // namespace onlinear::sequence
