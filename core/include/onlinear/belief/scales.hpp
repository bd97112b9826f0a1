#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/belief/centre.hpp"
#include "onlinear/memory/planes.hpp"
#include "onlinear/rows/stage.hpp"

namespace onlinear::belief {

inline constexpr std::array<const char*, 3> kScales{"none", "max", "typical"};

/// The running scale s_j of every feature: "max", the largest |x_j| it has come with, or "typical", the mean
/// of |x_j| where it is not zero.
///
/// A row is divided by the scales of its features before a belief sees it, so a belief with scales holds the
/// weights s_j w_j of features between -1 and 1, whatever their units: multiplying a column by a constant
/// changes nothing but the unit of its weight. Scales only divide: zeros stay zeros.
///
/// A scale that changes, changes the prior of its weight, which is stated in the feature's own unit, and
/// nothing that examples have said: the belief restates its weight (`restate`). On a mean this is the
/// normalised update of Ross, Mineiro, Langford. Normalized Online Learning, UAI 2013, algorithm 1.
///
/// Rows of unit length have no units, because whoever made them has divided them out; they raise no scale.
/// So a stream of such rows, as text is, has no scales at all, and costs and learns as if there were none.
///
/// A typical size is one that no single value decides, however large: in it, and in a row that is divided, a
/// value counts as at most kMost typical sizes. Early values are forgotten as the cube of time. The scale
/// follows the size where they have come apart by kSlack.
///
/// Where a belief is centred (belief/centre.hpp) values are x_j - m_j, and so are those that scales are made
/// of: the largest distance from the mean, and the mean distance where x_j is not zero.
///
/// A belief with scales offers planes(), number(slot, plane, block), untouched(slot), restate(slot, ratio),
/// norm() and set_norm(norm).
template <class T>
class Scales {
public:
    enum Kind : int { kNone, kMax, kTypical };

    explicit Scales(int kind = kNone, bool centred = false) noexcept
        : kind_(kind), centre_(centred, kind == kTypical) {}

    bool on() const noexcept { return kind_ != kNone || centre_.on(); }
    bool centred() const noexcept { return centre_.on(); }
    const Centre<T>& centre() const noexcept { return centre_; }
    /// Whether rows are not what they came as.
    bool changes_rows() const noexcept { return any() || centre_.any(); }
    /// Whether rows are divided and nothing else.
    bool only_divide() const noexcept { return kind_ != kTypical && !centre_.on(); }
    /// Whether any feature has a scale.
    bool any() const noexcept { return s_.slots() != 0; }
    double of(std::uint32_t slot) const noexcept {
        if (!any()) return 1.0;
        const T s = s_.data()[slot];
        return s > 0 ? static_cast<double>(s) : 1.0;
    }
    std::size_t bytes() const noexcept {
        return (s_.size() + size_.size() + count_.size()) * sizeof(T) + centre_.bytes();
    }
    /// The scales of the columns from 0 on, 0 for one without; null where none has any.
    const T* divisors() const noexcept { return any() ? s_.data() + 1 : nullptr; }

    /// Raises the scales of a row's features to its values, until `keep` or `back`.
    template <class Belief>
    [[gnu::always_inline]] void raise(Belief& belief, const Stage<T>& stage) {
        if (stage.unit_length()) return;
        if (!any()) start(belief.planes().slots());
        if (kind_ == kTypical)
            follow(belief, stage.row);
        else if (stage.exceeds(s_.data(), belief.planes()))
            raise_some(belief, stage.row);
    }
    /// Makes of a row what is learned from it, where rows are centred; means and scales that follow it do so
    /// until `keep` or `back`. False, with nothing done, where its features are too many to be centred.
    template <class Belief>
    [[nodiscard, gnu::noinline]] bool learn_centred(Belief& belief, Stage<T>& stage) {
        const Planes<T>& planes = belief.planes();
        const bool has_units = !stage.unit_length();
        if (!centre_.learn(stage, planes, [this](std::uint32_t slot) { return typical(slot); })) return false;
        if (kind_ == kNone) return true;
        if (has_units) {
            if (!any()) start(planes.slots());
            if (kind_ == kTypical)
                follow(belief, stage.row, stage.n_entries() == stage.row.size ? 0 : 1);
            else if (stage.exceeds(s_.data(), planes))
                raise_some(belief, stage.row);
        }
        divide(stage, planes);
        return true;
    }
    /// Makes of a row what is read of it.
    void change(Stage<T>& stage, const Planes<T>& planes) const {
        if (centre_.on()) centre_.subtract(stage, planes);
        divide(stage, planes);
    }

