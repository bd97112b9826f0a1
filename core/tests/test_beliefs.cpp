#include "rows.hpp"
#include "testing.hpp"

/// What each belief does with a step, and how it grows.
namespace {

using namespace rows;

std::vector<double> weights(const RowLearner& learner, AnyLearner::Weights which) {
    std::vector<double> coefficients(learner.blocks() * learner.features()), intercepts(learner.blocks());
    learner.weights(which, coefficients.data(), intercepts.data());
    return coefficients;
}
constexpr auto kMean = AnyLearner::Weights::mean;
constexpr auto kVariance = AnyLearner::Weights::variance;

Matrix one(const std::vector<double>& x) {
    return {.values = x.data(),
            .rows = 1,
            .columns = x.size(),
            .row_stride = static_cast<std::ptrdiff_t>(x.size())};
}
std::unique_ptr<RowLearner> binary(const BeliefSpec& belief, const rule::AnyRule& rule,
                                   std::size_t features) {
    return make_learner(task::Binary{}, rule, belief, false, features, false);
}

TEST("AROW on one feature is the same on every Gaussian: 1/sigma gains x^2 / r") {
    using D = belief::DiagonalOptions;
    const std::vector<double> x{1.7};
    const std::int32_t label = 1;
    for (const BeliefSpec& spec : std::vector<BeliefSpec>{D{.projection = D::kKl, .initial_variance = 0.8},
                                                          D{.projection = D::kDrop, .initial_variance = 0.8},
                                                          belief::FullOptions{.initial_variance = 0.8}}) {
        const auto learner = binary(spec, rule::Arow{0.5, 0}, 1);
        learn(*learner, one(x), &label);
        CHECK_CLOSE(1 / weights(*learner, kVariance)[0], 1 / 0.8 + 1.7 * 1.7 / 0.5, 1e-13);
        CHECK_CLOSE(weights(*learner, kMean)[0], 0.8 * 1.7 / (0.8 * 1.7 * 1.7 + 0.5), 1e-13);
    }
}

TEST("a full covariance is the inverse of I / a plus the gains") {
    const Stream s = stream(40, 3, 2);
    const double r = 0.4;
    const auto learner = binary(belief::FullOptions{.initial_variance = 2.0}, rule::Arow{r, 0}, 3);
    double precision[3][3] = {{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double updates = learner->counters.updates;
        learn(*learner, s.as_dense(i, i + 1), s.labels.data() + i);
        if (learner->counters.updates == updates) continue;
        const double* x = s.dense.data() + 3 * i;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) precision[a][b] += x[a] * x[b] / r;
    }
    const std::vector<double> sigma = learner->covariance();  // slot 0 is the intercept
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            double product = 0;
            for (int k = 0; k < 3; ++k)
                product += precision[a][k] * sigma[static_cast<std::size_t>((k + 1) * 4 + b + 1)];
            CHECK_CLOSE(product, a == b ? 1.0 : 0.0, 1e-10);
        }
}

TEST("a step takes the variance of its demand to the floor and not below, and is whole above it") {
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    belief::Full<double> held({.min_variance = 1e-3}, 4, 1), free({}, 4, 1);
    OneRow<double> slots;
    bool reached = false;
    for (int t = 0; t < 200; ++t) {
        const Row<double> row = slots.row(held, {normal(random), normal(random), normal(random)});
        const Term term{0, 1.0};
        const Terms terms(&term, 1);
        const Step step{.mean = 0.1, .precision = 5.0};
        const double before = held.variance(row, terms);
        take(held, row, terms, step, {.variance = before});
        const double left = held.variance(row, terms);
        CHECK(left >= std::min(before, 1e-3 * row.norm2) * (1 - 1e-9));
        reached |= left < 1.001e-3 * row.norm2;
        if (t < 3) {
            take(free, row, terms, step, {.variance = free.variance(row, terms)});
            CHECK(free.variance(row, terms) == left);
        }
    }
    CHECK(reached);
}

/// Takes the same step again and again until it is refused; the largest weight on the way.
template <class Belief>
double walked(Belief belief, double step) {
    OneRow<float> slots;
    const Row<float> row = slots.row(belief, {1.0});
    const Term term{0, 1.0};
    const Terms terms(&term, 1);
    double score = 0;
    for (int t = 0; t < 1000; ++t) {
        const double variance = belief.variance(row, terms);
        if (take(belief, row, terms, {.mean = step}, {.margin = score, .variance = variance}).fault !=
            Fault::none)
            break;
        belief.scores(row, &score);
    }
    return score;
}

TEST("steps that fit one by one are refused where their sum would not") {
    constexpr double kStep = 3e28;  // a single one is never refused
    for (const double reached :
         {walked(belief::Mean<float>({}, 2, 1), kStep), walked(belief::Diagonal<float>({}, 2, 1), kStep),
          walked(belief::Full<float>({}, 2, 1), kStep)}) {
        CHECK(reached >= kStep);
        CHECK(reached < belief::kReach<float>);
    }
}

TEST("a scale that rises is written into the weights before what is added loses its digits") {
    for (const bool average : {false, true}) {
        belief::Mean<float> mean({.average = average}, 3, 1);
        OneRow<float> early, late;
        const Row<float> first = early.row(mean, {1.0, 0.0}), second = late.row(mean, {0.0, 1.0});
        const Term term{0, 1.0};
        const Terms terms(&term, 1);
        CHECK(take(mean, first, terms, {.mean = 1e-25}, {.variance = 1.0}).fault == Fault::none);
        for (int t = 0; t < 45; ++t)
            CHECK(take(mean, first, terms, {.keep = 10.0}, {.variance = 1.0}).fault == Fault::none);
        CHECK(take(mean, second, terms, {.mean = 1.0}, {.variance = 1.0}).fault == Fault::none);
        double was = 0, came = 0;
        mean.scores(first, &was);
        mean.scores(second, &came);
        CHECK_CLOSE(was / 1e20, 1.0, 1e-5);
        CHECK_CLOSE(came, 1.0, 1e-6);
    }
}

