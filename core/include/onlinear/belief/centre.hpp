#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/memory/planes.hpp"
#include "onlinear/rows/stage.hpp"

namespace onlinear::belief {

/// The running mean m_j of every feature over all rows learned so far, a row that comes included; where a row
/// has no entry it is 0.
///
/// A belief that is centred learns the rows x - m, each with the means when it came, as if they had come so;
/// what is only read is centred by the last means. A centred row has an entry for every feature that any row
/// has had, so these are counted, and at most kMost of them are borne. Which entries that are is said by the
/// values of the stream alone: a zero that is written and one that is not are the same.
///
/// A mean is of all rows alike, or, where features are measured in their typical sizes, one that no single
/// value decides: a value is taken to lie at most kFar typical distances away, and early rows are forgotten
/// as the cube of time (Targets does the same). A zero is never far: it may be a missing entry. In neither
/// does a value count as more than a number whose square the type can hold: one of 1e38 would leave the mean
/// where no row that comes after it has a score.
template <class T>
class Centre {
public:
    /// Means that are kept, at most: rows of as many entries.
    static constexpr std::size_t kMost = 1 << 16;

    Centre(bool on, bool robust) noexcept : on_(on), robust_(robust) {}

    bool on() const noexcept { return on_; }
    /// Whether any feature has a mean.
    bool any() const noexcept { return !slots_.empty(); }
    std::size_t bytes() const noexcept {
        return (slots_.size() + before_slots_.size()) * sizeof(std::uint32_t) +
               (means_.size() + before_means_.size()) * sizeof(double);
    }

    /// Calls f(slot, mean) for every feature that has one.
    template <class F>
    void each(F&& f) const {
        for (std::size_t i = 0; i < slots_.size(); ++i) f(slots_[i], means_[i]);
    }

    /// Lets the means follow a row and takes them from it, until `keep` or `back`; `size_of(slot)` is the
    /// typical distance of a feature from its mean, 0 where there is none. False, with nothing done, where
    /// the features are too many.
    template <class Sizes>
    [[nodiscard]] bool learn(Stage<T>& stage, const Planes<T>& planes, Sizes&& size_of) {
        if (!meet(stage, planes)) return false;
        stage.spread(slots_.data(), slots_.size(), planes);
        before_count_ = count_;
        count_ = robust_ ? std::min(count_ + 1, kMemory) : count_ + 1;
        follow(stage.entries(), robust_ ? std::min(1.0, 3 / (count_ + 2)) : 1 / count_, size_of);
        stage.measure_norm();
        return true;
    }
    /// Whether entry i of the row that `learn` has centred was zero, or as good as that beside its mean.
    bool was_zero(std::size_t i, T centred) const noexcept { return centred == less(0, means_[i]); }

    /// Takes the means from a row.
    void subtract(Stage<T>& stage, const Planes<T>& planes) const {
        if (!any()) return;
        stage.spread(slots_.data(), slots_.size(), planes);
        T* const x = stage.entries();
        const std::uint32_t* const at = stage.entries_at();
        const std::size_t size = stage.n_entries();
        for (std::size_t i = 0, k = 0; i < size && k < slots_.size(); ++i) {
            if (at[i] != planes.address(slots_[k])) continue;  // a feature that no row has had
            x[i] = less(static_cast<double>(x[i]), means_[k++]);
        }
        stage.measure_norm();
    }

    void keep() noexcept { change_ = Change::nothing; }
    /// Takes back what was learned since `keep`.
    void back() noexcept {
        if (change_ == Change::nothing) return;
        if (change_ == Change::features) slots_.swap(before_slots_);
        means_.swap(before_means_);
        count_ = before_count_;
        keep();
    }

    void visit(StateVisitor<T>& v, std::size_t slots) {
        if (!on_) return;
        v.scalar("centred_rows", count_);
        std::vector<double> table;
        each([&](std::uint32_t slot, double mean) {
            table.push_back(slot - 1.0);
            table.push_back(mean);
        });
        v.table("feature_mean", table, 2);
        if (v.loading()) take(table, slots);
    }

private:
    /// What `back` takes back.
    enum class Change { nothing, means, features };

