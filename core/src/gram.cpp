#include "onlinear/gram.hpp"

#include "dispatch.hpp"

namespace onlinear {

ONLINEAR_TABLE(GramKernels, gram_table)

const GramKernels& gram_kernels() noexcept {
    static const GramKernels& chosen = ONLINEAR_CHOSEN(gram_table);
    return chosen;
}

}  // namespace onlinear
