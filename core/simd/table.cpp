/// The table of one instruction set.
#include "tables.hpp"

namespace onlinear::ONLINEAR_LEVEL {

template <class T>
static Simd<T> loops() {
    return {dense_loops<T>(),   sparse_loops<T>(), lane_loops<T>(),    viterbi_loops<T>(),
            staging_loops<T>(), mark_loops<T>(),   triangle_loops<T>()};
}

SimdTable table() { return {loops<float>(), loops<double>(), gram_loops()}; }

}  // namespace onlinear::ONLINEAR_LEVEL
