#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness.hpp"
#include "onlinear/text/features.hpp"
#include "onlinear/text/unicode.hpp"
#include "onlinear/text/utf8.hpp"

/// Text features as scikit-learn's documentation describes them, on lists of characters.
namespace onlinear::fuzz {

using Characters = std::u32string;

inline Characters decode(const std::string& text) {
    Characters out;
    for (const char *p = text.data(), *last = p + text.size(); p != last;)
        out += text::next_character(p, last);
    return out;
}

inline std::string encode(const Characters& characters) {
    std::string out;
    for (const char32_t c : characters) text::append_character(out, c);
    return out;
}

inline Characters lower(const Characters& in) {
    Characters out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (in[i] == 0x130) {
            out += U"i\x307";
        } else if (in[i] == 0x3a3) {
            std::ptrdiff_t before = static_cast<std::ptrdiff_t>(i) - 1;
            while (before >= 0 && text::is_case_ignorable(in[static_cast<std::size_t>(before)])) --before;
            std::size_t after = i + 1;
            while (after < in.size() && text::is_case_ignorable(in[after])) ++after;
            const bool final = before >= 0 && text::is_cased(in[static_cast<std::size_t>(before)]) &&
                               (after == in.size() || !text::is_cased(in[after]));
            out += final ? char32_t{0x3c2} : char32_t{0x3c3};
        } else {
            out += text::lower_character(in[i]);
        }
    }
    return out;
}

inline std::vector<Characters> words(const Characters& in) {
    std::vector<Characters> out;
    Characters word;
    for (std::size_t i = 0; i <= in.size(); ++i) {
        if (i < in.size() && text::is_word_character(in[i])) {
            word += in[i];
            continue;
        }
        if (word.size() >= 2) out.push_back(word);
        word.clear();
    }
    return out;
}

inline std::vector<std::string> ngrams(const std::string& document, const text::TextSettings& settings) {
    Characters in = decode(document);
    if (settings.lowercase) in = lower(in);
    std::vector<std::string> out;
    const auto low = static_cast<std::size_t>(settings.ngram_min);
    const auto high = static_cast<std::size_t>(settings.ngram_max);
    if (settings.analyzer == text::Analyzer::word) {
        const std::vector<Characters> all = words(in);
        for (std::size_t n = low; n <= high; ++n) {
            for (std::size_t i = 0; i + n <= all.size(); ++i) {
                Characters joined = all[i];
                for (std::size_t k = 1; k < n; ++k) joined += U" " + all[i + k];
                out.push_back(encode(joined));
            }
        }
        return out;
    }
    Characters folded;
    for (std::size_t i = 0; i < in.size();) {
        std::size_t end = i;
        while (end < in.size() && text::is_space_character(in[end])) ++end;
        if (end - i >= 2) {
            folded += U' ';
            i = end;
        } else {
            folded += in[i++];
        }
    }
    if (settings.analyzer == text::Analyzer::character) {
        for (std::size_t n = low; n <= high; ++n) {
            for (std::size_t i = 0; i + n <= folded.size(); ++i) out.push_back(encode(folded.substr(i, n)));
        }
        return out;
    }
    Characters word;
    for (std::size_t i = 0; i <= folded.size(); ++i) {
        if (i < folded.size() && !text::is_space_character(folded[i])) {
            word += folded[i];
            continue;
        }
        if (!word.empty()) {
            word = U" " + word + U" ";
            for (std::size_t n = low; n <= high; ++n) {
                out.push_back(encode(word.substr(0, n)));
                for (std::size_t k = 1; k + n <= word.size(); ++k) out.push_back(encode(word.substr(k, n)));
                if (n >= word.size()) break;
            }
        }
        word.clear();
    }
    return out;
}

/// Adds a document's features to a row.
inline void add_text(Row& row, const std::string& document, const text::TextSettings& settings) {
    std::map<std::int32_t, float> counts;
    for (const std::string& ngram : ngrams(document, settings)) {
        const std::uint32_t hash = text::murmur3_32(ngram.data(), ngram.size(), 0);
        const auto column = static_cast<std::int32_t>(text::hashed_column(hash, settings.bits));
        counts[column] += settings.hash == text::Hash::murmur_signed ? text::hash_sign(hash) : 1.0f;
    }
    double squares = 0;
    for (auto& [column, value] : counts) {
        if (settings.weighting == text::Weighting::binary) value = 1;
        if (settings.weighting == text::Weighting::log) {
            value =
                static_cast<float>(std::copysign(std::log1p(std::fabs(static_cast<double>(value))), value));
        }
        squares += static_cast<double>(value * value);
    }
    const double length = settings.l2 && squares != 0 ? std::sqrt(squares) : 1.0;
    for (const auto& [column, value] : counts) {
        add_feature(row, column, static_cast<float>(static_cast<double>(value) / length));
    }
}

inline text::TextSettings text_settings_of(std::uint8_t a, std::uint8_t b) {
    text::TextSettings settings;
    settings.analyzer = a % 3 == 0   ? text::Analyzer::word
                        : a % 3 == 1 ? text::Analyzer::character
                                     : text::Analyzer::character_in_words;
    settings.ngram_min = 1 + (a >> 2) % 3;
    settings.ngram_max = settings.ngram_min + (a >> 4) % 3;
    settings.lowercase = !(b & 1);
    settings.hash = b & 2 ? text::Hash::murmur : text::Hash::murmur_signed;
    settings.l2 = !(b & 4);
    settings.weighting = b % 3 == 0   ? text::Weighting::count
                         : b % 3 == 1 ? text::Weighting::binary
                                      : text::Weighting::log;
    return settings;
}

}  // namespace onlinear::fuzz
