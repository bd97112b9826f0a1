#include <algorithm>
#include <array>
#include <cstring>

#include "onlinear/text/bytes.hpp"
#include "onlinear/text/features.hpp"
#include "onlinear/text/unicode.hpp"
#include "onlinear/text/utf8.hpp"

namespace onlinear::text {

namespace {

constexpr std::uint32_t kCapitalDottedI = 0x130;
constexpr std::uint32_t kDotAbove = 0x307;
constexpr std::uint32_t kCapitalSigma = 0x3a3;
constexpr std::uint32_t kSigma = 0x3c3;
constexpr std::uint32_t kFinalSigma = 0x3c2;

/// The character before `p`, which is moved to its start.
std::uint32_t previous_character(const char*& p) noexcept {
    do {
        --p;
    } while ((static_cast<unsigned char>(*p) & 0xc0) == 0x80);
    const char* q = p;
    return next_character(q, p + 4);
}

/// Unicode's Final_Sigma for the capital sigma at `at`: a cased letter before it and none after,
/// looking past what has no case of its own.
bool is_final_sigma(const char* first, const char* at, const char* last) noexcept {
    bool cased_before = false;
    for (const char* p = at; p != first;) {
        const std::uint32_t c = previous_character(p);
        if (is_case_ignorable(c)) continue;
        cased_before = is_cased(c);
        break;
    }
    if (!cased_before) return false;
    for (const char* p = at + 2; p != last;) {  // the sigma itself takes two bytes
        const std::uint32_t c = next_character(p, last);
        if (is_case_ignorable(c)) continue;
        return !is_cased(c);
    }
    return true;
}

/// Calls `put` with the lower case of the character at `p`, one or two characters, and moves past it.
template <class Put>
void lower_at(const char* first, const char*& p, const char* last, Put put) {
    const char* const at = p;
    const std::uint32_t c = next_character(p, last);
    if (c == kCapitalSigma) {
        put(is_final_sigma(first, at, last) ? kFinalSigma : kSigma);
    } else if (c == kCapitalDottedI) {
        put(std::uint32_t{'i'});
        put(kDotAbove);
    } else {
        put(lower_character(c));
    }
}

/// For each byte what it becomes inside a word: 0 when it stands outside of words, `kNotAscii` when it
/// belongs to a longer character.
using WordBytes = std::array<unsigned char, 256>;
constexpr unsigned char kNotAscii = 0xff;

constexpr WordBytes word_bytes(bool lowercase) {
    WordBytes table{};
    for (unsigned c = 0; c < 256; ++c) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        table[c] = static_cast<unsigned char>(word ? (upper && lowercase ? c + 32 : c) : 0);
        if (c >= 0x80) table[c] = kNotAscii;
    }
    return table;
}

constexpr WordBytes kLowerWordBytes = word_bytes(true);
constexpr WordBytes kPlainWordBytes = word_bytes(false);

/// Eight ASCII bytes with A to Z made a to z.
std::uint64_t lower_word(std::uint64_t word) noexcept {
    const std::uint64_t from_a = word + 0x3f3f3f3f3f3f3f3fu;  // bit 7 set from 'A' on
    const std::uint64_t past_z = word + 0x2525252525252525u;  // bit 7 set past 'Z'
    return word | ((from_a & ~past_z & 0x8080808080808080u) >> 2);
}

}  // namespace

void append_lower(std::string_view text, std::string& out) {
    const char* const first = text.data();
    const char* const last = first + text.size();
    for (const char* p = first; p != last;) {
        if (last - p >= 8) {
            const std::uint64_t word = load_word(p);
            if ((word & 0x8080808080808080u) == 0) {
                std::uint64_t lower = lower_word(word);
                if constexpr (std::endian::native == std::endian::big) lower = __builtin_bswap64(lower);
                char bytes[8];
                std::memcpy(bytes, &lower, sizeof bytes);
                out.append(bytes, sizeof bytes);
                p += 8;
                continue;
            }
        }
        lower_at(first, p, last, [&](std::uint32_t c) { append_character(out, c); });
    }
}

void TextFeatures::add_slice(const char* first, const char* last, ParsedRows& out) {
    const std::string_view slice(first, static_cast<std::size_t>(last - first));
    const Place place = place_of(settings_.hash, settings_.bits, slice);
    out.add_entry(place.column, place.sign);
    if (names_ != nullptr && names_->wanted()) names_->add(place.column, place.hash, slice, place.sign < 0);
}

/// Ends the word [first, end) and answers where the next goes: behind it when n-grams need both, else
/// in its place.
char* TextFeatures::end_word(char* first, char* end, int characters, ParsedRows& out) {
    if (characters < 2) return first;  // the pattern is \w\w+
    if (settings_.ngram_min == 1) add_slice(first, end, out);
    if (settings_.ngram_max == 1) return first;
    starts_.push_back(static_cast<std::size_t>(first - joined_.data()));
    *end = ' ';
    return end + 1;
}

