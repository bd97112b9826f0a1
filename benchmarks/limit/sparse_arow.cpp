// AROW on a diagonal Gaussian over sparse rows, float32, projection "drop".
//   sparse_arow TRAIN TEST PASSES

#include "sparse_gaussian.hpp"

using namespace limit;

namespace {

struct Arow {
    float r;

    struct Step {
        float mean, beta;
    };

    bool triggers(const Measured& seen) const { return seen.margin < 1; }

    Step step(const Measured& seen) const {
        const float beta = 1 / (seen.variance + r);
        return {(1 - seen.margin) * beta, beta};
    }

    float shrink(float variance, float, float z, const Step& step) const {
        return variance - step.beta * z * z;
    }
};

}  // namespace

int main(int, char** argv) { return run_sparse_gaussian(argv, Arow{.r = 0.1f}); }
