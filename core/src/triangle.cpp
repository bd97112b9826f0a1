#include "onlinear/triangle.hpp"

#include <cstring>

#include "onlinear/kernels.hpp"

namespace onlinear {

namespace base {
extern const TriangleKernels<float> float_triangle;
extern const TriangleKernels<double> double_triangle;
}  // namespace base
#if defined(ONLINEAR_X86_DISPATCH)
namespace avx2 {
extern const TriangleKernels<float> float_triangle;
extern const TriangleKernels<double> double_triangle;
}  // namespace avx2
namespace avx512 {
extern const TriangleKernels<float> float_triangle;
extern const TriangleKernels<double> double_triangle;
}  // namespace avx512
#endif

namespace {

struct Choice {
    const TriangleKernels<float>* f32 = &base::float_triangle;
    const TriangleKernels<double>* f64 = &base::double_triangle;
};

const Choice& chosen() noexcept {
    static const Choice choice = [] {
#if defined(ONLINEAR_X86_DISPATCH)
        if (std::strcmp(kernel_level(), "avx512") == 0)
            return Choice{&avx512::float_triangle, &avx512::double_triangle};
        if (std::strcmp(kernel_level(), "avx2") == 0)
            return Choice{&avx2::float_triangle, &avx2::double_triangle};
#endif
        return Choice{};
    }();
    return choice;
}

}  // namespace

template <>
const TriangleKernels<float>& triangle_kernels<float>() noexcept {
    return *chosen().f32;
}
template <>
const TriangleKernels<double>& triangle_kernels<double>() noexcept {
    return *chosen().f64;
}

}  // namespace onlinear