void TextFeatures::add_words(std::string_view text, ParsedRows& out) {
    const WordBytes& table = settings_.lowercase ? kLowerWordBytes : kPlainWordBytes;
    const char* const first = text.data();
    const char* const last = first + text.size();
    joined_.resize(2 * text.size() + 8);  // lower case takes at most half as many bytes again
    char* word = joined_.data();
    char* end = word;
    int characters = 0;  // of the word so far; two are as good as more
    const auto finish = [&] {
        if (characters != 0) word = end_word(word, end, characters, out);
        end = word;
        characters = 0;
    };
    const auto take = [&](std::uint32_t c) {
        if (!is_word_character(c)) return finish();
        end = put_character(end, c);
        characters += characters < 2;
    };
    for (const char* p = first; p != last;) {
        const unsigned char byte = table[static_cast<unsigned char>(*p)];
        if (byte == 0) {
            ++p;
            finish();
        } else if (byte != kNotAscii) {
            *end++ = static_cast<char>(byte);
            characters += characters < 2;
            ++p;
        } else if (settings_.lowercase) {
            lower_at(first, p, last, take);
        } else {
            take(next_character(p, last));
        }
    }
    finish();
    starts_.push_back(static_cast<std::size_t>(end - joined_.data()));
    add_word_ngrams(out);
}

void TextFeatures::add_word_ngrams(ParsedRows& out) {
    const std::size_t words = starts_.size() - 1;
    const auto longest = std::min(words, static_cast<std::size_t>(settings_.ngram_max));
    const char* const joined = joined_.data();
    for (auto n = static_cast<std::size_t>(std::max(2, settings_.ngram_min)); n <= longest; ++n) {
        for (std::size_t i = 0; i + n <= words; ++i) {
            add_slice(joined + starts_[i], joined + starts_[i + n] - 1, out);
        }
    }
}

std::string_view TextFeatures::lowered(std::string_view text) {
    if (!settings_.lowercase) return text;
    lowered_.clear();
    append_lower(text, lowered_);
    return lowered_;
}

/// Writes the text with every run of two or more spaces made one blank, and where characters start.
void TextFeatures::cut_characters(std::string_view text) {
    joined_.resize(text.size());
    char* const begin = joined_.data();
    char* end = begin;
    std::size_t run = 0;  // spaces at the end of what was written
    const char* const last = text.data() + text.size();
    for (const char* p = text.data(); p != last;) {
        const char* const at = p;
        const std::uint32_t c = next_character(p, last);
        run = is_space_character(c) ? run + 1 : 0;
        if (run >= 2) {
            end = begin + starts_.back();
            *end++ = ' ';
        } else {
            starts_.push_back(static_cast<std::size_t>(end - begin));
            end = std::copy(at, p, end);
        }
    }
    starts_.push_back(static_cast<std::size_t>(end - begin));
}

void TextFeatures::add_character_ngrams(ParsedRows& out) {
    const std::size_t characters = starts_.size() - 1;
    const auto longest = std::min(characters, static_cast<std::size_t>(settings_.ngram_max));
    const char* const joined = joined_.data();
    for (auto n = static_cast<std::size_t>(settings_.ngram_min); n <= longest; ++n) {
        for (std::size_t i = 0; i + n <= characters; ++i) {
            add_slice(joined + starts_[i], joined + starts_[i + n], out);
        }
    }
}

/// Writes " one two ": every word has a blank on both sides, shared with its neighbours.
void TextFeatures::cut_padded_words(std::string_view text) {
    joined_.resize(text.size() + 2);
    word_ends_.clear();
    char* const begin = joined_.data();
    char* end = begin;
    const auto put = [&](const char* at, const char* p) {
        starts_.push_back(static_cast<std::size_t>(end - begin));
        end = std::copy(at, p, end);
    };
    static constexpr char blank[] = " ";
    put(blank, blank + 1);
    bool in_word = false;
    const auto end_of_word = [&] {
        if (!in_word) return;
        put(blank, blank + 1);
        word_ends_.push_back(starts_.size());
    };
    const char* const last = text.data() + text.size();
    for (const char* p = text.data(); p != last;) {
        const char* const at = p;
        const bool space = is_space_character(next_character(p, last));
        if (space) {
            end_of_word();
        } else {
            put(at, p);
        }
        in_word = !space;
    }
    end_of_word();
    starts_.push_back(static_cast<std::size_t>(end - begin));
}

void TextFeatures::add_padded_ngrams(ParsedRows& out) {
    const char* const joined = joined_.data();
    const auto shortest = static_cast<std::size_t>(settings_.ngram_min);
    const auto longest = static_cast<std::size_t>(settings_.ngram_max);
    std::size_t first = 0;
    for (const std::size_t end : word_ends_) {
        const std::size_t length = end - first;
        for (std::size_t n = shortest; n <= longest; ++n) {
            const std::size_t width = std::min(n, length);
            for (std::size_t i = first; i + width <= end; ++i) {
                add_slice(joined + starts_[i], joined + starts_[i + width], out);
            }
            if (n >= length) break;  // a short word counts once
        }
        first = end - 1;
    }
}

void TextFeatures::add_counts(std::string_view text, ParsedRows& out) {
    const auto begin = static_cast<std::size_t>(out.entries());
    starts_.clear();
    switch (settings_.analyzer) {
        case Analyzer::word:
            add_words(text, out);
            break;
        case Analyzer::character:
            cut_characters(lowered(text));
            add_character_ngrams(out);
            break;
        case Analyzer::character_in_words:
            cut_padded_words(lowered(text));
            add_padded_ngrams(out);
            break;
    }
    out.merge_entries(begin);  // sums of ones are finite
}

void TextFeatures::add(std::string_view text, ParsedRows& out) {
    const auto begin = static_cast<std::size_t>(out.entries());
    add_counts(text, out);
    float* const values = out.values.data() + begin;
    weigh(values, static_cast<std::size_t>(out.entries()) - begin, settings_, values);
}

}  // namespace onlinear::text
