#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

/// Sentences on their way to a learner: sparse token features as slots, and labels as numbers.
namespace onlinear::sequence {

/// Which slot of the weights each label and each column has; handed out in the order in which they come.
///
/// A transition is a feature like any other: "the label before was a" is a slot, and its weight in block b is
/// T[a][b]. So one belief holds emissions and transitions, and every rule acts on both at once.
struct Layout {
    std::vector<std::uint32_t> label;
    std::vector<std::uint32_t> column;

    std::size_t slots() const noexcept { return 1 + label.size() + column.size(); }  // slot 0 is never used
    std::size_t labels() const noexcept { return label.size(); }

    void add_labels(std::size_t count) {
        while (label.size() < count) label.push_back(next());
    }
    void add_columns(std::size_t count) {
        while (column.size() < count) column.push_back(next());
    }
    /// Forgets what came after a moment when there were so many of each.
    void truncate(std::size_t labels, std::size_t columns) {
        label.resize(std::min(labels, label.size()));
        column.resize(std::min(columns, column.size()));
    }

private:
    std::uint32_t next() const noexcept { return static_cast<std::uint32_t>(slots()); }
};

/// One sentence of a batch; offsets in `token` count from the start of `feature` and `value`.
template <class T>
struct Sentence {
    const std::uint32_t* feature = nullptr;
    const T* value = nullptr;  // null: every feature counts 1
    const std::size_t* token = nullptr;
    const std::int32_t* label = nullptr;
    std::size_t size = 0;

    const std::uint32_t* features(std::size_t i) const noexcept { return feature + token[i]; }
    const T* values(std::size_t i) const noexcept { return value ? value + token[i] : nullptr; }
    std::size_t count(std::size_t i) const noexcept { return token[i + 1] - token[i]; }
    std::size_t entries() const noexcept { return token[size] - token[0]; }
};

class Sentences {
public:
    std::vector<std::int32_t> label;  // one a token; -1 where there is none

    std::size_t tokens() const noexcept { return token_.size() - 1; }
    std::size_t sentences() const noexcept { return sentence_.size() - 1; }
    std::size_t entries() const noexcept { return feature_.size(); }
    std::size_t longest() const noexcept { return longest_; }
    std::size_t fullest() const noexcept { return fullest_; }
    const std::vector<std::size_t>& starts() const noexcept { return sentence_; }

    void add(std::uint32_t slot) {
        feature_.push_back(slot);
        if (!wide_.empty()) wide_.push_back(1.0);
    }
    void add(std::uint32_t slot, double value) {
        if (value == 1.0 && wide_.empty()) {
            feature_.push_back(slot);
            return;
        }
        // The first value that is not 1 gives one to all before it.
        if (wide_.empty()) wide_.assign(feature_.size(), 1.0);
        feature_.push_back(slot);
        wide_.push_back(value);
    }
    /// Puts the entries of the token being written in slot order, so that the order of a dict never shows.
    void sort_token();
    void end_token(std::int32_t of) {
        token_.push_back(feature_.size());
        label.push_back(of);
    }
    void end_sentence() {
        longest_ = std::max(longest_, tokens() - sentence_.back());
        fullest_ = std::max(fullest_, feature_.size() - token_[sentence_.back()]);
        sentence_.push_back(tokens());
    }
    void reserve(std::size_t tokens, std::size_t entries) {
        token_.reserve(tokens + 1);
        label.reserve(tokens);
        feature_.reserve(entries);
    }
    /// label[i] = to[label[i]].
    void relabel(const std::vector<std::int32_t>& to) {
        for (std::int32_t& l : label)
            if (l >= 0) l = to.at(static_cast<std::size_t>(l));
    }
    /// Makes the values ready in the type of the state; call it before `at`.
    template <class T>
    void prepare() {
        if constexpr (sizeof(T) == 4) narrow_.assign(wide_.begin(), wide_.end());
    }

    template <class T>
    Sentence<T> at(std::size_t i) const noexcept {
        const T* value = nullptr;
        if (!wide_.empty()) {
            if constexpr (sizeof(T) == 4)
                value = narrow_.data();
            else
                value = wide_.data();
        }
        return {feature_.data(), value, token_.data() + sentence_[i], label.data() + sentence_[i],
                sentence_[i + 1] - sentence_[i]};
    }

private:
    std::vector<std::uint32_t> feature_;
    std::vector<double> wide_;   // empty while every value is 1
    std::vector<float> narrow_;  // the same as float32
    std::vector<std::size_t> token_{0};
    std::vector<std::size_t> sentence_{0};
    std::size_t longest_ = 0;  // tokens of the longest sentence
    std::size_t fullest_ = 0;  // entries of the fullest sentence
};

}  // namespace onlinear::sequence
