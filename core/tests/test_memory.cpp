#include <map>
#include <numeric>
#include <tuple>

#include "onlinear/memory/planes.hpp"
#include "testing.hpp"

/// Where weights live: what was written stays where it is looked for, whatever grows around it.
namespace {

using namespace onlinear;

/// A number that tells slot, plane and block.
double mark(std::size_t slot, std::size_t plane, std::size_t block) {
    return 1e6 * static_cast<double>(plane + 1) + 1e3 * static_cast<double>(block) +
           static_cast<double>(slot);
}

template <class T>
void write_marks(Planes<T>& w) {
    for (std::uint32_t s = 0; s < w.slots(); ++s)
        for (std::size_t p = 0; p < w.planes(); ++p)
            for (std::size_t b = 0; b < w.blocks(); ++b) w.at(s, p, b) = static_cast<T>(mark(s, p, b));
}

/// Whether the marks of some slots and blocks stand, and everything else is fresh.
template <class T>
bool marked(const Planes<T>& w, std::size_t slots, std::size_t blocks, std::size_t plane, T fresh) {
    bool good = true;
    for (std::uint32_t s = 0; s < w.slots(); ++s)
        for (std::size_t p = 0; p < w.planes(); ++p)
            for (std::size_t b = 0; b < w.blocks(); ++b) {
                const T start = p == plane ? fresh : T{0};
                const T want = s < slots && b < blocks ? static_cast<T>(mark(s, p, b)) : start;
                good &= w.at(s, p, b) == want;
            }
    return good;
}

TEST("every weight of every plane has a place of its own inside the array") {
    for (const bool apart : {false, true})
        for (const std::size_t blocks : {1u, 2u, 3u, 4u, 5u, 9u, 17u}) {
            Planes<float> w(3, 21, blocks, apart);
            std::vector<int> taken(w.size(), 0);
            for (std::uint32_t s = 0; s < w.slots(); ++s)
                for (std::size_t p = 0; p < 3; ++p)
                    for (std::size_t b = 0; b < blocks; ++b) {
                        const std::size_t at = w.offset(s, p, b);
                        CHECK(at < taken.size() && taken[at]++ == 0);
                        CHECK(w.slot_of(w.address(s)) == s);
                    }
        }
}

TEST("loops that read whole vectors of the last slot's blocks stay inside the array") {
    for (const bool apart : {false, true})
        for (std::size_t blocks = 2; blocks < 20; ++blocks) {
            const Planes<double> w(2, 16, blocks, apart);
            CHECK(w.offset(15, 1, 0) + w.lanes() <= w.size());
            CHECK(w.lanes() >= blocks && w.lanes() % Planes<double>::kVector == 0);
        }
}

TEST("growth by slots, by blocks and by both keeps what was written, and the rest starts fresh") {
    for (const bool apart : {false, true})
        for (const std::size_t blocks : {1u, 2u, 3u, 8u})
            for (const std::size_t more_slots : {0u, 1u, 100u, 40000u})
                for (const std::size_t more_blocks : {0u, 1u, 7u}) {
                    Planes<double> w(3, 20, blocks, apart);
                    w.fill(1, 0.25);
                    write_marks(w);
                    w.grow(20 + more_slots, blocks + more_blocks, 1, 0.25);
                    CHECK(w.slots() == 20 + more_slots && w.blocks() == blocks + more_blocks);
                    CHECK(marked(w, 20, blocks, 1, 0.25));
                }
}

TEST("classes that come one by one start at the value of their own time") {
    // Features came before, between and after them, with other values: what lies behind the blocks is of all
    // kinds.
    struct Growth {
        std::size_t slots, blocks;
        float value;
    };
    for (const std::vector<Growth>& growths : std::vector<std::vector<Growth>>{
             {{20, 3, 1.0f}, {20, 4, 1.0f}, {20, 5, 2.0f}, {20, 6, 1.0f}},
             {{20, 3, 1.0f}, {22, 3, 2.0f}, {22, 4, 1.0f}},
             {{20, 3, 1.0f}, {22, 3, 2.0f}, {22, 4, 2.0f}},
             {{20, 3, 1.0f}, {900, 3, 1.0f}, {900, 4, 1.0f}, {900, 5, 3.0f}},
             {{20, 3, 1.0f}, {900, 3, 2.0f}, {901, 3, 1.0f}, {902, 4, 1.0f}, {902, 9, 1.0f}},
         }) {
        Planes<float> w(2, 20, 2);
        w.fill(1, 0.5f);
        std::map<std::tuple<std::size_t, std::size_t>, float> expected;
        const auto note = [&](float value) {
            for (std::size_t s = 0; s < w.slots(); ++s)
                for (std::size_t b = 0; b < w.blocks(); ++b) expected.try_emplace({s, b}, value);
        };
        note(0.5f);
        for (const Growth& growth : growths) {
            w.grow(growth.slots, growth.blocks, 1, growth.value);
            note(growth.value);
        }
        for (const auto& [place, value] : expected) {
            const auto [s, b] = place;
            CHECK(w.at(static_cast<std::uint32_t>(s), 0, b) == 0);
            CHECK(w.at(static_cast<std::uint32_t>(s), 1, b) == value);
        }
    }
}

TEST("a growth that is taken back and made again starts fresh") {
    Planes<double> w(2, 20, 2);
    w.fill(1, 1.0);
    write_marks(w);
    w.grow(25, 3, 1, 1.0);
    w.shrink(20, 2);
    CHECK(w.slots() == 20 && w.blocks() == 2);
    w.grow(25, 4, 1, 4.0);
    CHECK(marked(w, 20, 2, 1, 4.0));
}

TEST("blocks that were announced find room without another move") {
    Planes<float> w(2, 20, 2);
    w.expect(40);
    w.grow(20, 5, 1, 1.0f);  // more than the padding of two holds
    const float* before = w.data();
    for (std::size_t blocks = 6; blocks <= 40; ++blocks) w.grow(20, blocks, 1, 1.0f);
    CHECK(w.data() == before);
    w.grow(20, 41, 1, 1.0f);
    CHECK(w.blocks() == 41);
}

TEST("a plane is read and written block by block, in whole and in parts") {
    for (const bool apart : {false, true}) {
        Planes<float> w(2, 300, 3, apart);
        std::vector<double> in(900);
        std::iota(in.begin(), in.end(), 1.0);
        w.write(1, in.data());
        CHECK(w.at(7, 1, 2) == 608.0f && w.at(7, 0, 2) == 0.0f);
        std::vector<double> out(900), part(2 * 30);
        w.read(1, out.data());
        CHECK(out == in);
        w.read(1, part.data(), 1, 3, 120, 150);
        for (std::size_t b = 0; b < 2; ++b)
            for (std::size_t s = 0; s < 30; ++s) CHECK(part[b * 30 + s] == in[(b + 1) * 300 + 120 + s]);
        double sum = 0;
        w.each(1, [&](float value) { sum += static_cast<double>(value); });
        CHECK(sum == 900.0 * 901.0 / 2);
    }
}

TEST("an array is zero when it is made, also of memory that was used before") {
    constexpr std::size_t kLarge =
        (std::size_t{3} << 20) / sizeof(double);  // its own mapping, kept when given back
    for (int round = 0; round < 3; ++round) {
        BigArray<double> array(kLarge);
        CHECK(std::all_of(array.begin(), array.end(), [](double x) { return x == 0; }));
        std::fill(array.begin(), array.end(), 1.0);
    }
}

TEST("a copy of an array is another array with the same numbers") {
    BigArray<double> one(1000);
    std::iota(one.begin(), one.end(), 0.0);
    BigArray<double> two(one);
    CHECK(two.data() != one.data() && std::equal(one.begin(), one.end(), two.begin(), two.end()));
    two[5] = -1;
    CHECK(one[5] == 5);
    one = two;
    CHECK(one[5] == -1 && one.data() != two.data());
}

TEST("an array whose bytes cannot be counted is refused") {
    bool refused = false;
    try {
        const BigArray<double> array(std::numeric_limits<std::size_t>::max() / 8);
    } catch (const std::bad_alloc&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace
