#include "onlinear/simd/simd.hpp"

#include <string_view>

namespace onlinear {

namespace base {
SimdTable table();
}
namespace avx2 {
SimdTable table();
}
namespace avx512 {
SimdTable table();
}

namespace {

SimdTable table_in_use() {
#if defined(ONLINEAR_X86_DISPATCH)
    const std::string_view level = simd_level();
    if (level == "avx512") return avx512::table();
    if (level == "avx2") return avx2::table();
#endif
    return base::table();
}

}  // namespace

SimdTable detail::simd_table = table_in_use();

void use_simd_level(const char* wanted) noexcept {
    detail::set_simd_level(wanted);
    detail::simd_table = table_in_use();
}

}  // namespace onlinear
