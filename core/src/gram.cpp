#include "onlinear/gram.hpp"

#include <cstring>

#include "onlinear/kernels.hpp"

namespace onlinear {

namespace base {
extern const GramKernels gram_table;
}
#if defined(ONLINEAR_X86_DISPATCH)
namespace avx2 {
extern const GramKernels gram_table;
}
namespace avx512 {
extern const GramKernels gram_table;
}
#endif

const GramKernels& gram_kernels() noexcept {
#if defined(ONLINEAR_X86_DISPATCH)
    static const char* const level = kernel_level();
    if (std::strcmp(level, "avx512") == 0) return avx512::gram_table;
    if (std::strcmp(level, "avx2") == 0) return avx2::gram_table;
#endif
    return base::gram_table;
}

}  // namespace onlinear