    static constexpr double kFar = 30;
    static constexpr double kMemory = 100000;

    static double within(double gap) noexcept {
        constexpr double kLargest = std::numeric_limits<double>::max();
        return std::clamp(gap, -kLargest, kLargest);
    }
    static T less(double value, double mean) noexcept {
        constexpr auto kLargest = static_cast<double>(std::numeric_limits<T>::max());
        return static_cast<T>(std::clamp(value - mean, -kLargest, kLargest));
    }

    /// What a value counts in a mean.
    static double counted(double value) noexcept {
        static const double kLargest = std::sqrt(static_cast<double>(std::numeric_limits<T>::max()));
        return std::clamp(value, -kLargest, kLargest);
    }

    /// Moves every mean by `share` of the way to a row of as many entries, and takes it from its entry. The
    /// means that were stay for `back`, but where it has those of fewer features.
    template <class Sizes>
    void follow(T* x, double share, Sizes&& size_of) {
        const bool apart = change_ != Change::features;
        if (apart) before_means_.resize(means_.size());
        double* const after = apart ? before_means_.data() : means_.data();
        for (std::size_t i = 0; i < means_.size(); ++i) {
            const auto value = static_cast<double>(x[i]);
            double gap = within(counted(value) - means_[i]);
            if (robust_ && value != 0)
                if (const double far = kFar * size_of(slots_[i]); far > 0) gap = std::clamp(gap, -far, far);
            after[i] = means_[i] + share * gap;
            x[i] = less(value, after[i]);
        }
        if (!apart) return;
        means_.swap(before_means_);
        change_ = Change::means;
    }

    /// Makes room for the features that a row is the first to have; false where they are too many.
    bool meet(const Stage<T>& stage, const Planes<T>& planes) {
        const std::uint32_t* const at = stage.entries_at();
        const T* const x = stage.entries();
        const std::size_t size = stage.n_entries();
        fresh_.clear();
        for (std::size_t i = 0, k = 0; i < size; ++i) {
            while (k < slots_.size() && planes.address(slots_[k]) < at[i]) ++k;
            if (x[i] == 0 || (k < slots_.size() && planes.address(slots_[k]) == at[i])) continue;
            fresh_.push_back(planes.slot_of(at[i]));
        }
        if (fresh_.empty()) return true;
        if (slots_.size() + fresh_.size() > kMost) return false;
        before_slots_ = slots_;
        before_means_ = means_;
        slots_.resize(before_slots_.size() + fresh_.size());
        means_.assign(slots_.size(), 0.0);
        for (std::size_t i = 0, old = 0, young = 0; i < slots_.size(); ++i) {
            const bool was =
                young == fresh_.size() || (old < before_slots_.size() && before_slots_[old] < fresh_[young]);
            slots_[i] = was ? before_slots_[old] : fresh_[young];
            if (was) means_[i] = before_means_[old];
            was ? ++old : ++young;
        }
        change_ = Change::features;
        return true;
    }

    /// Takes over what a file says; throws where no learning makes it.
    void take(const std::vector<double>& table, std::size_t slots) {
        bool good = count_ >= 0 && count_ == std::floor(count_) && (!robust_ || count_ <= kMemory) &&
                    table.size() <= 2 * kMost && (table.empty() || count_ > 0);
        slots_.clear();
        means_.clear();
        double last = -1;
        for (std::size_t i = 0; good && i < table.size(); i += 2) {
            const double column = table[i];
            good = column > last && column == std::floor(column) && column + 1 < static_cast<double>(slots);
            if (!good) break;
            last = column;
            slots_.push_back(static_cast<std::uint32_t>(column) + 1);
            means_.push_back(table[i + 1]);
        }
        if (!good) throw std::invalid_argument("state 'feature_mean' holds means that no learning makes");
    }

    bool on_, robust_;
    double count_ = 0, before_count_ = 0;  // rows the means are of
    std::vector<std::uint32_t> slots_;     // of the features that have means, rising
    std::vector<double> means_;
    Change change_ = Change::nothing;
    std::vector<std::uint32_t> before_slots_;
    std::vector<double> before_means_;
    std::vector<std::uint32_t> fresh_;
};

}  // namespace onlinear::belief
