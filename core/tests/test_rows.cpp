#include <map>

#include "rows.hpp"
#include "testing.hpp"

/// Rows as an enemy would hand them over: refused by place, with nothing learned; or read as SciPy reads
/// them.
namespace {

using namespace rows;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Csr {
    std::vector<double> values;
    std::vector<std::int64_t> indices, indptr;
    std::size_t columns = 4;

    Matrix matrix() const {
        return {.values = values.data(),
                .indices = indices.data(),
                .index_type = IndexType::i64,
                .indptr = indptr.data(),
                .indptr_type = IndexType::i64,
                .rows = indptr.size() - 1,
                .columns = columns,
                .entries = values.size()};
    }
};

std::unique_ptr<RowLearner> arow(bool single = false) {
    return make_learner(task::Binary{}, rule::Arow{}, belief::DiagonalOptions{}, single, 4, true);
}

/// Learns and reads; both must refuse with the same fault, and the state must not notice.
void check_refused(const Matrix& matrix, Fault fault, std::size_t row, std::int64_t column,
                   bool single = false) {
    const auto learner = arow(single);
    const std::vector<std::int32_t> labels(matrix.rows, 1);
    const auto before = numbers(*learner);
    std::vector<double> out(matrix.rows);
    const Refusal looked = inspect(matrix, single),
                  read = learner->read(matrix, Reading::scores, out.data(), 1);
    for (const Refusal& refusal : {looked, read}) {
        CHECK(refusal.fault == fault);
        CHECK(refusal.row == row);
        if (column >= 0) CHECK(refusal.column == column);
    }
    if (row == 0) CHECK(learn(*learner, matrix, labels.data()).refusal.fault == fault);
    CHECK(same_bits(numbers(*learner), before));
}

TEST("a value that is not finite is named by row and column") {
    for (const double poison : {kNan, kInfinity, -kInfinity}) {
        const Fault fault = std::isnan(poison) ? Fault::nan : Fault::infinite;
        const std::vector<double> dense{1, 1, 1, 1, 1, 1, poison, 1};
        check_refused({.values = dense.data(), .rows = 2, .columns = 4, .row_stride = 4}, fault, 1, 2);
        check_refused(Csr{{1, poison}, {0, 3}, {0, 2}}.matrix(), fault, 0, 3);
    }
}

TEST("a value too large for float32 is refused there and learned in float64") {
    const Csr rows{{1e300}, {1}, {0, 1}};
    check_refused(rows.matrix(), Fault::too_large, 0, 1, true);
    CHECK(!inspect(rows.matrix(), false));
}

TEST("indices outside the columns are refused") {
    for (const std::int64_t index :
         {std::int64_t{-1}, std::int64_t{4}, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::int64_t>::max()})
        check_refused(Csr{{1, 1}, {0, index}, {0, 2}}.matrix(), Fault::index_range, 0, -1);
}

TEST("an indptr that falls or leaves the arrays is refused") {
    check_refused(Csr{{1, 1, 1}, {0, 1, 2}, {0, 3, 2}}.matrix(), Fault::indptr_order, 1, -1);
    check_refused(Csr{{1, 1, 1}, {0, 1, 2}, {0, 2, 9}}.matrix(), Fault::indptr_order, 1, -1);
    check_refused(Csr{{1, 1, 1}, {0, 1, 2}, {-1, 2}}.matrix(), Fault::indptr_order, 0, -1);
    check_refused(Csr{{1}, {0}, {0, std::numeric_limits<std::int64_t>::max()}}.matrix(), Fault::indptr_order,
                  0, -1);
}

TEST("unsorted and repeated indices mean their sum") {
    const Csr untidy{{1, 2, 4}, {3, 0, 3}, {0, 3}}, tidy{{2, 5}, {0, 3}, {0, 2}};
    const auto a = arow(), b = arow();
    const std::int32_t label = 1;
    learn(*a, untidy.matrix(), &label);
    learn(*b, tidy.matrix(), &label);
    CHECK(same_bits(numbers(*a), numbers(*b)));
}

TEST("entries of rows of any length are put in order, equal ones added up as they came") {
    std::uint64_t state = 88172645463325252u;
    const auto random = [&](std::uint32_t below) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<std::uint32_t>(state % below);
    };
    for (std::uint32_t size = 1; size < 700; size += 1 + size / 40)
        for (const std::uint32_t slots : {1u << 28, 3u * size, size / 2 + 1, 3u}) {
            std::vector<std::uint32_t> at(size);
            std::vector<double> value(size);
            std::map<std::uint32_t, double> expected;
            for (std::uint32_t j = 0; j < size; ++j) {
                at[j] = random(slots);
                value[j] = random(1000) / 7.0;
                expected[at[j]] += value[j];
            }
            at.resize(canonical(at.data(), value.data(), size));
            value.resize(at.size());
            std::vector<std::uint32_t> order;
            std::vector<double> sums;
            for (const auto& [slot, sum] : expected) {
                order.push_back(slot);
                sums.push_back(sum);
            }
            CHECK(at == order);
            CHECK(value == sums);
        }
}

