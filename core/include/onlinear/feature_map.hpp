#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onlinear/dict_columns.hpp"
#include "onlinear/rows/matrix.hpp"
#include "onlinear/text/hash.hpp"
#include "onlinear/text/meaning.hpp"
#include "onlinear/word_list.hpp"

namespace onlinear {

/// From the features of a dict to columns.
///
/// Whole numbers are columns. Strings are the names of columns when the model knows names, else they are
/// hashed to 2^bits, and the first name seen for a column is remembered, so that models speak in words: up to
/// a number of names, a length of each, and 32 bytes on average, as the readers of files do. Other columns
/// stay nameless.
class FeatureMap {
public:
    int bits = 0;  // 0: strings are not hashed
    text::Hash hash = text::Hash::murmur;
    bool older = false;  // a timestamp is a category, as in models without a schema
    std::size_t max_features = std::size_t{1} << 28;
    std::size_t max_names = std::size_t{1} << 20;
    std::unordered_map<std::string, std::uint32_t> columns;  // named columns

    DictColumns known;  // what keys mean

    std::vector<std::int64_t> index;
    std::vector<double> value;
    std::vector<std::string> fresh;  // named columns the last dict brings
    bool hashed = false;             // whether the last dict had a hashed key
    bool any_hashed = false;         // whether any dict had that was learned
    bool cut = false;                // whether the last dict had a text
    bool any_cut = false;            // whether any had that was learned

    /// Begins a dict; with `learning`, new names are given columns and words noted, both for `commit` to
    /// keep. The weights at `place`, a stretch of `pitch` bytes for each column, are prefetched on the way.
    void begin(bool learning, const char* place = nullptr, std::size_t pitch = 0) {
        forget_uncommitted();
        learning_ = learning;
        place_ = place;
        pitch_ = pitch;
        if (hashes() && learning) make_room();
        clear();
    }

    /// Whether strings are hashed.
    bool hashes() const noexcept { return columns.empty() && bits > 0; }

    /// A feature by its name.
    void add(std::string_view word, double x) {
        if (hashes())
            add_hashed(word, x);
        else
            add_named(std::string(word), x);
    }

    /// A feature by the number of its column.
    void add_column(long long column, double x) {
        if (column < 0)
            throw std::invalid_argument("feature index " + std::to_string(column) + " is negative");
        if (static_cast<std::size_t>(column) >= max_features)
            throw std::invalid_argument("feature index " + std::to_string(column) +
                                        " is past max_features (" + std::to_string(max_features) +
                                        "); name features by strings to hash them, or raise max_features");
        if (learning_ && !columns.empty() && static_cast<std::size_t>(column) >= columns.size())
            throw std::invalid_argument("feature index " + std::to_string(column) + " is past the " +
                                        std::to_string(columns.size()) +
                                        " named columns; name new features by strings");
        push(static_cast<std::uint32_t>(column), x);
    }

    /// Whether keys mean what `known` says.
    bool reads_columns() const noexcept { return hashes() && !older; }

    /// Whether a text alone is an example: where some have been learned.
    bool takes_texts() const noexcept { return reads_columns() && (any_cut || known.of_texts()); }

    /// What a key means; undecided where that is told by its value alone.
    text::Role role(std::string_view name) const noexcept {
        return reads_columns() ? known.role(name) : text::Role::undecided;
    }

    /// The words of a text.
    void add_text(std::string_view document) {
        if (learning_) need_room_for_words();
        hashed = cut = true;
        known.cut(
            document, hash, static_cast<unsigned>(bits), learning_,
            [this](std::uint32_t column, float x) { push(column, static_cast<double>(x)); },
            [this](std::uint32_t column, std::string_view word) { note(column, word); });
    }

    /// A category of a key that was said to hold some: whatever is written is one.
    void add_said_category(std::string_view name, std::string_view category) {
        std::string word(name);
        word += '=';
        word += category;
        add(word, 1.0);
    }

    /// A category: {"colour": "red"} is the feature "colour=red".
    void add_category(std::string_view name, std::string_view category) {
        if (text::is_timestamp(category) && !older)
            throw std::invalid_argument("feature '" + std::string(name) + "' is the time " +
                                        std::string(category) + "; " + kNoTimestamps);
        add_said_category(name, category);
    }

    /// What to do with a time.
    static constexpr const char* kNoTimestamps =
        "take what matters of it as features of their own, such as the hour, and leave it out";

