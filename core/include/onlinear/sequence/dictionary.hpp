#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onlinear/text/murmur3.hpp"

namespace onlinear::sequence {

/// Strings and their numbers, handed out in the order in which they come.
class Dictionary {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    Dictionary() { clear(); }

    std::size_t size() const noexcept { return hash_.size(); }
    std::string_view operator[](std::size_t id) const noexcept {
        return {text_.data() + start_[id], start_[id + 1] - start_[id]};
    }

    /// The number of a word, or `kNone`.
    std::uint32_t find(std::string_view word) const noexcept { return table_[place(word, hash_of(word))]; }

    /// The number of a word, new if it has none yet.
    std::uint32_t add(std::string_view word) {
        const std::uint32_t hash = hash_of(word);
        std::size_t i = place(word, hash);
        if (table_[i] != kNone) return table_[i];
        if (2 * (size() + 1) > table_.size()) {
            rehash(2 * table_.size());
            i = place(word, hash);
        }
        text_.insert(text_.end(), word.begin(), word.end());
        start_.push_back(text_.size());
        hash_.push_back(hash);
        return table_[i] = static_cast<std::uint32_t>(size() - 1);
    }

    /// Forgets all but the first `count` words.
    void truncate(std::size_t count) {
        if (count >= size()) return;
        hash_.resize(count);
        start_.resize(count + 1);
        text_.resize(start_.back());
        rehash(table_.size());
    }

    void clear() {
        text_.clear();
        hash_.clear();
        start_.assign(1, 0);
        table_.assign(64, kNone);
    }

    /// All words in one piece, and where each begins.
    const std::vector<char>& text() const noexcept { return text_; }
    const std::vector<std::size_t>& starts() const noexcept { return start_; }

private:
    static std::uint32_t hash_of(std::string_view word) noexcept {
        return text::murmur3_32(word.data(), word.size(), 0);
    }

    /// Where the word stands, or the free place where it would.
    std::size_t place(std::string_view word, std::uint32_t hash) const noexcept {
        const std::size_t mask = table_.size() - 1;
        std::size_t i = hash & mask;
        while (table_[i] != kNone && !(hash_[table_[i]] == hash && (*this)[table_[i]] == word))
            i = (i + 1) & mask;
        return i;
    }

    void rehash(std::size_t size) {
        table_.assign(size, kNone);
        for (std::uint32_t id = 0; id < hash_.size(); ++id) {
            std::size_t i = hash_[id] & (size - 1);
            while (table_[i] != kNone) i = (i + 1) & (size - 1);
            table_[i] = id;
        }
    }

    std::vector<char> text_;
    std::vector<std::size_t> start_;
    std::vector<std::uint32_t> hash_;
    std::vector<std::uint32_t> table_;
};

}  // namespace onlinear::sequence