    /// Divides a row by the scales of its features; a feature without one is as it is.
    [[gnu::always_inline]] void divide(Stage<T>& stage, const Planes<T>& planes) const noexcept {
        if (!any()) return;
        if (kind_ == kTypical)
            stage.divide_within(s_.data(), planes, kMost);
        else
            stage.divide(s_.data(), planes);
    }

    void keep() noexcept {
        raised_.clear();
        followed_.clear();
        centre_.keep();
    }
    /// Takes back what was raised since `keep`.
    template <class Belief>
    void back(Belief& belief) noexcept {
        centre_.back();
        for (std::size_t i = followed_.size(); i-- > 0;) {
            size_.data()[followed_[i].slot] = followed_[i].size;
            count_.data()[followed_[i].slot] = followed_[i].count;
        }
        followed_.clear();
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
        each_column([slots](Planes<T>& column) { column.grow(slots, 1, 1, T{0}); });
    }
    void shrink(std::size_t slots) noexcept {
        each_column([slots](Planes<T>& column) { column.shrink(slots); });
    }

    void visit(StateVisitor<T>& v, std::size_t slots) {
        centre_.visit(v, slots);
        if (kind_ == kNone) return;
        double scaled = any() ? 1 : 0;
        v.scalar("scaled", scaled);
        if (v.loading()) {
            s_ = size_ = count_ = Planes<T>();
            if (scaled != 0) start(slots);
        }
        if (any()) v.column("feature_scale", s_);
        if (any() && kind_ == kTypical) {
            v.column("feature_size", size_);
            v.column("feature_count", count_);
        }
        if (v.loading() && any()) s_.data()[0] = 1;
    }

private:
    /// The most typical sizes that a value counts as: beyond the values of a bell, within those of a long
    /// tail.
    static constexpr T kMost = 5;
    /// How far scale and typical size may be apart: a restated weight costs more than a scale that is not
    /// quite typical.
    static constexpr T kSlack = static_cast<T>(1.1);
    /// How many values a typical size remembers, at most: it follows a stream that changes.
    static constexpr T kMemory = 100000;

    struct Raised {
        std::uint32_t slot;
        T before;
    };
    struct Followed {
        std::uint32_t slot;
        T size, count;
    };

    template <class F>
    void each_column(F&& f) {
        if (!any()) return;
        f(s_);
        if (kind_ != kTypical) return;
        f(size_);
        f(count_);
    }

    void start(std::size_t slots) {
        s_ = Planes<T>(1, slots, 1);
        s_.data()[0] = 1;  // the intercept's feature is 1
        if (kind_ == kTypical) size_ = count_ = Planes<T>(1, slots, 1);
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

    /// Lets the typical sizes follow a row, and scales that have fallen behind follow them.
    template <class Belief>
    [[gnu::noinline]] void follow(Belief& belief, const Row<T>& row, std::uint32_t first = 0) {
        const Planes<T>& planes = belief.planes();
        for (std::uint32_t j = first; j < row.size; ++j) {
            const std::uint32_t slot = planes.slot_of(row.at[j]);
            const T value = std::abs(row.value[j]);
            if (slot == 0 || value == 0) continue;
            if (centre_.on() && centre_.was_zero(j - first, row.value[j])) continue;
            T &size = size_.data()[slot], &count = count_.data()[slot];
            followed_.push_back({slot, size, count});
            count = std::min(count + 1, kMemory);
            size = std::max(followed(size, count, value), std::numeric_limits<T>::min());
            const T before = s_.data()[slot];
            if (before > 0 && size <= before * kSlack && before <= size * kSlack) continue;
            remember(belief, slot, before);
            const T from = before > 0 || belief.untouched(slot) ? before : T{1};
            s_.data()[slot] = size;
            if (from > 0 && size != from)
                belief.restate(slot, static_cast<double>(from) / static_cast<double>(size));
        }
    }
    double typical(std::uint32_t slot) const noexcept {
        return any() && kind_ == kTypical ? static_cast<double>(size_.data()[slot]) : 0.0;
    }
    /// The typical size with one more value, the `count`th.
    static T followed(T size, T count, T value) noexcept {
        if (!(size > 0)) return value;
        return size + std::min(T{1}, 3 / (count + 2)) * (std::min(value, kMost * size) - size);
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

    int kind_;
    Centre<T> centre_;
    Planes<T> s_ = Planes<T>();  // 0 for a feature without a scale; no slots before the first has one
    // Typical sizes, and how many values they are of.
    Planes<T> size_ = Planes<T>(), count_ = Planes<T>();
    std::vector<Followed> followed_;
    // What `back` needs: the scales that were raised, the weights as they were, plane by plane, and the norm.
    std::vector<Raised> raised_;
    std::vector<T> numbers_;
    Norm norm_;
};

}  // namespace onlinear::belief