    /// All features of a dict whose strings are hashed, at once and in little time. `each(f)` calls f(word,
    /// x) for `size` of them until it says false, and returns whether it never did; words must stay where
    /// they are meanwhile. False, as if nothing had been added, where there are other than `size`, or
    /// where names are hashed in another way than dicts usually are.
    template <class Each>
    [[gnu::always_inline]] bool add_words(std::size_t size, Each&& each) {
        if (hash != text::Hash::murmur || !known.ordinary()) return false;
        index.resize(size);
        value.resize(size);
        if (met_.size() < size) met_.resize(2 * size);
        // Everything in the loop is local: whatever is written through a pointer, nothing is read again.
        std::int64_t* const to_column = index.data();
        double* const to_value = value.data();
        const char* const place = place_;
        const std::size_t pitch = pitch_;
        const auto width = static_cast<unsigned>(bits);
        std::string_view* const met = met_.data();
        std::size_t met_so_far = 0, found = 0;
        std::uint32_t top = 0;
        bool finite = true;
        const bool plain = each([&](std::string_view word, double x) __attribute__((always_inline)) {
            if (met_so_far == size) [[unlikely]]
                return false;
            const std::uint32_t column = column_of(word, width);
            __builtin_prefetch(place + column * pitch, 1);
            to_column[found] = column;
            to_value[found] = x;
            met[found] = word;
            top = std::max(top, column);
            finite &= is_plain(x);
            found += x != 0;  // a zero is no feature, as in files
            ++met_so_far;
            return true;
        });
        if (!plain || met_so_far != size) {
            clear();
            return false;
        }
        index.resize(found);
        value.resize(found);
        if (learning_ && size > 0) need_room_for_words();
        hashed = size != 0;
        top_ = size != 0 ? static_cast<std::int64_t>(top) : -1;
        finite_ = finite;
        if (learning_ && has_room_for_words()) note_words(found);
        return true;
    }

    /// Keeps the names and words noted; called once the example is known to be good.
    void commit() {
        any_hashed = any_hashed || hashed;
        any_cut = any_cut || cut;
        for (const std::string& word : fresh)
            columns.emplace(word, static_cast<std::uint32_t>(columns.size()));
        keep_words();
    }

    /// The words of hashed columns, in the order in which they came.
    const WordList& words() {
        forget_uncommitted();
        return words_;
    }

    /// The columns that hashed words have room in; 0 where none was met.
    std::size_t hashed_size() const noexcept {
        return hashes() && (hashed || committed_.size > 0) ? std::size_t{1} << bits : 0;
    }

    /// The first value that is not finite in the state's type.
    Refusal inspect(bool single_precision) const noexcept {
        if (finite_) return {};
        for (std::size_t j = 0; j < value.size(); ++j) {
            const double x = value[j];
            if (std::isnan(x)) return {Fault::nan, 0, index[j]};
            if (std::isinf(x)) return {Fault::infinite, 0, index[j]};
            if (single_precision && std::isinf(static_cast<float>(x))) return {Fault::too_large, 0, index[j]};
        }
        return {};
    }

    /// One more than the largest column.
    std::size_t needed() const noexcept { return static_cast<std::size_t>(top_ + 1); }

    /// Leaves out the columns from `features` on: one never learned says nothing about a prediction.
    void drop_unknown(std::size_t features) {
        std::size_t out = 0;
        for (std::size_t j = 0; j < index.size(); ++j)
            if (static_cast<std::size_t>(index[j]) < features) {
                index[out] = index[j];
                value[out++] = value[j];
            }
        index.resize(out);
        value.resize(out);
    }

    /// The dict last read as a matrix of one row.
    Matrix row(std::size_t features) noexcept {
        indptr_[1] = static_cast<std::int64_t>(index.size());
        return {.values = value.data(),
                .value_type = ValueType::f64,
                .indices = index.data(),
                .index_type = IndexType::i64,
                .indptr = indptr_,
                .indptr_type = IndexType::i64,
                .rows = 1,
                .columns = features,
                .entries = index.size()};
    }

    /// Names the columns in their order.
    void name(const std::vector<std::string>& names) {
        columns.clear();
        for (std::size_t i = 0; i < names.size(); ++i)
            columns.emplace(names[i], static_cast<std::uint32_t>(i));
    }

    /// Takes over the word of a column from another model; how many there are is that one's affair.
    void remember(std::string_view word, std::uint32_t column) {
        forget_uncommitted();
        make_room();
        if (word.size() > WordList::kLongest || (column < seen_.size() && !seen_.meet(column))) return;
        words_.add(column, word);
        keep_words();
    }

