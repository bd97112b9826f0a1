#include "bindings.hpp"
#include "declared.hpp"

namespace onlinear::bindings {

void bind_beliefs(nb::module_& m) {
    bind_declared<belief::MeanOptions>(m, "A mean alone: first order.");
    bind_declared<belief::DiagonalOptions>(m, "A Gaussian with a diagonal covariance.");
    bind_declared<belief::FullOptions>(m, "A Gaussian with a full covariance.");
    bind_declared<belief::InformationOptions>(m, "A diagonal Gaussian in natural parameters.");
    bind_declared<belief::L1BallOptions>(m, "A mean kept inside the L1 ball whose radius the rule brings.");
    bind_declared<belief::KernelOptions>(
        m, "A belief in the space of a kernel, held by the examples that made it.");
    bind_declared<belief::DualAveragingOptions>(m, "Sums of gradients; the mean is derived on read.");
}

}  // namespace onlinear::bindings
