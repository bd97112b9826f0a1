#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

/// The words of hashed columns.
namespace onlinear {

/// Columns and words in the order they came, in runs that are not moved as they fill: a new word costs a copy
/// of its bytes.
class WordList {
public:
    /// A word of at most `kLongest` bytes.
    static constexpr std::size_t kLongest = 4096;
    void add(std::uint32_t column, std::string_view word) {
        const Head head{column, static_cast<std::uint32_t>(word.size())};
        const std::size_t need = sizeof head + word.size();
        if (runs_.empty() || runs_.back().bytes.size() - runs_.back().used < need)
            runs_.push_back({std::vector<char>(std::max(kRun, need))});
        Run& run = runs_.back();
        char* const to = run.bytes.data() + run.used;
        std::memcpy(to, &head, sizeof head);
        copy(word.data(), word.size(), to + sizeof head);
        run.used += need;
        text_ += word.size();
        ++size_;
    }
    std::size_t size() const noexcept { return size_; }
    /// The bytes of all words.
    std::size_t text() const noexcept { return text_; }

    /// An end to go back to.
    struct Mark {
        std::size_t runs = 0, bytes = 0, size = 0, text = 0;
    };

    /// Calls f(column, word) for all.
    template <class F>
    void each(F&& f) const {
        each(f, Mark());
    }

    /// Calls f(column, word) for those behind a mark.
    template <class F>
    void each(F&& f, const Mark& from) const {
        for (std::size_t r = from.runs > 0 ? from.runs - 1 : 0; r < runs_.size(); ++r) {
            const Run& run = runs_[r];
            for (std::size_t at = r + 1 == from.runs ? from.bytes : 0; at < run.used;) {
                Head head;
                std::memcpy(&head, run.bytes.data() + at, sizeof head);
                f(head.column, std::string_view(run.bytes.data() + at + sizeof head, head.size));
                at += sizeof head + head.size;
            }
        }
    }

    Mark mark() const noexcept { return {runs_.size(), runs_.empty() ? 0 : runs_.back().used, size_, text_}; }
    void rewind(const Mark& mark) {
        runs_.resize(mark.runs);
        if (!runs_.empty()) runs_.back().used = mark.bytes;
        size_ = mark.size;
        text_ = mark.text;
    }

private:
    struct Head {
        std::uint32_t column, size;
    };
    struct Run {
        std::vector<char> bytes;
        std::size_t used = 0;
    };
    static constexpr std::size_t kRun = std::size_t{1} << 16;

    /// Words are short: two copies that may overlap take less time than a call.
    static void copy(const char* from, std::size_t size, char* to) noexcept {
        if (size >= 4 && size <= 8) {
            std::uint32_t first, last;
            std::memcpy(&first, from, 4);
            std::memcpy(&last, from + size - 4, 4);
            std::memcpy(to, &first, 4);
            std::memcpy(to + size - 4, &last, 4);
        } else if (size > 8 && size <= 16) {
            std::uint64_t first, last;
            std::memcpy(&first, from, 8);
            std::memcpy(&last, from + size - 8, 8);
            std::memcpy(to, &first, 8);
            std::memcpy(to + size - 8, &last, 8);
        } else {
            std::memcpy(to, from, size);
        }
    }

    std::vector<Run> runs_;
    std::size_t size_ = 0, text_ = 0;
};

/// A set of numbers below some size.
class Bits {
public:
    std::size_t size() const noexcept { return 64 * words_.size(); }
    void resize(std::size_t size) { words_.resize((size + 63) / 64); }
    using Words = const std::uint64_t*;
    Words words() const noexcept { return words_.data(); }
    static bool has(Words words, std::uint32_t number) noexcept {
        return words[number / 64] >> number % 64 & 1;
    }
    /// Puts a number in; false when it was there.
    bool meet(std::uint32_t number) noexcept {
        std::uint64_t& word = words_[number / 64];
        const std::uint64_t bit = std::uint64_t{1} << number % 64;
        if (word & bit) return false;
        word |= bit;
        return true;
    }
    void forget(std::uint32_t number) noexcept { words_[number / 64] &= ~(std::uint64_t{1} << number % 64); }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace onlinear