    /// Whether the names kept may become more.
    bool has_room_for_words() const noexcept {
        return words_.size() < max_names && words_.text() < most_text();
    }

private:
    void clear() {
        index.clear();
        value.clear();
        fresh.clear();
        if (!fresh_places_.empty()) fresh_places_.clear();
        hashed = cut = false;
        top_ = -1;
        finite_ = true;
    }

    void keep_words() { committed_ = words_.mark(); }
    void forget_uncommitted() {
        if (words_.size() == committed_.size) return;
        words_.each([this](std::uint32_t column, std::string_view) { seen_.forget(column); }, committed_);
        words_.rewind(committed_);
    }

    static std::uint32_t column_of(std::string_view word, unsigned bits) noexcept {
        return static_cast<std::uint32_t>(
            text::hashed_column(text::murmur3_32(word.data(), word.size(), 0), bits));
    }

    void need_room_for_words() const {
        const std::size_t room = std::size_t{1} << bits;
        if (room > max_features)
            throw std::invalid_argument("words are hashed to 2^" + std::to_string(bits) + " = " +
                                        std::to_string(room) + " columns, more than max_features (" +
                                        std::to_string(max_features) +
                                        "); lower bits, or raise max_features");
    }

    /// The bytes that all words together may have.
    std::size_t most_text() const noexcept {
        constexpr std::size_t kMeanLength = 32;
        return kMeanLength * std::max(max_names, WordList::kLongest);
    }

    /// Notes the word of a column that has none yet.
    void note(std::uint32_t column, std::string_view word) {
        if (has_room_for_words() && word.size() <= WordList::kLongest &&
            words_.text() + word.size() <= most_text() && seen_.meet(column))
            words_.add(column, word);
    }

    /// Notes the words of the first `size` entries whose columns have none.
    void note_words(std::size_t size) {
        if (unseen_.size() < size) unseen_.resize(2 * size);
        const Bits::Words known = seen_.words();
        const std::int64_t* const column = index.data();
        std::uint32_t* const unseen = unseen_.data();
        std::size_t n_unseen = 0;
        for (std::size_t j = 0; j < size; ++j) {  // without a branch on what cannot be foreseen
            unseen[n_unseen] = static_cast<std::uint32_t>(j);
            n_unseen += !Bits::has(known, static_cast<std::uint32_t>(column[j]));
        }
        for (std::size_t i = 0; i < n_unseen; ++i)
            note(static_cast<std::uint32_t>(column[unseen[i]]), met_[unseen[i]]);
    }

    void add_named(const std::string& word, double x) {
        const auto found = columns.find(word);
        if (found != columns.end()) {
            push(found->second, x);
        } else if (learning_) {
            // {"colour": "red", "colour=red": 1} names one feature twice.
            const auto [met, is_new] = fresh_places_.try_emplace(word, columns.size() + fresh.size());
            push(static_cast<std::uint32_t>(met->second), x);
            if (is_new) fresh.push_back(word);
        }
    }

    void add_hashed(std::string_view word, double x) {
        const text::Place place = text::place_of(hash, static_cast<unsigned>(bits), word);
        const auto column = static_cast<std::uint32_t>(place.column);
        if (learning_) {
            need_room_for_words();
            if (x != 0) note(column, word);
        }
        hashed = true;
        if (x != 0) push(column, static_cast<double>(place.sign) * x);  // a zero is no feature, as in files
    }

    void push(std::uint32_t column, double x) {
        index.push_back(column);
        value.push_back(x);
        top_ = std::max<std::int64_t>(top_, column);
        finite_ &= is_plain(x);
    }
    /// Whether a value is finite in any state's type.
    static bool is_plain(double x) noexcept {
        return std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max());
    }
    void make_room() {
        if (seen_.size() < (std::size_t{1} << bits)) seen_.resize(std::size_t{1} << bits);
    }

    Bits seen_;                          // hashed columns that have a word
    WordList words_;                     // the words, those of the last dict included
    WordList::Mark committed_;           // up to here they are there to stay
    std::vector<std::string_view> met_;  // the words of the dict that is read
    std::vector<std::uint32_t> unseen_;  // which of them belong to columns without a word
    std::unordered_map<std::string, std::size_t> fresh_places_;  // the columns of those in `fresh`
    std::int64_t indptr_[2] = {0, 0};
    bool learning_ = false;
    const char* place_ = nullptr;
    std::size_t pitch_ = 0;
    std::int64_t top_ = -1;  // the largest column of the last dict
    bool finite_ = true;     // whether all its values are finite in any state's type
};

}  // namespace onlinear
