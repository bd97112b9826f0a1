#include "onlinear/best.hpp"
#include "onlinear/whole.hpp"
#include "rows.hpp"
#include "testing.hpp"

/// Calls as users make them: all or nothing, names to columns, scores to a class.
namespace {

using namespace rows;

std::unique_ptr<RowLearner> binary(std::size_t features) {
    return make_learner(task::Binary{}, rule::Arow{}, belief::DiagonalOptions{}, false, features, true);
}

template <class F>
std::string refusal_of(F&& f) {
    try {
        f();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

TEST("rows with a fault at their end are learned not at all, by either way of finding out") {
    for (const std::size_t n : {4u, 400u}) {  // looked through before; learned and taken back
        Stream s = stream(n, 6, 2);
        const auto learner = binary(6);
        learn(*learner, stream(30, 6, 2, 1));
        const auto before = numbers(*learner);
        s.dense.back() = std::numeric_limits<double>::quiet_NaN();
        const Lesson lesson{.labels = s.labels.data(), .count = s.size()};
        const WholeReport done = learn_whole(*learner, s.as_dense(0, n), lesson, false);
        CHECK(done.report.refusal.fault == Fault::nan);
        CHECK(done.report.refusal.row == n - 1);
        CHECK((done.before != nullptr) == (n == 400));
        CHECK(same_bits(numbers(done.before ? *done.before : *learner), before));
    }
}

TEST("a dict that is refused leaves neither features nor words") {
    const auto learner = binary(0);
    FeatureMap map;
    map.bits = 6;
    const std::int32_t label = 1;
    const double weight = 1.0;
    const Lesson lesson{.labels = &label, .sample_weight = &weight, .count = 1};
    map.begin(true);
    map.add("good", 1.0);
    CHECK(!learn_row(*learner, map, lesson));
    CHECK(learner->features() == 64);
    CHECK(map.words().size() == 1);
    const auto before = numbers(*learner);
    map.begin(true);
    map.add("bad", std::numeric_limits<double>::infinity());
    map.add("new", 1.0);
    CHECK(learn_row(*learner, map, lesson).fault == Fault::infinite);
    CHECK(map.words().size() == 1);
    CHECK(same_bits(numbers(*learner), before));
    map.begin(true);
    map.add("new", 1.0);
    CHECK(learn_known_row(*learner, map, lesson));  // a column that is there already
    CHECK(map.words().size() == 2);
}

TEST("names are columns in the order in which they come, and what is unknown is not scored") {
    const auto learner = binary(2);
    FeatureMap map;
    map.name({"a", "b"});
    const std::int32_t label = 1;
    const double weight = 1.0;
    const Lesson lesson{.labels = &label, .sample_weight = &weight, .count = 1};
    map.begin(true);
    map.add("c", 3.0);
    map.add("a", 1.0);
    map.add("c", 2.0);
    CHECK(!learn_known_row(*learner, map, lesson));
    CHECK(!learn_row(*learner, map, lesson));
    CHECK((map.index == std::vector<std::int64_t>{2, 0, 2}));
    CHECK(map.columns.at("c") == 2);
    CHECK(learner->features() == 3);
    map.begin(false);
    map.add("d", 1.0);
    map.add_column(7, 1.0);
    map.add("b", 1.0);
    Refusal refusal;
    CHECK(row_of(*learner, map, false, refusal).entries == 1);
    CHECK(learner->features() == 3);
}

TEST("columns that cannot be are refused with the remedy") {
    FeatureMap map;
    map.max_features = 10;
    map.begin(true);
    CHECK(refusal_of([&] { map.add_column(-1, 1.0); }) == "feature index -1 is negative");
    CHECK(refusal_of([&] { map.add_column(10, 1.0); }).find("raise max_features") != std::string::npos);
    CHECK(refusal_of([&] { map.add_column(9, 1.0); }).empty());
    map.bits = 4;
    CHECK(refusal_of([&] { map.add("word", 1.0); }).find("lower bits") != std::string::npos);
}

TEST("room is made for as many features as there may be, and taken back while nothing is learned") {
    FeatureMap map;
    map.max_features = 10;
    const auto two = binary(2);
    CHECK(refusal_of([&] { make_room(*two, map, 11, 2); }).find("raise max_features") != std::string::npos);
    CHECK(two->features() == 2);
    make_room(*two, map, 10, 2);
    make_room(*two, map, 5, 2);  // never less than there is
    CHECK(two->features() == 10);
    CHECK(refusal_of([&] { take_back_room(*two, 2, 2); }) == "two classes or more must stay");
    const auto several =
        make_learner(task::Multiclass{3}, rule::Arow{}, belief::DiagonalOptions{}, false, 2, true);
    expect_classes(*several, 5);
    make_room(*several, map, 4, 4);
    CHECK(several->features() == 4 && several->blocks() == 4);
    CHECK(refusal_of([&] { take_back_room(*several, 2, 1); }) == "two classes or more must stay");
    CHECK(take_back_room(*several, 2, 3));
    CHECK(several->features() == 2 && several->blocks() == 3);
}

TEST("the offset of a map follows the classes of known rows, of two classes and nowhere else") {
    const Stream s = stream(200, 5, 2);
    const auto two = binary(5);
    learn(*two, s);
    const Calibration before = two->calibration;
    const std::vector<std::int32_t> ones(s.size(), 1);
    const std::vector<double> none(s.size(), 0.0);
    shift_map(*two, s.as_dense(0, s.size()), ones.data(), none.data());
    CHECK(two->calibration.offset == before.offset);
    shift_map(*two, s.as_dense(0, s.size()), ones.data(), nullptr);
    CHECK(two->calibration.offset > before.offset + 0.5);
    CHECK(two->calibration.scale == before.scale && two->calibration.h_oo == before.h_oo);
    CHECK(two->calibration.possible());
    const auto several =
        make_learner(task::Multiclass{3}, rule::Arow{}, belief::DiagonalOptions{}, false, 5, true);
    learn(*several, stream(200, 5, 3));
    const auto numbers_before = numbers(*several);
    shift_map(*several, s.as_dense(0, s.size()), ones.data(), nullptr);
    CHECK(same_bits(numbers(*several), numbers_before));
}

TEST("a cut of labels that is set is where the next one starts from") {
    const auto learner = binary(2);
    set_label_cut(*learner, 0.25);
    CHECK(!learner->cut.probability());
    learner->cut.observe_labels(3, 8, 1);
    set_label_cut(*learner, 0.25);
    CHECK(learner->cut.probability() == 0.25);
    learner->cut.observe_labels(8, 8, 1);
    CHECK(learner->cut.probability() > 0.25);
}

TEST("the best of equal scores is the first, of two classes the second") {
    const Stream s = stream(3, 2, 2);
    const auto best = [&](const RowLearner& learner, std::vector<std::size_t> order) {
        std::vector<std::int64_t> out(s.size(), -1);
        CHECK(!best_classes(learner, s.as_dense(0, 3), order, 1, out.data()));
        CHECK(out[1] == out[0] && out[2] == out[0]);  // nothing is learned: all scores are equal
        return out[0];
    };
    const auto two = binary(2);
    CHECK(best(*two, {0, 1}) == 1);
    CHECK(best(*two, {1, 0}) == 1);
    CHECK(best(*two, {1}) == 0);
    const auto several =
        make_learner(task::Multiclass{4}, rule::Arow{}, belief::DiagonalOptions{}, false, 2, true);
    CHECK(best(*several, {3, 0, 1, 2}) == 0);
    CHECK(best(*several, {3, 0}) == 1);
    CHECK(best(*several, {9, 3, 0, 2}) == 1);  // a class that is not there is never the best
    std::int64_t out[3];
    CHECK(!refusal_of([&] {
               best_classes(*several, s.as_dense(0, 3), std::vector<std::size_t>{9}, 1, out);
           }).empty());
}

}  // namespace
