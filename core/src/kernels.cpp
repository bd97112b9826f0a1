#include "onlinear/kernels.hpp"

#include "dispatch.hpp"

namespace onlinear {

ONLINEAR_TABLE(Kernels<float>, float_kernels)
ONLINEAR_TABLE(Kernels<double>, double_kernels)

const char* kernel_level() noexcept {
#if defined(ONLINEAR_X86_DISPATCH)
    static const char* const level = [] {
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
            return "avx512";
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "avx2" : "base";
    }();
    return level;
#else
    return "base";
#endif
}

namespace detail {
const Kernels<float>* const f32_kernels = &ONLINEAR_CHOSEN(float_kernels);
const Kernels<double>* const f64_kernels = &ONLINEAR_CHOSEN(double_kernels);
}  // namespace detail

}  // namespace onlinear
