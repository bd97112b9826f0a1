#pragma once
#include <variant>

#include "onlinear/belief/diagonal.hpp"
#include "onlinear/belief/dual_averaging.hpp"
#include "onlinear/belief/full.hpp"
#include "onlinear/belief/information.hpp"
#include "onlinear/belief/kernel_expansion.hpp"
#include "onlinear/belief/l1_ball.hpp"
#include "onlinear/belief/mean.hpp"

namespace onlinear {

/// The closed list: a belief exists when its options stand here. `Options::Belief<T>` is the belief itself.
using BeliefSpec = std::variant<belief::MeanOptions, belief::DiagonalOptions, belief::FullOptions,
                                belief::InformationOptions, belief::DualAveragingOptions,
                                belief::L1BallOptions, belief::KernelOptions>;

}  // namespace onlinear
