#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/memory/planes.hpp"
#include "onlinear/rows/stage.hpp"

namespace onlinear::belief {

inline constexpr std::array<const char*, 2> kScales{"none", "max"};

/// The running scale s_j of every feature: the largest |x_j| it has come with.
///
/// A row is divided by the scales of its features before a belief sees it, so a belief with scales holds the
/// weights s_j w_j of features between -1 and 1, whatever their units: multiplying a column by a constant
/// changes nothing but the unit of its weight. Scales only divide: zeros stay zeros.
///
/// A scale that grows changes the prior of its weight, which is stated in the feature's own unit, and nothing
/// that examples have said: the belief restates its weight (`restate`). On a mean this is the normalised
/// update of Ross, Mineiro, Langford. Normalized Online Learning, UAI 2013, algorithm 1.
///
/// Rows of unit length have no units, because whoever made them has divided them out; they raise no scale.
/// So a stream of such rows, as text is, has no scales at all, and costs and learns as if there were none.
///
/// A belief with scales offers planes(), number(slot, plane, block), untouched(slot), restate(slot, ratio),
/// norm() and set_norm(norm).
template <class T>
class Scales {
public:
    enum Kind : int { kNone, kMax };

    explicit Scales(int kind = kNone) noexcept : on_(kind != kNone) {}

    bool on() const noexcept { return on_; }
    /// Whether any feature has a scale.
    bool any() const noexcept { return s_.slots() != 0; }
    double of(std::uint32_t slot) const noexcept {
        if (!any()) return 1.0;
        const T s = s_.data()[slot];
        return s > 0 ? static_cast<double>(s) : 1.0;
    }
    std::size_t size() const noexcept { return s_.size(); }
    /// The scales of the columns from 0 on, 0 for one without; null where none has any.
    const T* divisors() const noexcept { return any() ? s_.data() + 1 : nullptr; }

    /// Raises the scales of a row's features to its values, until `keep` or `back`.
    template <class Belief>
    [[gnu::always_inline]] void raise(Belief& belief, const Stage<T>& stage) {
        if (stage.unit_length()) return;
        if (!any()) start(belief.planes().slots());
        if (stage.exceeds(s_.data(), belief.planes())) raise_some(belief, stage.row);
    }
    /// Divides a row by the scales of its features; a feature without one is as it is.
    [[gnu::always_inline]] void divide(Stage<T>& stage, const Planes<T>& planes) const noexcept {
        if (any()) stage.divide(s_.data(), planes);
    }

    void keep() noexcept { raised_.clear(); }
    /// Takes back what was raised since `keep`.
    template <class Belief>
    void back(Belief& belief) noexcept {
        if (raised_.empty()) return;
        const Planes<T>& planes = belief.planes();
        for (std::size_t i = raised_.size(); i-- > 0;) {
            s_.data()[raised_[i].slot] = raised_[i].before;
            const T* number = numbers_.data() + i * planes.planes() * planes.blocks();
            for (std::size_t p = 0; p < planes.planes(); ++p)
                for (std::size_t b = 0; b < planes.blocks(); ++b)
                    belief.number(raised_[i].slot, p, b) = *number++;
        }
        belief.set_norm(norm_);
        raised_.clear();
    }

    void grow(std::size_t slots) {
        if (any()) s_.grow(slots, 1, 1, T{0});
    }
    void shrink(std::size_t slots) noexcept {
        if (any()) s_.shrink(slots);
    }

    void visit(StateVisitor<T>& v, std::size_t slots) {
        if (!on_) return;
        double scaled = any() ? 1 : 0;
        v.scalar("scaled", scaled);
        if (v.loading()) {
            s_ = Planes<T>();
            if (scaled != 0) start(slots);
        }
        if (any()) v.column("feature_scale", s_);
        if (v.loading() && any()) s_.data()[0] = 1;
    }

private:
    struct Raised {
        std::uint32_t slot;
        T before;
    };

    void start(std::size_t slots) {
        s_ = Planes<T>(1, slots, 1);
        s_.data()[0] = 1;  // the intercept's feature is 1
    }

    template <class Belief>
    [[gnu::noinline]] void raise_some(Belief& belief, const Row<T>& row) {
        const Planes<T>& planes = belief.planes();
        for (std::uint32_t j = 0; j < row.size; ++j) {
            const std::uint32_t slot = planes.slot_of(row.at[j]);
            const T size = std::abs(row.value[j]), before = s_.data()[slot];
            if (!(size > before)) continue;
            remember(belief, slot, before);
            // Weights learned from rows of unit length alone stand for the scale 1.
            const T from = before > 0 || belief.untouched(slot) ? before : T{1};
            s_.data()[slot] = std::max(size, from);
            if (from > 0 && size > from)
                belief.restate(slot, static_cast<double>(from) / static_cast<double>(size));
        }
    }

    template <class Belief>
    void remember(Belief& belief, std::uint32_t slot, T before) {
        if (raised_.empty()) {
            numbers_.clear();
            norm_ = belief.norm();
        }
        raised_.push_back({slot, before});
        for (std::size_t p = 0; p < belief.planes().planes(); ++p)
            for (std::size_t b = 0; b < belief.planes().blocks(); ++b)
                numbers_.push_back(belief.number(slot, p, b));
    }

    bool on_;
    Planes<T> s_ = Planes<T>();  // 0 for a feature without a scale; no slots before the first has one
    // What `back` needs: the scales that were raised, the weights as they were, plane by plane, and the norm.
    std::vector<Raised> raised_;
    std::vector<T> numbers_;
    Norm norm_;
};

}  // namespace onlinear::belief
