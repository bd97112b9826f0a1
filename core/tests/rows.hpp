#pragma once
#include <cstring>
#include <functional>
#include <random>

#include "onlinear/learner.hpp"
#include "rules.hpp"

/// Streams for the tests of the core, and what a learner knows as plain numbers.
namespace rows {

using namespace onlinear;

/// Rows in both forms, with labels.
struct Stream {
    std::size_t columns = 0;
    std::vector<double> dense, values;
    std::vector<std::int32_t> indices, labels;
    std::vector<std::int64_t> indptr{0};

    std::size_t size() const { return labels.size(); }

    Matrix as_dense(std::size_t first, std::size_t last) const {
        return {.values = dense.data() + first * columns,
                .rows = last - first,
                .columns = columns,
                .row_stride = static_cast<std::ptrdiff_t>(columns)};
    }
    Matrix as_sparse(std::size_t first, std::size_t last) const {
        return {.values = values.data(),
                .indices = indices.data(),
                .indptr = indptr.data() + first,
                .indptr_type = IndexType::i64,
                .rows = last - first,
                .columns = columns,
                .entries = values.size()};
    }
};

/// A planted separator with every tenth label wrong; about half of the entries are zero.
inline Stream stream(std::size_t n, std::size_t columns, int classes, unsigned seed = 0) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Stream s;
    s.columns = columns;
    for (std::size_t i = 0; i < n; ++i) {
        double score = 0;
        for (std::size_t j = 0; j < columns; ++j) {
            const double x = random() % 2 ? normal(random) : 0.0;
            s.dense.push_back(x);
            score += j % 2 ? x : -x;
            if (x == 0) continue;
            s.values.push_back(x);
            s.indices.push_back(static_cast<std::int32_t>(j));
        }
        s.indptr.push_back(static_cast<std::int64_t>(s.values.size()));
        const int label = score > 1 ? classes - 1 : score > 0 ? classes / 2 : 0;
        s.labels.push_back(random() % 10 ? label
                                         : static_cast<int>(random() % static_cast<unsigned>(classes)));
    }
    return s;
}

inline Report learn(RowLearner& learner, const Matrix& matrix, const std::int32_t* labels) {
    return learner.learn(matrix, {.labels = labels, .count = matrix.rows});
}
inline Report learn(RowLearner& learner, const Stream& s) {
    return learn(learner, s.as_dense(0, s.size()), s.labels.data());
}

/// Everything a learner knows, as one list of numbers.
inline std::vector<double> numbers(const RowLearner& learner) {
    std::vector<double> all{learner.counters.seen, learner.counters.mistakes, learner.counters.updates,
                            learner.calibration.scale, learner.calibration.offset};
    for (const StateEntry& entry : learner.state()) {
        if (entry.shape.empty()) all.push_back(entry.scalar);
        all.insert(all.end(), entry.f32.begin(), entry.f32.end());
        all.insert(all.end(), entry.f64.begin(), entry.f64.end());
    }
    return all;
}
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

struct Made {
    const char* name;
    std::function<std::unique_ptr<RowLearner>(std::size_t features, bool single)> make;
    int classes = 2;
};

/// One learner of every belief, two and three classes.
inline std::vector<Made> learners() {
    const auto made = [](const TaskSpec& task, const rule::AnyRule& rule, const BeliefSpec& belief) {
        return [=](std::size_t features, bool single) {
            return make_learner(task, rule, belief, single, features, true);
        };
    };
    const rule::AnyRule pa = rule::PassiveAggressive{}, arow = rule::Arow{},
                        scw = rule::SoftConfidenceWeighted{}, cw = rule::ConfidenceWeighted{};
    const belief::DiagonalOptions kl{}, drop{.projection = belief::DiagonalOptions::kDrop},
        exact{.projection = belief::DiagonalOptions::kExact};
    belief::KernelOptions rbf;
    rbf.gamma = 0.1;
    rbf.budget = 100;
    const TaskSpec two = task::Binary{}, three = task::Multiclass{3};
    return {
        {"PA-I on a mean", made(two, pa, belief::MeanOptions{})},
        {"PA-I on an averaged mean", made(two, pa, belief::MeanOptions{.average = true})},
        {"ROMMA on a mean", made(two, rule::Romma{}, belief::MeanOptions{})},
        {"AROW on a diagonal, drop", made(two, arow, drop)},
        {"SCW-I on a diagonal, kl", made(two, scw, kl)},
        {"CW on an exact diagonal", made(two, cw, exact)},
        {"AROW on a full covariance", made(two, arow, belief::FullOptions{})},
        {"NAROW in natural parameters", made(two, rule::Narow{}, belief::InformationOptions{})},
        {"AdaGrad-RDA", made(two, rule::AdagradRda{}, belief::DualAveragingOptions{})},
        {"AROW on a kernel", made(two, arow, rbf)},
        {"PA-I, three classes", made(three, pa, belief::MeanOptions{}), 3},
        {"AROW on a diagonal, three classes", made(three, arow, drop), 3},
        {"SCW-I on a full covariance, three classes", made(three, scw, belief::FullOptions{}), 3},
    };
}

/// A row of ordinary numbers in slots 1 to `size`; some of them may be left out.
template <class T>
struct OneRow {
    std::vector<std::uint32_t> at;
    std::vector<T> value;

    template <class Belief>
    Row<T> row(const Belief& belief, const std::vector<double>& x) {
        at.clear();
        value.clear();
        double norm2 = 0;
        for (std::uint32_t j = 0; j < x.size(); ++j) {
            if (x[j] == 0) continue;
            at.push_back(belief.planes().address(j + 1));
            value.push_back(static_cast<T>(x[j]));
            norm2 += static_cast<double>(value.back()) * static_cast<double>(value.back());
        }
        return {.size = static_cast<std::uint32_t>(at.size()),
                .at = at.data(),
                .value = value.data(),
                .norm2 = norm2};
    }
};

/// A state on its way back; `state` keeps the numbers.
inline GivenState given(const std::vector<StateEntry>& state) {
    GivenState out;
    for (const StateEntry& entry : state)
        out.entries.push_back({entry.name, entry.shape, entry.scalar, entry.f32, entry.f64});
    return out;
}

}  // namespace rows
