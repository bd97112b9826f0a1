#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Rows as the learner takes them: compressed sparse rows with labels, weights, tags and line numbers.
namespace onlinear::text {

/// An allocator that leaves new numbers unset: a parser writes them all, zeroing them first would
/// cost a pass over the memory.
template <class T>
struct UnsetAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    template <class U>
    void construct(U* p) noexcept {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
};

template <class T>
using Array = std::vector<T, UnsetAllocator<T>>;

inline constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

/// Layout: row i holds entries indptr[i] to indptr[i+1] of `indices` and `values`, with indices
/// strictly rising. It has one label, or with `multilabel` those from label_indptr[i] to
/// label_indptr[i+1]; a label is labels[k] when label_ids[k] is -1 (not a number: none was given),
/// else the text of that number in the reader's LabelTable.
struct ParsedRows {
    Array<std::int64_t> indptr;
    Array<std::int32_t> indices;
    Array<float> values;
    Array<std::int64_t> lines;
    Array<double> labels;
    Array<std::int32_t> label_ids;
    Array<std::int64_t> label_indptr;
    Array<double> weights;
    Array<std::int64_t> tag_ends;
    std::string tags;
    bool any_text_label = false;
    bool any_missing_label = false;
    bool any_weight = false;
    bool any_tag = false;

    ParsedRows() { clear(); }

    std::int64_t rows() const noexcept { return static_cast<std::int64_t>(lines.size()); }
    std::int64_t entries() const noexcept { return static_cast<std::int64_t>(indices.size()); }

    /// Empties it and keeps the memory.
    void clear() {
        indptr.assign(1, 0);
        indices.clear();
        values.clear();
        lines.clear();
        labels.clear();
        label_ids.clear();
        label_indptr.assign(1, 0);
        weights.clear();
        tag_ends.assign(1, 0);
        tags.clear();
        any_text_label = any_missing_label = any_weight = any_tag = false;
    }

    void add_entry(std::int32_t index, float value) {
        indices.push_back(index);
        values.push_back(value);
    }

    void add_number_label(double label) {
        labels.push_back(label + 0.0);  // -0 and 0 are one label
        label_ids.push_back(-1);
    }

    void add_text_label(std::int32_t id) {
        labels.push_back(kNoLabel);
        label_ids.push_back(id);
        any_text_label = true;
    }

    void add_missing_label() {
        labels.push_back(kNoLabel);
        label_ids.push_back(-1);
        any_missing_label = true;
    }

    void set_weight(double weight) {
        // Rows without a weight count once; the array is filled only when some row has one.
        weights.resize(lines.size(), 1.0);
        weights.push_back(weight);
        any_weight = any_weight || weight != 1.0;
    }

    void set_tag(std::string_view tag) {
        tags.append(tag);
        any_tag = any_tag || !tag.empty();
    }

    /// Ends the row that was being written; its entries are sorted and repeated indices added up.
    /// Answers false, with the row forgotten, when a sum is not finite.
    bool end_row(std::int64_t line) {
        const auto begin = static_cast<std::size_t>(indptr.back());
        if (!merge_entries(begin)) {
            drop_row();
            return false;
        }
        close_row(line, entries());
        return true;
    }

    /// Sorts the row's entries from `begin` on and adds up those of equal index, in their order.
    /// Answers false when a sum is not finite.
    bool merge_entries(std::size_t begin) { return rising(begin) || add_repeated(begin); }

    /// Ends a row whose indices are known to rise.
    void close_row(std::int64_t line, std::int64_t last_entry) {
        indptr.push_back(last_entry);
        lines.push_back(line);
        label_indptr.push_back(static_cast<std::int64_t>(labels.size()));
        if (weights.size() < lines.size()) weights.push_back(1.0);
        tag_ends.push_back(static_cast<std::int64_t>(tags.size()));
    }

    /// Forgets what was written since the last row ended.
    void drop_row() {
        indices.resize(static_cast<std::size_t>(indptr.back()));
        values.resize(static_cast<std::size_t>(indptr.back()));
        weights.resize(lines.size());
        tags.resize(static_cast<std::size_t>(tag_ends.back()));
        drop_labels();
    }

    /// Forgets the labels written since the last row ended.
    void drop_labels() {
        labels.resize(static_cast<std::size_t>(label_indptr.back()));
        label_ids.resize(static_cast<std::size_t>(label_indptr.back()));
    }

private:
    bool rising(std::size_t begin) const noexcept {
        for (std::size_t i = begin + 1; i < indices.size(); ++i) {
            if (indices[i] <= indices[i - 1]) return false;
        }
        return true;
    }

    bool add_repeated(std::size_t begin);

    Array<std::uint64_t> scratch_;
};

}  // namespace onlinear::text
