#include "onlinear/compatible.hpp"
#include "onlinear/sequence/loop.hpp"

namespace onlinear::sequence {

void Sentences::sort_token() {
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

template <class T, class Options>
std::unique_ptr<SentenceLearner> build(const rule::AnyRule& rule, const Options& options) {
    using Belief = typename Options::template Belief<T>;
    auto learner = std::make_unique<Labeler<Belief>>(Contents<Belief>::made(options, 1, 2, true));
    learner->set_rule(rule);
    learner->prepare();
    return learner;
}

}  // namespace

std::unique_ptr<SentenceLearner> make_learner(const rule::AnyRule& rule, const BeliefSpec& belief,
                                              bool single_precision) {
    check_sequences(rule, belief);
    return std::visit(
        [&]<class Options>(const Options& options) -> std::unique_ptr<SentenceLearner> {
            if constexpr (Options::takes.sentences)
                return single_precision ? build<float>(rule, options) : build<double>(rule, options);
            else
                return nullptr;  // refused above
        },
        belief);
}

}  // namespace onlinear::sequence
