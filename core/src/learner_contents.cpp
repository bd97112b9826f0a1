#include <algorithm>
#include <limits>

#include "onlinear/learn/contents.hpp"

namespace onlinear {

template <class B>
B Contents<B>::made(const Options& options, std::size_t slots, std::size_t blocks, bool apart) {
    if constexpr (std::is_constructible_v<B, const Options&, std::size_t, std::size_t, bool>)
        return B(options, slots, blocks, apart);
    else
        return B(options, slots, blocks);
}

template <class B>
B Contents<B>::copied(const B& belief) {
    return belief;
}

template <class B>
std::size_t Contents<B>::bytes(const B& belief) noexcept {
    if constexpr (belief::CountsBytes<B>) return belief.bytes();
    std::size_t size = belief.planes().size();
    if constexpr (belief::HoldsRoot<B>) size += belief.root().size();
    std::size_t more = 0;
    if constexpr (belief::HasScales<B>) more = belief.scales.bytes();
    return size * sizeof(T) + more;
}

template <class B>
std::vector<StateEntry> Contents<B>::state(const B& belief, const StatePart* part) {
    StateWriter<T> writer(part);
    const_cast<B&>(belief).visit(writer);  // the writer changes nothing
    return std::move(writer.entries);
}

template <class B>
std::optional<Touched> Contents<B>::touched(const B& belief) {
    TouchedFinder<T> finder;
    const_cast<B&>(belief).visit(finder);  // the finder changes nothing
    return std::move(finder).result();
}

template <class B>
void Contents<B>::load(B& belief, const GivenState& given) {
    StateReader<T> reader{given};
    belief.visit(reader);
    belief.loaded();
}

template <class B>
double Contents<B>::weight(const B& belief, Weights which, std::uint32_t slot, std::size_t block) noexcept {
    double unit = 1;
    if constexpr (belief::HasScales<B>) unit = belief.scales.of(slot);
    switch (which) {
        case Weights::mean:
            return within_range(belief.mean_at(slot, block) / unit);
        case Weights::variance:
            return std::max(within_range(belief.variance_at(slot, block) / unit / unit),
                            std::numeric_limits<double>::min());
        default:
            return within_range(belief.average_at(slot, block) / unit);
    }
}

/// What the means of the features add up to under the weights of a block: a score is w (x - m) + b.
template <class B>
double of_means([[maybe_unused]] const B& belief, [[maybe_unused]] AnyLearner::Weights which,
                [[maybe_unused]] std::size_t block) noexcept {
    double sum = 0;
    if constexpr (belief::HasScales<B>) {
        if (which != AnyLearner::Weights::variance)
            belief.scales.centre().each([&](std::uint32_t slot, double mean) {
                sum += mean * Contents<B>::weight(belief, which, slot, block);
            });
    }
    return sum;
}

template <class B>
void Contents<B>::weights(const B& belief, Weights which, double* coefficients, double* intercepts) {
    const std::size_t slots = belief.planes().slots(), blocks = belief.planes().blocks();
    for (std::size_t b = 0; b < blocks; ++b) {
        intercepts[b] = weight(belief, which, 0, b) - of_means(belief, which, b);
        for (std::uint32_t s = 1; s < slots; ++s) *coefficients++ = weight(belief, which, s, b);
    }
}

template <class B>
void Contents<B>::set_mean(B& belief, const double* coefficients, const double* intercepts) {
    const std::size_t features = belief.planes().slots() - 1, blocks = belief.planes().blocks();
    std::vector<double> all;
    for (std::size_t b = 0; b < blocks; ++b) {
        all.push_back(intercepts[b]);
        all.insert(all.end(), coefficients, coefficients + features);
        coefficients += features;
    }
    if constexpr (belief::HasScales<B>) {
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] *= belief.scales.of(static_cast<std::uint32_t>(i % (features + 1)));
        belief.scales.centre().each([&](std::uint32_t slot, double mean) {
            for (std::size_t b = 0; b < blocks; ++b)
                all[b * (features + 1)] += all[b * (features + 1) + slot] / belief.scales.of(slot) * mean;
        });
    }
    belief.set_mean(all.data());
}

template <class B>
bool Contents<B>::truncate(B& belief, double sigma) {
    if constexpr (belief::Truncates<B>) {
        belief.truncation.once(belief, sigma);
        return true;
    }
    return false;
}

template <class B>
void Contents<B>::shrink(B& belief, std::size_t slots) {
    if constexpr (belief::ShrinksItself<B>)
        belief.shrink(slots);
    else
        belief.planes().shrink(slots);
    if constexpr (belief::HasScales<B>) belief.scales.shrink(slots);
}

template struct Contents<belief::Mean<float>>;
template struct Contents<belief::Mean<double>>;
template struct Contents<belief::Diagonal<float>>;
template struct Contents<belief::Diagonal<double>>;
template struct Contents<belief::Full<float>>;
template struct Contents<belief::Full<double>>;
template struct Contents<belief::Information<float>>;
template struct Contents<belief::Information<double>>;
template struct Contents<belief::DualAveraging<float>>;
template struct Contents<belief::DualAveraging<double>>;
template struct Contents<belief::L1Ball<float>>;
template struct Contents<belief::L1Ball<double>>;
template struct Contents<belief::KernelExpansion<float>>;
template struct Contents<belief::KernelExpansion<double>>;

}  // namespace onlinear
