#include <string_view>

#include "onlinear/simd/simd.hpp"

namespace onlinear {
namespace {

/// The widest level of this machine, or the one that is wanted if the machine has it.
const char* best_level([[maybe_unused]] const char* wanted) noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const auto may_be = [wanted](std::string_view name) { return wanted == nullptr || wanted == name; };
    if (may_be("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return "avx512";
    if (may_be("avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
    return "base";
}

/// A function's own variable: the tables of other files are made from it when the library is loaded.
const char*& level_in_use() noexcept {
    static const char* level = best_level(nullptr);
    return level;
}

}  // namespace

const char* simd_level() noexcept { return level_in_use(); }

void detail::set_simd_level(const char* wanted) noexcept { level_in_use() = best_level(wanted); }

}  // namespace onlinear
