#include "rows.hpp"
#include "testing.hpp"

/// Running scales of features (belief/scales.hpp): units do not matter, and what is refused raises none.
namespace {

using namespace rows;

/// Every belief that has scales, with rules that use every part of it.
std::vector<Made> scaled() {
    const auto made = [](const TaskSpec& task, const rule::AnyRule& rule, const BeliefSpec& belief) {
        return [=](std::size_t features, bool single) {
            return make_learner(task, rule, belief, single, features, true);
        };
    };
    using D = belief::DiagonalOptions;
    const belief::MeanOptions mean{.average = false, .scale = 1}, average{.average = true, .scale = 1};
    const D drop{.projection = D::kDrop, .scale = 1},
        floor{.min_variance = 0.01, .average = true, .scale = 1};
    const TaskSpec two = task::Binary{}, three = task::Multiclass{3};
    return {
        {"PA-I on a mean", made(two, rule::PassiveAggressive{}, mean)},
        {"PA-I on an averaged mean", made(two, rule::PassiveAggressive{}, average)},
        {"ROMMA, which asks for the norm", made(two, rule::Romma{}, mean)},
        {"AROW on a diagonal, drop", made(two, rule::Arow{}, drop)},
        {"SCW-I on an averaged diagonal with a floor", made(two, rule::SoftConfidenceWeighted{}, floor)},
        {"PA-I, three classes", made(three, rule::PassiveAggressive{}, average), 3},
        {"AROW, three classes", made(three, rule::Arow{}, drop), 3},
    };
}

/// A stream whose columns come in other units: column j times 2^powers[j].
Stream in_units(Stream s, const std::vector<int>& powers) {
    for (std::size_t i = 0; i < s.dense.size(); ++i)
        s.dense[i] = std::ldexp(s.dense[i], powers[i % s.columns]);
    for (std::size_t i = 0; i < s.values.size(); ++i)
        s.values[i] = std::ldexp(s.values[i], powers[static_cast<std::size_t>(s.indices[i])]);
    return s;
}

std::vector<double> weights(const RowLearner& learner) {
    std::vector<double> coefficients(learner.blocks() * learner.features()), intercepts(learner.blocks());
    learner.weights(AnyLearner::Weights::average, coefficients.data(), intercepts.data());
    return coefficients;
}

TEST("a column in another unit changes nothing but the unit of its weights, bit for bit") {
    const std::vector<int> powers{-60, 3, 0, 47, -12};
    for (const bool single : {true, false})
        for (const Made& made : scaled()) {
            const Stream plain = stream(300, 5, made.classes), other = in_units(plain, powers);
            const auto a = made.make(5, single), b = made.make(5, single);
            learn(*a, plain);
            learn(*b, other);
            const std::vector<double> wa = weights(*a), wb = weights(*b);
            for (std::size_t i = 0; i < wa.size(); ++i)
                CHECK(wa[i] == std::ldexp(wb[i], powers[i % powers.size()]));
            std::vector<double> sa(300 * a->blocks()), sb(sa.size());
            CHECK(!a->read(plain.as_dense(0, 300), Reading::scores, sa.data(), 1));
            CHECK(!b->read(other.as_dense(0, 300), Reading::scores, sb.data(), 1));
            CHECK(same_bits(sa, sb));
        }
}

TEST("scales grow the same however the rows come") {
    for (const bool single : {true, false})
        for (const Made& made : scaled()) {
            const Stream s = in_units(stream(200, 6, made.classes), {5, -3, 0, 20, -20, 1});
            const auto whole = made.make(6, single), pieces = made.make(6, single);
            learn(*whole, s);
            for (std::size_t i = 0; i < s.size(); i += 7)
                learn(*pieces, s.as_dense(i, std::min(i + 7, s.size())), s.labels.data() + i);
            CHECK(same_bits(numbers(*whole), numbers(*pieces)));
        }
}

TEST("a state with scales comes back whole, and learns on as if nothing had been") {
    for (const Made& made : scaled()) {
        const Stream s = in_units(stream(200, 6, made.classes), {5, -3, 0, 20, -20, 1});
        const auto whole = made.make(6, true), first = made.make(6, true), second = made.make(6, true);
        learn(*whole, s);
        learn(*first, s.as_dense(0, 90), s.labels.data());
        const std::vector<StateEntry> state = first->state();
        second->load(given(state));
        second->counters = first->counters;
        second->calibration = first->calibration;
        learn(*second, s.as_dense(90, s.size()), s.labels.data() + 90);
        CHECK(same_bits(numbers(*whole), numbers(*second)));
    }
}

TEST("a row that is refused, or weighs nothing, raises no scale") {
    for (const BeliefSpec& belief : std::vector<BeliefSpec>{belief::MeanOptions{.average = true, .scale = 1},
                                                            belief::DiagonalOptions{.scale = 1}}) {
        const rule::AnyRule rule = std::holds_alternative<belief::MeanOptions>(belief)
                                       ? rule::AnyRule(rule::PassiveAggressive{.variant = 0})
                                       : rule::AnyRule(rule::LeastSquares{});
        const auto learner = make_learner(task::Regression{}, rule, belief, true, 2, true);
        const double rows[6] = {1, 2, 3, -1, 500, 700}, targets[3] = {1, -1, 1e37}, none = 0;
        const Matrix some{.values = rows, .rows = 2, .columns = 2, .row_stride = 2};
        const Matrix last{.values = rows + 4, .rows = 1, .columns = 2, .row_stride = 2};
        CHECK(!learner->learn(some, {.targets = targets, .count = 2}).refusal);
        const std::vector<double> before = numbers(*learner);
        CHECK(learner->learn(last, {.targets = targets + 2, .count = 1}).refusal.fault != Fault::none);
        CHECK(same_bits(numbers(*learner), before));
        CHECK(!learner->learn(last, {.targets = targets, .sample_weight = &none, .count = 1}).refusal);
        CHECK(same_bits(numbers(*learner), before));
    }
}

TEST("rows of unit length learn as if there were no scales") {
    Stream s = stream(200, 5, 2);
    for (std::size_t i = 0; i < s.size(); ++i) {
        double norm2 = 0;
        for (std::size_t j = 0; j < 5; ++j) norm2 += s.dense[5 * i + j] * s.dense[5 * i + j];
        for (std::size_t j = 0; norm2 > 0 && j < 5; ++j) s.dense[5 * i + j] /= std::sqrt(norm2);
    }
    const auto with =
        make_learner(task::Binary{}, rule::Arow{}, belief::DiagonalOptions{.scale = 1}, true, 5, true);
    const auto without = make_learner(task::Binary{}, rule::Arow{}, belief::DiagonalOptions{}, true, 5, true);
    learn(*with, s);
    learn(*without, s);
    CHECK(same_bits(weights(*with), weights(*without)));
}

/// Every belief that has means, in every unit.
std::vector<std::unique_ptr<RowLearner>> centred(bool single) {
    std::vector<std::unique_ptr<RowLearner>> made;
    for (const int scale : {0, 1, 2}) {
        const belief::MeanOptions mean{.average = true, .scale = scale, .center = true};
        const belief::DiagonalOptions diagonal{.scale = scale, .center = true};
        made.push_back(make_learner(task::Binary{}, rule::PassiveAggressive{}, mean, single, 6, true));
        made.push_back(make_learner(task::Multiclass{3}, rule::Arow{}, diagonal, single, 6, true));
    }
    return made;
}

/// Columns that lie anywhere, one of them without a value.
Stream anywhere(int classes) {
    Stream s = stream(200, 6, classes);
    s.values.clear();
    s.indices.clear();
    s.indptr = {0};
    for (std::size_t i = 0; i < s.dense.size(); ++i) {
        double& x = s.dense[i];
        if (i % 6 == 3) x = 0;
        if (i % 6 > 3) x += 1000;
        if (x != 0) {
            s.values.push_back(x);
            s.indices.push_back(static_cast<std::int32_t>(i % 6));
        }
        if (i % 6 == 5) s.indptr.push_back(static_cast<std::int64_t>(s.values.size()));
    }
    return s;
}

TEST("centred rows are the same dense and sparse, in one call and in many, bit for bit") {
    for (const bool single : {true, false}) {
        const auto whole = centred(single), pieces = centred(single);
        for (std::size_t m = 0; m < whole.size(); ++m) {
            const Stream s = anywhere(whole[m]->blocks() == 1 ? 2 : 3);
            learn(*whole[m], s);
            for (std::size_t i = 0; i < s.size(); i += 7)
                learn(*pieces[m], s.as_sparse(i, std::min(i + 7, s.size())), s.labels.data() + i);
            CHECK(same_bits(numbers(*whole[m]), numbers(*pieces[m])));
            std::vector<double> dense(200 * whole[m]->blocks()), sparse(dense.size());
            CHECK(!whole[m]->read(s.as_dense(0, 200), Reading::scores, dense.data(), 3));
            CHECK(!whole[m]->read(s.as_sparse(0, 200), Reading::scores, sparse.data(), 1));
            CHECK(same_bits(dense, sparse));
        }
    }
}

TEST("weights of centred rows are told for rows as they come") {
    for (const auto& learner : centred(false)) {
        const std::size_t blocks = learner->blocks();
        const Stream s = anywhere(blocks == 1 ? 2 : 3);
        learn(*learner, s);
        std::vector<double> w(blocks * 6), b(blocks), scores(200 * blocks);
        learner->weights(AnyLearner::Weights::average, w.data(), b.data());
        // Within five typical sizes of every mean.
        std::vector<double> row(s.dense.begin(), s.dense.begin() + 6);
        const Matrix one{.values = row.data(), .rows = 1, .columns = 6, .row_stride = 6};
        for (std::size_t j = 0; j < 6; ++j) row[j] = j > 3 ? 1000.5 : 0.1;
        CHECK(!learner->read(one, Reading::scores, scores.data(), 1));
        for (std::size_t k = 0; k < blocks; ++k) {
            double told = b[k];
            for (std::size_t j = 0; j < 6; ++j) told += w[k * 6 + j] * row[j];
            CHECK(std::abs(told - scores[k]) < 1e-9 * (1 + std::abs(told)));
        }
    }
}

}  // namespace
