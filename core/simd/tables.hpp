#pragma once
#include "onlinear/simd/simd.hpp"

/// What each source of this folder gives to the table of its instruction set.
namespace onlinear::ONLINEAR_LEVEL {

template <class T>
DenseLoops<T> dense_loops();
template <class T>
SparseLoops<T> sparse_loops();
template <class T>
LaneLoops<T> lane_loops();
template <class T>
ViterbiLoops<T> viterbi_loops();
template <class T>
StagingLoops<T> staging_loops();
template <class T>
MarkLoops<T> mark_loops();
template <class T>
TriangleLoops<T> triangle_loops();
GramLoops gram_loops();

SimdTable table();

}  // namespace onlinear::ONLINEAR_LEVEL