TEST("the average is the mean of the means after every round") {
    const Stream s = stream(50, 4, 2);
    for (const BeliefSpec& spec : std::vector<BeliefSpec>{belief::MeanOptions{.average = true},
                                                          belief::DiagonalOptions{.average = true},
                                                          belief::FullOptions{.average = true}}) {
        const bool first_order = std::holds_alternative<belief::MeanOptions>(spec);
        const auto learner =
            binary(spec, first_order ? rule::AnyRule{rule::Romma{}} : rule::AnyRule{rule::Arow{}}, 4);
        std::vector<double> sum(4, 0.0);
        for (std::size_t i = 0; i < s.size(); ++i) {
            learn(*learner, s.as_dense(i, i + 1), s.labels.data() + i);
            const auto now = weights(*learner, kMean);
            for (std::size_t j = 0; j < 4; ++j) sum[j] += now[j] / static_cast<double>(s.size());
        }
        const auto average = weights(*learner, AnyLearner::Weights::average);
        for (std::size_t j = 0; j < 4; ++j) CHECK_CLOSE(average[j], sum[j], 1e-12);
    }
}

TEST("features that arrive later find what was learned untouched, and start fresh") {
    for (const Made& made : learners()) {
        const Stream s = stream(60, 5, made.classes);
        const auto learner = made.make(5, false);
        learn(*learner, s);
        const auto before = weights(*learner, kMean);
        if (std::isnan(before[0])) continue;  // a kernel has no weights
        learner->grow(40, static_cast<std::size_t>(made.classes));
        const auto after = weights(*learner, kMean);
        CHECK(learner->features() == 40);
        for (std::size_t b = 0; b < learner->blocks(); ++b)
            for (std::size_t j = 0; j < 40; ++j)
                CHECK(after[b * 40 + j] == (j < 5 ? before[b * 5 + j] : 0.0));
    }
}

TEST("growing one feature at a time, or all at once, gives the same bits") {
    for (const Made& made : learners()) {
        const Stream s = stream(40, 30, made.classes);
        const auto slow = made.make(1, false), quick = made.make(1, false);
        for (std::size_t f = 2; f <= 30; ++f) slow->grow(f, static_cast<std::size_t>(made.classes));
        quick->grow(30, static_cast<std::size_t>(made.classes));
        learn(*slow, s);
        learn(*quick, s);
        CHECK(same_bits(numbers(*slow), numbers(*quick)));
    }
}

TEST("a growth taken back leaves no trace") {
    for (const Made& made : learners()) {
        const Stream s = stream(40, 7, made.classes);
        const auto learner = made.make(7, true);
        learn(*learner, s);
        const auto before = numbers(*learner);
        learner->grow(500, static_cast<std::size_t>(made.classes));
        learner->shrink(7);
        CHECK(same_bits(numbers(*learner), before));
    }
}

TEST("a model larger than a huge page grows and keeps its weights") {
    const auto learner =
        make_learner(task::Binary{}, rule::Arow{}, belief::DiagonalOptions{}, true, 600'000, true);
    const std::vector<double> values{1, 2};
    const std::vector<std::int32_t> indices{3, 599'999};
    const std::vector<std::int64_t> indptr{0, 2};
    const std::int32_t label = 1;
    learn(*learner,
          {.values = values.data(),
           .indices = indices.data(),
           .indptr = indptr.data(),
           .indptr_type = IndexType::i64,
           .rows = 1,
           .columns = 600'000,
           .entries = 2},
          &label);
    const auto before = weights(*learner, kMean);
    learner->grow(2'000'000, 2);
    const auto after = weights(*learner, kMean);
    CHECK(before[3] != 0);
    CHECK(after[3] == before[3]);
    CHECK(after[599'999] == before[599'999]);
    CHECK(after[1'999'999] == 0);
}

TEST("two classes that become three keep the differences of their scores") {
    for (const Made& made : learners()) {
        if (made.classes != 2) continue;
        const Stream s = stream(60, 5, 2);
        const auto learner = made.make(5, false);
        learn(*learner, s);
        std::vector<double> scores(s.size()), several(2 * s.size());
        learner->read(s.as_dense(0, s.size()), Reading::scores, scores.data(), 1);
        const auto blocks = learner->for_multiclass(task::Multiclass{3});
        CHECK(blocks->blocks() == 2);
        blocks->read(s.as_dense(0, s.size()), Reading::scores, several.data(), 1);
        for (std::size_t i = 0; i < s.size(); ++i)
            CHECK_CLOSE(several[2 * i + 1] - several[2 * i], scores[i], 1e-9);
    }
}

TEST("a state with numbers that cannot be is refused") {
    const Stream s = stream(40, 4, 2);
    for (const Made& made : learners()) {
        if (made.classes != 2) continue;
        const auto learner = made.make(4, false);
        learn(*learner, s);
        for (std::size_t e = 0; e < learner->state().size(); ++e) {
            auto broken = learner->state();
            if (broken[e].f64.empty()) broken[e].scalar = std::numeric_limits<double>::quiet_NaN();
            for (double& value : broken[e].f64) value = std::numeric_limits<double>::quiet_NaN();
            bool refused = false;
            try {
                learner->copy()->load(given(broken));
            } catch (const std::invalid_argument&) {
                refused = true;
            }
            CHECK(refused);
        }
    }
}

}  // namespace
