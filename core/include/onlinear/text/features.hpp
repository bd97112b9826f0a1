#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onlinear/text/batch.hpp"
#include "onlinear/text/names.hpp"
#include "onlinear/text/settings.hpp"

namespace onlinear::text {

/// Lower case as Python's str.lower gives it, appended to `out`. The text must be UTF-8.
void append_lower(std::string_view text, std::string& out);

/// Text to hashed features: the columns, signs and values of scikit-learn's HashingVectorizer.
///
/// The words of a document are written one behind the other with a blank between, so that an n-gram of
/// words is a slice of that buffer and is hashed without a copy. Characters are the same with the
/// document itself.
class TextFeatures {
public:
    explicit TextFeatures(const TextSettings& settings, NameTable* names = nullptr)
        : settings_(settings), names_(names) {}

    const TextSettings& settings() const noexcept { return settings_; }

    /// Adds a document's features to the batch's open row, weighed and normalised. Must be UTF-8.
    void add(std::string_view text, ParsedRows& out);

    /// Adds its summed counts alone.
    void add_counts(std::string_view text, ParsedRows& out);

private:
    void add_words(std::string_view text, ParsedRows& out);
    char* end_word(char* first, char* end, int characters, ParsedRows& out);
    void add_word_ngrams(ParsedRows& out);
    void cut_characters(std::string_view text);
    void add_character_ngrams(ParsedRows& out);
    void cut_padded_words(std::string_view text);
    void add_padded_ngrams(ParsedRows& out);
    void add_slice(const char* first, const char* last, ParsedRows& out);
    std::string_view lowered(std::string_view text);

    const TextSettings settings_;
    NameTable* const names_;
    std::string lowered_;
    Array<char> joined_;                  ///< words, or the text with its spaces folded
    std::vector<std::size_t> starts_;     ///< of each word or character in `joined_`, and their end
    std::vector<std::size_t> word_ends_;  ///< with padded words: where each ends in `starts_`
};

/// Turns counts into values: the weighting first, then the division by the row's length.
template <class Real>
void weigh(const float* counts, std::size_t size, const TextSettings& settings, Real* values) {
    double squares = 0;
    for (std::size_t i = 0; i < size; ++i) {
        Real value = static_cast<Real>(counts[i]);
        if (settings.weighting == Weighting::binary) value = 1;
        if (settings.weighting == Weighting::log) {
            const double log = std::log1p(std::fabs(static_cast<double>(value)));
            value = static_cast<Real>(std::copysign(log, static_cast<double>(value)));
        }
        values[i] = value;
        squares += static_cast<double>(value * value);
    }
    if (!settings.l2 || squares == 0) return;
    const double length = std::sqrt(squares);
    for (std::size_t i = 0; i < size; ++i) {
        values[i] = static_cast<Real>(static_cast<double>(values[i]) / length);
    }
}

}  // namespace onlinear::text
