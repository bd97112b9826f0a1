#include "onlinear/kernels.hpp"

namespace onlinear {

namespace base {
extern const Kernels<float> float_kernels;
extern const Kernels<double> double_kernels;
}  // namespace base

#if defined(ONLINEAR_X86_DISPATCH)
namespace avx2 {
extern const Kernels<float> float_kernels;
extern const Kernels<double> double_kernels;
}  // namespace avx2
namespace avx512 {
extern const Kernels<float> float_kernels;
extern const Kernels<double> double_kernels;
}  // namespace avx512
#endif

namespace {

struct Choice {
    const Kernels<float>* f32 = &base::float_kernels;
    const Kernels<double>* f64 = &base::double_kernels;
    const char* level = "base";
};

Choice choose() noexcept {
#if defined(ONLINEAR_X86_DISPATCH)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return {&avx512::float_kernels, &avx512::double_kernels, "avx512"};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return {&avx2::float_kernels, &avx2::double_kernels, "avx2"};
#endif
    return {};
}

const Choice kChosen = choose();

}  // namespace

namespace detail {
const Kernels<float>* const f32_kernels = kChosen.f32;
const Kernels<double>* const f64_kernels = kChosen.f64;
}  // namespace detail

const char* kernel_level() noexcept { return kChosen.level; }

}  // namespace onlinear