TEST("values that overflow only when repeated entries are added are refused") {
    const Csr rows{{1.7e308, 1.7e308}, {2, 2}, {0, 2}};
    const auto learner = arow();
    const auto before = numbers(*learner);
    const std::int32_t label = 1;
    const Refusal refusal = learn(*learner, rows.matrix(), &label).refusal;
    CHECK(refusal.fault == Fault::too_large);
    CHECK(refusal.column == 2);
    CHECK(same_bits(numbers(*learner), before));
}

TEST("rows without entries, and no rows, are fine") {
    const auto learner = arow();
    const std::int32_t label = 1;
    CHECK(!learn(*learner, Csr{{}, {}, {0, 0}}.matrix(), &label).refusal);
    CHECK(!learn(*learner, Csr{{}, {}, {0}}.matrix(), &label).refusal);
    CHECK(learner->counters.seen == 1);
}

TEST("strides forwards, backwards and zero read the rows they say") {
    const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
    const std::vector<double> weights{1, 10, 100, 1000};
    const double none = 0;
    const auto learner =
        make_learner(task::Binary{}, rule::PassiveAggressive{}, belief::MeanOptions{}, false, 4, false);
    learner->set_mean(weights.data(), &none);
    const auto scores = [&](const double* start, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) {
        std::vector<double> out(2);
        CHECK(!learner->read({.values = start,
                              .rows = 2,
                              .columns = 4,
                              .row_stride = row_stride,
                              .column_stride = column_stride},
                             Reading::scores, out.data(), 1));
        return out;
    };
    CHECK(scores(values.data(), 4, 1) == std::vector<double>{4321, 8765});
    CHECK(scores(values.data(), 1, 2) == std::vector<double>{7531, 8642});
    CHECK(scores(values.data() + 7, -4, -1) == std::vector<double>{5678, 1234});
    CHECK(scores(values.data(), 0, 1) == std::vector<double>{4321, 4321});
}

TEST("labels and weights that cannot be are refused before the first row is learned") {
    const Stream s = stream(3, 4, 2);
    const auto learner = arow();
    const auto before = numbers(*learner);
    const std::vector<std::int32_t> labels{0, 1, 2};
    CHECK(learn(*learner, s.as_dense(0, 3), labels.data()).refusal.fault == Fault::bad_label);
    for (const double poison : {-1.0, kNan, kInfinity}) {
        const std::vector<double> weights{1, 1, poison};
        const Report report = learner->learn(
            s.as_dense(0, 3), {.labels = s.labels.data(), .sample_weight = weights.data(), .count = 3});
        CHECK(report.refusal.fault == Fault::bad_weight);
        CHECK(report.refusal.row == 2);
    }
    CHECK(same_bits(numbers(*learner), before));
}

TEST("values of every magnitude leave weights finite and variances positive") {
    const std::vector<double> magnitudes{5e-324, 1e-308, 1e-150, 1e-30, 1.0,
                                         1e30,   1e100,  1e154,  1e200, 1e308};
    for (const Made& made : learners()) {
        const auto learner = made.make(4, false);
        std::mt19937 random(1);
        for (int i = 0; i < 2000; ++i) {
            std::vector<double> x(4);
            for (double& value : x)
                value = magnitudes[random() % magnitudes.size()] * (random() % 2 ? 1 : -1);
            const auto label = static_cast<std::int32_t>(random() % static_cast<unsigned>(made.classes));
            const auto before = numbers(*learner);
            const Report report =
                learn(*learner, {.values = x.data(), .rows = 1, .columns = 4, .row_stride = 4}, &label);
            if (report.refusal) CHECK(same_bits(numbers(*learner), before));
        }
        for (const double value : numbers(*learner)) CHECK(std::isfinite(value));
        std::vector<double> variances(learner->blocks() * 4), intercepts(learner->blocks());
        if (!learner->has_variance() || learner->state().front().name != "mean") continue;
        learner->weights(AnyLearner::Weights::variance, variances.data(), intercepts.data());
        for (const double value : variances) CHECK(value > 0);
    }
}

}  // namespace
