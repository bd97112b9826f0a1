#include "onlinear/learn/loop.hpp"
#include "rows.hpp"
#include "testing.hpp"

/// The loop's promises: the same bits however rows are handed over, and nothing changed by what is not
/// learned.
namespace {

using namespace rows;

template <class F>
void for_each_learner(F&& f) {
    for (const Made& made : learners())
        for (const bool single : {false, true}) {
            const int before = testing::failures();
            f(made, single);
            if (testing::failures() > before)
                std::printf("    by %s, %s\n", made.name, single ? "float32" : "float64");
        }
}

TEST("any cut into batches gives the same bits") {
    for_each_learner([](const Made& made, bool single) {
        const Stream s = stream(120, 9, made.classes);
        const auto whole = made.make(s.columns, single), cut = made.make(s.columns, single);
        learn(*whole, s);
        std::mt19937 random(5);
        for (std::size_t first = 0; first < s.size();) {
            const std::size_t last = std::min(s.size(), first + 1 + random() % 17);
            learn(*cut, s.as_dense(first, last), s.labels.data() + first);
            first = last;
        }
        CHECK(same_bits(numbers(*whole), numbers(*cut)));
        CHECK(whole->counters.updates > 0);
    });
}

TEST("a state carried out and in again goes on with the same bits") {
    for_each_learner([](const Made& made, bool single) {
        const Stream s = stream(100, 6, made.classes);
        const auto straight = made.make(s.columns, single), first = made.make(s.columns, single);
        learn(*straight, s);
        learn(*first, s.as_dense(0, 60), s.labels.data());
        const auto second = made.make(s.columns, single);
        const auto state = first->state();
        second->load(given(state));
        second->counters = first->counters;
        second->calibration = first->calibration;
        learn(*second, s.as_dense(60, 100), s.labels.data() + 60);
        CHECK(same_bits(numbers(*straight), numbers(*second)));
    });
}

TEST("a copy goes its own way") {
    for_each_learner([](const Made& made, bool single) {
        const Stream s = stream(60, 6, made.classes);
        const auto one = made.make(s.columns, single);
        learn(*one, s.as_dense(0, 30), s.labels.data());
        const auto before = numbers(*one);
        const auto twin = one->copy();
        learn(*twin, s.as_dense(30, 60), s.labels.data() + 30);
        CHECK(same_bits(numbers(*one), before));
        CHECK(!same_bits(numbers(*twin), before));
    });
}

TEST("sparse rows and dense rows agree to rounding") {
    for_each_learner([](const Made& made, bool single) {
        const Stream s = stream(80, 9, made.classes);
        const auto dense = made.make(s.columns, false), sparse = made.make(s.columns, false);
        if (single) return;
        learn(*dense, s);
        learn(*sparse, s.as_sparse(0, s.size()), s.labels.data());
        const auto a = numbers(*dense), b = numbers(*sparse);
        CHECK(a.size() == b.size());
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) CHECK_CLOSE(a[i], b[i], 1e-8);
    });
}

TEST("a row of weight 0 changes nothing") {
    for_each_learner([](const Made& made, bool single) {
        const Stream s = stream(60, 6, made.classes);
        const auto learner = made.make(s.columns, single);
        learn(*learner, s.as_dense(0, 30), s.labels.data());
        const auto before = numbers(*learner);
        const std::vector<double> weights(30, 0.0);
        const Report report =
            learner->learn(s.as_dense(30, 60),
                           {.labels = s.labels.data() + 30, .sample_weight = weights.data(), .count = 30});
        CHECK(!report.refusal);
        CHECK(same_bits(numbers(*learner), before));
    });
}

TEST("reading changes nothing, and any number of threads reads the same") {
    for_each_learner([](const Made& made, bool single) {
        const Stream s = stream(400, 6, made.classes);
        const auto learner = made.make(s.columns, single);
        learn(*learner, s);
        const auto before = numbers(*learner);
        std::vector<double> one(s.size() * learner->blocks()), four(one.size());
        for (const Reading what : {Reading::scores, Reading::variances}) {
            if (what == Reading::variances && !learner->has_variance()) continue;
            CHECK(!learner->read(s.as_sparse(0, s.size()), what, one.data(), 1));
            CHECK(!learner->read(s.as_sparse(0, s.size()), what, four.data(), 4));
            CHECK(same_bits(one, four));
        }
        CHECK(same_bits(numbers(*learner), before));
    });
}

TEST("learning lowers the error") {
    for_each_learner([](const Made& made, bool single) {
        const Stream s = stream(600, 6, made.classes);
        const auto learner = made.make(s.columns, single);
        const Report early = learn(*learner, s.as_dense(0, 300), s.labels.data());
        const Report late = learn(*learner, s.as_dense(300, 600), s.labels.data() + 300);
        CHECK(early.learned == 300);
        CHECK(late.mistakes < 120);
    });
}

/// Two classes, and the clock of every round.
struct Watched : task::Binary {
    std::vector<Clock>* clocks = nullptr;

    template <class Belief, class Rule, class T>
    Round round(Belief& belief, const Rule& rule, const Row<T>& row, const task::Example& example,
                const double* scores, const Moment& now, const Sums& seen) {
        clocks->push_back(now);
        return task::Binary::round(belief, rule, row, example, scores, now, seen);
    }
};

TEST("the clock counts rounds and the updates before each, over all calls") {
    const Stream s = stream(60, 5, 2);
    std::vector<Clock> clocks;
    Watched task;
    task.clocks = &clocks;
    TaskLearner<Watched, belief::Mean<double>> learner(task, belief::Mean<double>({}, s.columns + 1, 1));
    learner.set_rule(rule::PassiveAggressive{});
    learner.prepare();
    std::uint64_t updates = 0;
    for (std::size_t row = 0; row < s.size(); row += 20) {
        clocks.clear();
        std::vector<double> weight(20, 1.0);
        weight[3] = 0;  // not a round
        const std::uint64_t first = learner.clock().round;
        const Report report =
            learner.learn(s.as_dense(row, row + 20),
                          {.labels = s.labels.data() + row, .sample_weight = weight.data(), .count = 20});
        CHECK(clocks.size() == 19 && report.updates > 0 && report.updates < 19);
        CHECK(clocks.front().updates == updates);
        for (std::size_t i = 0; i < clocks.size(); ++i) {
            CHECK(clocks[i].round == first + i);
            if (i > 0) CHECK(clocks[i].updates - clocks[i - 1].updates <= 1);
        }
        updates += report.updates;
        CHECK(learner.clock().updates == updates);
        CHECK(clocks.back().updates + 1 >= updates);
    }
}

}  // namespace
