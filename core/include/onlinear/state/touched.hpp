#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/memory/planes.hpp"
#include "onlinear/simd/simd.hpp"

/// Which weights learning has touched. Most examples say nothing of most features and most classes, so that a
/// model file that names the touched weights and lists their numbers is a fraction of one that lists all.
namespace onlinear {

/// A set of weights, and the numbers all others still start from.
struct Touched {
    std::size_t slots = 0, blocks = 0;
    std::vector<std::uint64_t> bits;  // of weight (slot, block) bit slot * blocks + block, lowest first
    std::vector<std::pair<std::string, double>> start;  // for each plane

    static std::size_t words(std::size_t slots, std::size_t blocks) noexcept {
        return (slots * blocks + 63) / 64;
    }

    std::size_t count() const noexcept { return count(0, slots); }

    /// How many there are of the slots from `first` to `last`.
    std::size_t count(std::size_t first, std::size_t last) const noexcept {
        std::size_t total = 0;
        for (std::size_t at = first * blocks, end = last * blocks; at < end; at += 64)
            total += population(take(at, std::min<std::size_t>(64, end - at)));
        return total;
    }

    /// The weights of the slots from `first` to `last` in the order of the bits.
    template <class T>
    std::vector<T> read(const Planes<T>& planes, std::size_t plane, std::size_t first,
                        std::size_t last) const {
        const std::size_t size = count(first, last);
        std::vector<T> out(size + 16);  // for the loop to write past the end
        simd<T>().pick(planes.data() + planes.offset(0, plane, 0) + first * planes.slot_step(),
                       planes.slot_step(), blocks, last - first, bits.data(), first * blocks, out.data());
        out.resize(size);
        return out;
    }

    /// Calls f(weight&) in the order of the bits.
    template <class T, class F>
    void each(Planes<T>& planes, std::size_t plane, F&& f) const {
        T* const base = planes.data() + planes.offset(0, plane, 0);
        const std::size_t step = planes.slot_step();
        if (blocks == 1) {
            for (std::size_t word = 0; word < bits.size(); ++word)
                for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1)
                    f(base[(64 * word + static_cast<std::size_t>(std::countr_zero(rest))) * step]);
            return;
        }
        for (std::size_t s = 0; s < slots; ++s)
            for (std::size_t b = 0; b < blocks; b += 64)
                for (std::uint64_t rest = take(s * blocks + b, std::min<std::size_t>(64, blocks - b));
                     rest != 0; rest &= rest - 1)
                    f(base[s * step + b + static_cast<std::size_t>(std::countr_zero(rest))]);
    }

private:
    /// How many bits of a word are set; by hand, for without an instruction the compiler looks it up byte by
    /// byte.
    static std::size_t population(std::uint64_t word) noexcept {
        constexpr std::uint64_t ones = ~std::uint64_t{0};
        word -= word >> 1 & ones / 3;
        word = (word & ones / 5) + (word >> 2 & ones / 5);
        return static_cast<std::size_t>(((word + (word >> 4)) & ones / 17) * (ones / 255) >> 56);
    }

    /// The n bits from `at` on, 1 <= n <= 64.
    std::uint64_t take(std::size_t at, std::size_t n) const noexcept {
        const std::size_t shift = at % 64;
        std::uint64_t word = bits[at / 64] >> shift;
        if (shift + n > 64) word |= bits[at / 64 + 1] << (64 - shift);
        return n == 64 ? word : word & ((std::uint64_t{1} << n) - 1);
    }
};

/// Finds the touched weights of a state that consists of planes.
template <class T>
class TouchedFinder final : public belief::StateVisitor<T> {
public:
    void scalar(const char*, double&) override {}
    void plane(const char* name, Planes<T>& planes, std::size_t plane) override {
        plain_ &= found_.slots == 0 || (found_.slots == planes.slots() && found_.blocks == planes.blocks());
        if (!plain_) return;
        found_.slots = planes.slots();
        found_.blocks = planes.blocks();
        found_.bits.resize(Touched::words(found_.slots, found_.blocks));
        const T start = usual(planes, plane);
        found_.start.emplace_back(name, static_cast<double>(start));
        simd<T>().mark(planes.data() + planes.offset(0, plane, 0), planes.slot_step(), planes.blocks(),
                       planes.slots(), start, found_.bits.data());
    }
    void column(const char*, Planes<T>&) override {}  // written whole beside the touched weights
    void matrix(const char*, BigArray<T>&, std::size_t, std::size_t) override { plain_ = false; }
    void table(const char*, std::vector<double>&, std::size_t) override {}  // as a column
    bool loading() const noexcept override { return false; }

    /// Nothing where there is more to the state than planes of one shape.
    std::optional<Touched> result() && {
        if (!plain_ || found_.start.empty()) return std::nullopt;
        return std::move(found_);
    }

private:
    /// The number most weights of a plane have, where most have one: the majority of some of them.
    static T usual(const Planes<T>& planes, std::size_t plane) {
        constexpr std::size_t kLooks = 256;
        const std::size_t weights = planes.slots() * planes.blocks();
        T leader{};
        std::size_t lead = 0;
        for (std::size_t look = 0; look < kLooks; ++look) {
            const std::size_t i = weights * look / kLooks;
            const T w =
                planes.at(static_cast<std::uint32_t>(i / planes.blocks()), plane, i % planes.blocks());
            if (lead == 0) leader = w;
            lead += std::memcmp(&w, &leader, sizeof w) == 0 ? 1 : std::size_t(-1);
        }
        return leader;
    }

    Touched found_;
    bool plain_ = true;
};

}  // namespace onlinear
