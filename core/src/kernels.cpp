#include "onlinear/kernels.hpp"

#include "dispatch.hpp"

namespace onlinear {

ONLINEAR_TABLE(Kernels<float>, float_kernels)
ONLINEAR_TABLE(Kernels<double>, double_kernels)

namespace detail {
const Kernels<float>* const f32_kernels = &ONLINEAR_CHOSEN(float_kernels);
const Kernels<double>* const f64_kernels = &ONLINEAR_CHOSEN(double_kernels);
}  // namespace detail

}  // namespace onlinear
