#pragma once
#include "onlinear/learn/contents.hpp"
#include "onlinear/learner.hpp"
#include "onlinear/rule/all.hpp"

namespace onlinear {

/// What a learner does with its belief alone, which is the same for rows and for sentences.
template <class Interface, class Belief>
class WithBelief : public Interface {
public:
    using T = typename Belief::Scalar;

    explicit WithBelief(Belief&& belief) : belief_(std::move(belief)) {}

    bool single_precision() const noexcept override { return sizeof(T) == 4; }
    bool has_variance() const noexcept override {
        if constexpr (belief::ChoosesCovariance<Belief>)
            return belief_.has_variance();
        else
            return Belief::Options::metric == rule::Metric::gaussian;
    }
    std::size_t bytes() const noexcept override { return Contents<Belief>::bytes(belief_); }

    const rule::AnyRule& rule() const noexcept override { return rule_; }
    void set_rule(const rule::AnyRule& rule) override { rule_ = rule; }
    void prepare() override {
        rule::dispatch(rule_, [this]<class R>(const R& r) {
            double threshold = 0;
            if constexpr (rule::StartsThreshold<R>) threshold = r.initial_threshold();
            belief_.start(threshold, rule::uses(r).mean_norm);
            if constexpr (belief::Confines<Belief>) {  // alone: clang looks at what follows before it knows R
                if constexpr (rule::GivesRadius<R>) belief_.confine(r.l1_radius());
            }
            if constexpr (belief::ChoosesCovariance<Belief>)
                belief_.learn_covariance(R::metric != rule::Metric::mean);
        });
    }

    bool truncate(double sigma) override { return Contents<Belief>::truncate(belief_, sigma); }
    bool set_truncation(double sigma) override {
        if constexpr (belief::Truncates<Belief>) {
            belief_.truncation.sigma = sigma;
            return true;
        }
        return sigma == 0;
    }

    std::vector<StateEntry> state(const StatePart* part = nullptr) const override {
        return Contents<Belief>::state(belief_, part);
    }
    std::optional<Touched> touched() const override { return Contents<Belief>::touched(belief_); }
    void load(const GivenState& given) override { Contents<Belief>::load(belief_, given); }

    Belief& belief() noexcept { return belief_; }

protected:
    void adopt(const AnyLearner& other) {
        this->counters = other.counters;
        rule_ = other.rule();
    }

    Belief belief_;
    rule::AnyRule rule_;
};

/// The same, of a learner of rows.
template <class Belief>
class RowsWithBelief : public WithBelief<RowLearner, Belief> {
    using Base = WithBelief<RowLearner, Belief>;

public:
    using Base::belief_;
    using typename Base::T;
    using Weights = AnyLearner::Weights;

    // Not inlined: they are the same for every task, and compiled once.
    [[gnu::noinline]] explicit RowsWithBelief(Belief&& belief) : Base(std::move(belief)) {}
    [[gnu::noinline]] ~RowsWithBelief() override {}

    std::size_t blocks() const noexcept override { return belief_.planes().blocks(); }
    std::size_t features() const noexcept override { return belief_.planes().slots() - 1; }
    const char* place() const noexcept override {
        return reinterpret_cast<const char*>(belief_.planes().data()) + pitch();
    }
    std::size_t pitch() const noexcept override { return belief_.planes().slot_step() * sizeof(T); }

    void expect(std::size_t classes) override { belief_.planes().expect(classes); }
    void shrink(std::size_t features) override { Contents<Belief>::shrink(belief_, features + 1); }

    void weights(Weights which, double* coefficients, double* intercepts) const override {
        Contents<Belief>::weights(belief_, which, coefficients, intercepts);
    }
    void set_mean(const double* coefficients, const double* intercepts) override {
        Contents<Belief>::set_mean(belief_, coefficients, intercepts);
    }
    std::vector<double> covariance() const override {
        if constexpr (belief::ShowsCovariance<Belief>) {
            return belief_.sigma();
        } else {
            return {};
        }
    }
    void inflate(double share) override {
        if constexpr (belief::Inflates<Belief>) belief_.inflate(share);
    }

    void adopt(const RowLearner& other) {
        Base::adopt(other);
        this->calibration = other.calibration;
        this->cut = other.cut;
        this->targets = other.targets;
        this->class_counts = other.class_counts;
        this->intercept = other.intercept;
    }
};

}  // namespace onlinear
