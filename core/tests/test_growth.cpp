#include <cstddef>
#include <set>

#include "onlinear/memory/planes.hpp"
#include "testing.hpp"

/// Weights that make room as features and classes come, one at a time or many at once.
namespace {

using onlinear::Planes;

TEST("classes that come one at a time move the weights a few times, and make no room for features") {
    constexpr std::size_t kSlots = 88, kClasses = 20000;
    Planes<float> w(2, kSlots, 3);
    const std::size_t capacity = w.capacity();
    std::size_t moves = 0;
    for (std::size_t k = 4; k <= kClasses; ++k) {
        const float* const before = w.data();
        const std::size_t size = w.size();
        w.grow(kSlots, k, 1, 1.0f);
        moves += w.data() != before || w.size() != size;
    }
    CHECK(w.blocks() == kClasses);
    CHECK(w.slots() == kSlots);
    CHECK(w.capacity() == capacity);
    CHECK(moves < 100);
    CHECK(w.size() < capacity * 2 * kClasses * 5 / 4);
}

TEST("features and classes that come by turns keep their numbers and get their start") {
    Planes<double> w(2, 2, 2);
    w.fill(1, 0.5);
    std::size_t slots = 2, blocks = 2;
    for (int round = 0; round < 60; ++round) {
        for (std::uint32_t s = 0; s < slots; ++s)
            for (std::size_t b = 0; b < blocks; ++b) {
                CHECK(w.at(s, 0, b) == (s + 1 < slots && b + 1 < blocks ? 1000.0 * s + b : w.at(s, 0, b)));
                CHECK(w.at(s, 1, b) == 0.5);
                w.at(s, 0, b) = 1000.0 * s + static_cast<double>(b);
            }
        (round % 2 ? slots : blocks) += 1;
        w.grow(slots, blocks, 1, 0.5);
    }
    CHECK(w.slots() == slots);
    CHECK(w.blocks() == blocks);
}

}  // namespace
