#include "make.hpp"

namespace onlinear {

std::unique_ptr<AnyLearner> make(const TaskSpec& task, const belief::KernelOptions& options,
                                 bool single_precision, std::size_t features) {
    return make_with<belief::KernelExpansion>(task, options, single_precision, features);
}

}  // namespace onlinear
