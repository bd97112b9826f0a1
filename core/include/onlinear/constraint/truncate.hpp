#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/rows/row.hpp"

namespace onlinear::constraint {

/// Removal of small weights after every update.
///
/// Shen, Dietterich, section 3.3 (with k maximal): in rising order of |mu_p|, ties in the order (block,
/// feature), the longest run of weights whose squares sum to strictly less than sigma becomes zero.
///
/// Sorting every weight on every update would cost more than learning. A heap holds every non-zero weight by
/// the number its belief stores, which orders as |mu_p| does whatever the belief's lazy scale or shift has
/// become; so only what an update touches is pushed, only what dies is popped, and an entry whose weight has
/// moved since is stale and skipped. Beliefs whose steps move every weight are gathered anew each time; their
/// steps cost more than that.
///
/// A belief offers stored(slot, block), magnitude(stored), erase(slot, block), planes() and kLocal.
class Truncation {
public:
    double sigma = 0.0;

    bool on() const noexcept { return sigma > 0; }
    /// Many weights of the belief changed at once, without a call for each.
    void forget() noexcept { known_ = false; }

    template <class Belief, class T>
    void after(Belief& belief, const Row<T>& row, Terms terms) {
        if (!Belief::kLocal || !known_) {
            gather(belief);
        } else {
            if (row.flat) {
                const auto width = static_cast<std::uint32_t>(belief.planes().width());
                for (std::uint32_t j = 0; j < row.size; ++j)
                    push(belief, row.at[j] / width, row.at[j] % width);
            } else {
                for (const Term& term : terms)
                    for (std::uint32_t j = 0; j < row.size; ++j)
                        push(belief, belief.planes().slot_of(row.at[j]), term.block);
            }
            if (heap_.size() > 2 * live_ + 4096) compact(belief);
        }
        remove(belief, sigma);
    }

    /// Once, now.
    template <class Belief>
    void once(Belief& belief, double limit) {
        gather(belief);
        remove(belief, limit);
    }

private:
    struct Entry {
        double stored;
        std::uint32_t block, slot;

        friend bool operator<(const Entry& a, const Entry& b) noexcept {
            if (a.stored != b.stored) return a.stored < b.stored;
            return a.block != b.block ? a.block < b.block : a.slot < b.slot;
        }
        friend bool operator>(const Entry& a, const Entry& b) noexcept { return b < a; }
        friend bool operator==(const Entry& a, const Entry& b) noexcept = default;
    };

    template <class Belief>
    void push(const Belief& belief, std::uint32_t slot, std::uint32_t block) {
        const double stored = belief.stored(slot, block);
        if (stored == 0) return;
        heap_.push_back({stored, block, slot});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }

    template <class Belief>
    void gather(Belief& belief) {
        heap_.clear();
        const auto& planes = belief.planes();
        if constexpr (belief::KnowsNonzero<Belief>) {
            for (const std::size_t at : belief.weights()) {
                const auto slot = planes.slot_of(static_cast<std::uint32_t>(at / planes.width()));
                const auto block = static_cast<std::uint32_t>(at % planes.width());
                if (const double stored = belief.stored(slot, block); stored != 0)
                    heap_.push_back({stored, block, slot});
            }
        } else {
            for (std::uint32_t slot = 0; slot < planes.slots(); ++slot)
                for (std::uint32_t block = 0; block < planes.blocks(); ++block)
                    if (const double stored = belief.stored(slot, block); stored != 0)
                        heap_.push_back({stored, block, slot});
        }
        std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
        live_ = heap_.size();
        known_ = true;
    }

    template <class Belief>
    void compact(const Belief& belief) {
        std::erase_if(heap_, [&](const Entry& e) { return belief.stored(e.slot, e.block) != e.stored; });
        std::sort(heap_.begin(), heap_.end());  // a sorted array is a heap
        heap_.erase(std::unique(heap_.begin(), heap_.end()), heap_.end());
        live_ = heap_.size();
    }

    template <class Belief>
    void remove(Belief& belief, double limit) {
        double sum = 0;
        while (!heap_.empty()) {
            const Entry least = heap_.front();
            if (belief.stored(least.slot, least.block) == least.stored) {
                const double size = belief.magnitude(least.stored);
                if (!(sum + size * size < limit)) return;
                sum += size * size;
                belief.erase(least.slot, least.block);
            }
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
            heap_.pop_back();
        }
    }

    std::vector<Entry> heap_;
    std::size_t live_ = 0;
    bool known_ = false;
};

}  // namespace onlinear::constraint
