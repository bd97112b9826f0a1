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

const Choice& chosen() noexcept {
    static const Choice choice = choose();
    return choice;
}

}  // namespace

template <>
const Kernels<float>& kernels<float>() noexcept {
    return *chosen().f32;
}
template <>
const Kernels<double>& kernels<double>() noexcept {
    return *chosen().f64;
}
const char* kernel_level() noexcept { return chosen().level; }

}  // namespace onlinear
