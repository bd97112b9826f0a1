#include "onlinear/sequence/learner.hpp"

namespace onlinear::sequence {

void Batch::sort_token() {
    const std::size_t first = token_.back(), count = feature_.size() - first;
    std::vector<std::pair<std::uint32_t, double>> entries(count);
    for (std::size_t j = 0; j < count; ++j)
        entries[j] = {feature_[first + j], wide_.empty() ? 1.0 : wide_[first + j]};
    std::sort(entries.begin(), entries.end());
    for (std::size_t j = 0; j < count; ++j) {
        feature_[first + j] = entries[j].first;
        if (!wide_.empty()) wide_[first + j] = entries[j].second;
    }
}

namespace {

template <template <class> class Belief, class T, class Options>
std::unique_ptr<AnyLearner> build(const rule::AnyRule& rule, const Options& options) {
    auto learner = std::make_unique<Learner<Belief<T>>>(Belief<T>(options, 1, 2, true));
    learner->rule = rule;
    learner->prepare_rule();
    return learner;
}

template <template <class> class Belief, class Options>
std::unique_ptr<AnyLearner> build(const rule::AnyRule& rule, const Options& options, bool single_precision) {
    return single_precision ? build<Belief, float>(rule, options) : build<Belief, double>(rule, options);
}

}  // namespace

std::unique_ptr<AnyLearner> make_learner(const rule::AnyRule& rule, const BeliefSpec& belief,
                                         bool single_precision) {
    if (const auto* mean = std::get_if<belief::MeanOptions>(&belief))
        return build<belief::Mean>(rule, *mean, single_precision);
    if (const auto* diagonal = std::get_if<belief::DiagonalOptions>(&belief))
        return build<belief::Diagonal>(rule, *diagonal, single_precision);
    if (const auto* ball = std::get_if<belief::L1BallOptions>(&belief))
        return build<belief::L1Ball>(rule, *ball, single_precision);
    return build<belief::Full>(rule, std::get<belief::FullOptions>(belief), single_precision);
}

}  // namespace onlinear::sequence
