#include <cstdlib>
#include <string_view>

#include "onlinear/kernels.hpp"

namespace onlinear {

const char* kernel_level() noexcept {
#if defined(__x86_64__)
    static const char* const level = [] {
        __builtin_cpu_init();
        const char* const wanted = std::getenv("ONLINEAR_KERNELS");
        const auto may_be = [wanted](std::string_view name) { return wanted == nullptr || wanted == name; };
        if (may_be("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
            return "avx512";
        return may_be("avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "avx2"
                                                                                                 : "base";
    }();
    return level;
#else
    return "base";
#endif
}

}  // namespace onlinear
