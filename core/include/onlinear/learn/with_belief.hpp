#pragma once
#include <algorithm>
#include <limits>

#include "onlinear/learner.hpp"
#include "onlinear/rule/all.hpp"

namespace onlinear {

/// What a learner does with its belief alone, which is the same for rows and for sentences.
template <class Interface, class Belief>
class WithBelief : public Interface {
public:
    using T = typename Belief::Scalar;
    using Weights = AnyLearner::Weights;

    explicit WithBelief(Belief belief) : belief_(std::move(belief)) {}

    bool single_precision() const noexcept override { return sizeof(T) == 4; }
    bool has_variance() const noexcept override {
        if constexpr (belief::ChoosesCovariance<Belief>)
            return belief_.has_variance();
        else
            return Belief::Options::metric == rule::Metric::gaussian;
    }
    std::size_t bytes() const noexcept override {
        if constexpr (belief::CountsBytes<Belief>) return belief_.bytes();
        std::size_t size = belief_.planes().size();
        if constexpr (belief::HoldsRoot<Belief>) size += belief_.root().size();
        if constexpr (belief::HasScales<Belief>) size += belief_.scales.size();
        return size * sizeof(T);
    }

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

    bool truncate(double sigma) override {
        if constexpr (belief::Truncates<Belief>) {
            belief_.truncation.once(belief_, sigma);
            return true;
        }
        return false;
    }
    bool set_truncation(double sigma) override {
        if constexpr (belief::Truncates<Belief>) {
            belief_.truncation.sigma = sigma;
            return true;
        }
        return sigma == 0;
    }

    std::vector<StateEntry> state(const StatePart* part = nullptr) const override {
        StateWriter<T> writer(part);
        const_cast<Belief&>(belief_).visit(writer);  // the writer changes nothing
        return std::move(writer.entries);
    }
    std::optional<Touched> touched() const override {
        TouchedFinder<T> finder;
        const_cast<Belief&>(belief_).visit(finder);  // the finder changes nothing
        return std::move(finder).result();
    }
    void load(const GivenState& given) override {
        StateReader<T> reader{given};
        belief_.visit(reader);
        belief_.loaded();
    }

    Belief& belief() noexcept { return belief_; }

protected:
    void adopt(const AnyLearner& other) {
        this->counters = other.counters;
        rule_ = other.rule();
    }

    /// In the units of the features. A unit may be so large or small that only float64's range holds it.
    double weight(Weights which, std::uint32_t slot, std::size_t block) const noexcept {
        double unit = 1;
        if constexpr (belief::HasScales<Belief>) unit = belief_.scales.of(slot);
        switch (which) {
            case Weights::mean:
                return within_range(belief_.mean_at(slot, block) / unit);
            case Weights::variance:
                return std::max(within_range(belief_.variance_at(slot, block) / unit / unit),
                                std::numeric_limits<double>::min());
            default:
                return within_range(belief_.average_at(slot, block) / unit);
        }
    }
    static double within_range(double value) noexcept {
        constexpr double kMost = std::numeric_limits<double>::max();
        return std::clamp(value, -kMost, kMost);
    }

    Belief belief_;
    rule::AnyRule rule_;
};

}  // namespace onlinear
