#include "onlinear/triangle.hpp"

#include "dispatch.hpp"

namespace onlinear {

ONLINEAR_TABLE(TriangleKernels<float>, float_triangle)
ONLINEAR_TABLE(TriangleKernels<double>, double_triangle)

template <>
const TriangleKernels<float>& triangle_kernels<float>() noexcept {
    static const TriangleKernels<float>& chosen = ONLINEAR_CHOSEN(float_triangle);
    return chosen;
}
template <>
const TriangleKernels<double>& triangle_kernels<double>() noexcept {
    static const TriangleKernels<double>& chosen = ONLINEAR_CHOSEN(double_triangle);
    return chosen;
}

}  // namespace onlinear
