#include <cmath>
#include <numeric>
#include <random>

#include "onlinear/constraint/truncate.hpp"
#include "onlinear/memory/planes.hpp"
#include "testing.hpp"

/// Which weights are small enough to go.
namespace {

using namespace onlinear;

/// A belief of plain numbers, with a scale that orders as its weights do.
struct Plain {
    static constexpr bool kLocal = true;
    Planes<double> w;
    double scale = 2.0;
    constraint::Truncation truncation{};

    const Planes<double>& planes() const { return w; }
    double stored(std::uint32_t slot, std::uint32_t block) const { return std::abs(w.at(slot, 0, block)); }
    double magnitude(double stored) const { return scale * stored; }
    void erase(std::uint32_t slot, std::uint32_t block) { w.at(slot, 0, block) = 0; }

    std::vector<double> block(std::uint32_t b) const {
        std::vector<double> out;
        for (std::uint32_t s = 0; s < w.slots(); ++s) out.push_back(w.at(s, 0, b));
        return out;
    }
};

Plain belief(const std::vector<std::vector<double>>& blocks) {
    Plain out{.w = Planes<double>(1, blocks[0].size(), blocks.size())};
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
        for (std::uint32_t s = 0; s < blocks[b].size(); ++s) out.w.at(s, 0, b) = blocks[b][s];
    return out;
}

using Numbers = std::vector<double>;

TEST("the longest run of the smallest weights goes, by their true size") {
    Plain known = belief({{0.5, -0.1, 0.2, 1.0}});  // twice as large: squares 1, 0.04, 0.16, 4
    known.truncation.once(known, 0.21);
    CHECK(known.block(0) == Numbers{0.5, 0, 0, 1.0});
    known.truncation.once(known, 1.0 + 1e-9);
    CHECK(known.block(0) == Numbers{0, 0, 0, 1.0});
}

TEST("a run whose squares sum to sigma itself is too long") {
    Plain known = belief({{0.25, 0.25, 0.25}});
    known.truncation.once(known, 0.5);
    CHECK(known.block(0) == Numbers{0, 0.25, 0.25});
    known.truncation.once(known, 0.25);
    CHECK(known.block(0) == Numbers{0, 0.25, 0.25});
}

TEST("equal weights go block by block, in each from the first slot on") {
    Plain known = belief({{1, 0.5, 0.5}, {-0.5, 0.5, 1}, {0.5, 1, 1}});
    known.truncation.once(known, 3.5);  // three of the five halves, each 1 when squared
    CHECK(known.block(0) == Numbers{1, 0, 0});
    CHECK(known.block(1) == Numbers{0, 0.5, 1});
    CHECK(known.block(2) == Numbers{0.5, 1, 1});
}

TEST("what follows the updates removes what looking at all weights removes") {
    std::mt19937 random(3);
    Plain followed = belief({Numbers(50, 0.0), Numbers(50, 0.0)}), looked = followed;
    followed.truncation.sigma = 0.4;
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::uint32_t> at;
        for (std::uint32_t s = 0; s < 50; ++s)
            if (random() % 8 == 0) at.push_back(s);
        const Term terms[2] = {{0, 1.0}, {1, -1.0}};
        for (const std::uint32_t s : at)
            for (const Term& term : terms) {
                const double step = 0.125 * (static_cast<double>(random() % 9) - 4.0);
                followed.w.at(s, 0, term.block) += step;
                looked.w.at(s, 0, term.block) += step;
            }
        const Row<double> row{.size = static_cast<std::uint32_t>(at.size()), .at = at.data()};
        followed.truncation.after(followed, row, Terms(terms, 2));
        looked.truncation.once(looked, 0.4);
        CHECK(followed.block(0) == looked.block(0) && followed.block(1) == looked.block(1));
    }
}

TEST("a change of all weights is seen once it is told") {
    Plain known = belief({{0.5, 0.5, 1.0}});
    known.truncation.sigma = 0.3;
    const std::uint32_t last = 2;
    const Term term{0, 1.0};
    const Row<double> row{.size = 1, .at = &last};
    known.truncation.after(known, row, Terms(&term, 1));
    CHECK(known.block(0) == Numbers{0.5, 0.5, 1.0});
    for (std::uint32_t s = 0; s < 3; ++s) known.w.at(s, 0, 0) /= 2;
    known.truncation.forget();
    known.truncation.after(known, row, Terms(&term, 1));
    CHECK(known.block(0) == Numbers{0, 0.25, 0.5});
}

}  // namespace
