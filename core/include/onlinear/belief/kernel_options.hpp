#pragma once
#include "onlinear/belief/points.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::belief {

inline constexpr std::array<const char*, 2> kRemovals{"smallest", "forgetron"};

template <class T>
class KernelExpansion;

struct KernelOptions {
    enum Removal : int { kSmallest, kForgetron };
    KernelKind kernel;
    double gamma = 1.0;
    double degree = 3.0;
    double coef0 = 1.0;
    double initial_variance = 1.0;
    std::size_t budget = 0;  // 0: none
    int removal = kSmallest;

    template <class T>
    using Belief = KernelExpansion<T>;
    static constexpr const char* name = "Kernel";
    static constexpr const char* doc =
        "A belief in the space of a kernel, held by the examples that made it.";
    static constexpr rule::Metric metric = rule::Metric::either;
    static constexpr Parts takes{
        .keep = true, .threshold = true, .mean_norm = true, .targets = true, .pairs = true, .several = true};
    static constexpr auto parameters() {
        using Self = KernelOptions;
        return std::tuple{
            rule::Parameter<Self, KernelKind>{
                "kernel", &Self::kernel, {}, kKernelNames, "a name, or a function of two matrices"},
            rule::positive("gamma", &Self::gamma, "scale of 'poly' and 'rbf'"),
            rule::positive("degree", &Self::degree, "degree of 'poly'"),
            rule::nonnegative("coef0", &Self::coef0, "constant of 'poly'"),
            rule::positive("initial_variance", &Self::initial_variance,
                           "variance of a weight of which nothing is learned yet"),
            rule::count_or_none("budget", &Self::budget, "most examples held; None for all"),
            rule::choice("removal", &Self::removal, kRemovals, "which example goes when the budget is full")};
    }
    KernelFunction function() const { return {kernel, gamma, degree, coef0}; }
};

}  // namespace onlinear::belief
