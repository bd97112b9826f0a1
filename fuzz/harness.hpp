#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "onlinear/text/murmur3.hpp"
#include "onlinear/text/reader.hpp"

/// What the fuzz targets share: the readers run over one input in two ways, rows that can be compared,
/// and the smallest possible reference for what all formats have in common.
namespace onlinear::fuzz {

using text::Settings;

[[noreturn]] inline void fail(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::abort();
}

inline void require(bool truth, const char* why) {
    if (!truth) fail(why);
}

/// A row as text and maps, with the bits of its numbers: for exact comparison.
struct Row {
    std::int64_t line = 0;
    std::vector<std::string> labels;
    std::map<std::int32_t, std::uint32_t> features;
    std::uint64_t weight = std::bit_cast<std::uint64_t>(1.0);
    std::string tag;

    bool operator==(const Row&) const = default;

    std::string show() const {
        std::string out = "line " + std::to_string(line) + " labels";
        for (const std::string& label : labels) out += " [" + label + "]";
        for (const auto& [column, bits] : features) {
            out += " " + std::to_string(column) + ":" + std::to_string(std::bit_cast<float>(bits));
        }
        return out + " weight " + std::to_string(std::bit_cast<double>(weight)) + " tag [" + tag + "]";
    }
};

inline std::string show_number(double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%a", number + 0.0);
    return text;
}

struct Result {
    std::vector<Row> rows;
    std::vector<std::int64_t> refused;

    bool operator==(const Result&) const = default;
};

using Make = std::unique_ptr<text::Format> (*)(const Settings&, text::Tables&);

inline void check_batch(const text::ParsedRows& batch) {
    const auto rows = static_cast<std::size_t>(batch.rows());
    require(batch.indptr.size() == rows + 1 && batch.label_indptr.size() == rows + 1,
            "indptr has another length");
    require(batch.tag_ends.size() == rows + 1 && batch.weights.size() == rows,
            "a row lacks a tag or a weight");
    require(batch.indices.size() == batch.values.size(), "indices and values differ in length");
    require(batch.indptr.back() == batch.entries(), "indptr does not end at the entries");
    require(batch.labels.size() == batch.label_ids.size(), "labels and their numbers differ in length");
    require(batch.label_indptr.back() == static_cast<std::int64_t>(batch.labels.size()),
            "labels are left over");
}

inline void collect(const text::ParsedRows& batch, const text::Tables& tables, const Settings& settings,
                    Result& out) {
    check_batch(batch);
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.rows()); ++i) {
        Row row;
        row.line = batch.lines[i];
        for (auto k = static_cast<std::size_t>(batch.label_indptr[i]);
             k < static_cast<std::size_t>(batch.label_indptr[i + 1]); ++k) {
            row.labels.push_back(batch.label_ids[k] < 0
                                     ? (std::isnan(batch.labels[k]) ? "none" : show_number(batch.labels[k]))
                                     : tables.labels.texts()[static_cast<std::size_t>(batch.label_ids[k])]);
        }
        std::int32_t previous = -1;
        for (auto k = static_cast<std::size_t>(batch.indptr[i]);
             k < static_cast<std::size_t>(batch.indptr[i + 1]); ++k) {
            require(batch.indices[k] > previous, "columns do not rise");
            require(std::isfinite(batch.values[k]), "a value is not finite");
            const std::uint64_t columns =
                settings.bits == 0 ? settings.max_features : std::uint64_t{1} << settings.bits;
            require(static_cast<std::uint64_t>(batch.indices[k]) < columns, "a column is out of range");
            previous = batch.indices[k];
            row.features[previous] = std::bit_cast<std::uint32_t>(batch.values[k]);
        }
        row.weight = std::bit_cast<std::uint64_t>(batch.weights[i]);
        row.tag = batch.tags.substr(static_cast<std::size_t>(batch.tag_ends[i]),
                                    static_cast<std::size_t>(batch.tag_ends[i + 1] - batch.tag_ends[i]));
        out.rows.push_back(std::move(row));
    }
}

/// Reads all of `data` in blocks of `block` bytes and batches of `batch_rows` rows, passing over bad lines.
inline Result run(Make make, const Settings& settings, std::string_view data, std::size_t block,
                  std::int64_t batch_rows) {
    Result result;
    text::Tables tables{{}, text::NameTable(64)};
    text::Reader reader(make(settings, tables), {batch_rows, std::int64_t{1} << 40}, {true, 0},
                        settings.max_line);
    text::ParsedRows batch;
    std::size_t at = 0;
    for (;;) {
        const text::Reader::State state = reader.read(batch);
        if (state == text::Reader::State::hungry) {
            const std::size_t size = std::min(block, data.size() - at);
            if (size == 0) {
                reader.finish();
                continue;
            }
            std::memcpy(reader.room(size), data.data() + at, size);
            reader.commit(size);
            at += size;
            continue;
        }
        collect(batch, tables, settings, result);
        batch.clear();
        if (state != text::Reader::State::full) break;
    }
    for (const text::Problem& problem : reader.problems()) {
        require(problem.line >= 1 && problem.column >= 1, "a problem has no place");
        require(!problem.expected.empty() && !problem.found.empty() && !problem.remedy.empty(),
                "a problem has no words");
        result.refused.push_back(problem.line);
    }
    return result;
}

/// Runs the reader whole and in pieces; both must see the same.
inline Result run_twice(Make make, const Settings& settings, std::string_view data, std::uint8_t cut) {
    const Result whole = run(make, settings, data, data.size() + 1, std::int64_t{1} << 40);
    const Result pieces = run(make, settings, data, 1 + cut % 61, 1 + cut % 3);
    if (whole == pieces) return whole;
    for (const Row& row : whole.rows) std::fprintf(stderr, "whole:  %s\n", row.show().c_str());
    for (const Row& row : pieces.rows) std::fprintf(stderr, "pieces: %s\n", row.show().c_str());
    fail("blocks change the result");
}

/// Compares with a reference that reads a line alone: the rows it makes, or nothing for a bad one.
enum class Verdict { row, nothing, refused };
using ReadLine = std::function<Verdict(const std::string& line, Row& row)>;

inline void compare(const Result& got, std::string_view data, const ReadLine& read_line) {
    if (data.starts_with("\xff\xfe") || data.starts_with("\xfe\xff")) return;  // refused as a whole
    if (data.starts_with("\xef\xbb\xbf")) data.remove_prefix(3);
    Result expected;
    std::int64_t number = 1;
    for (std::size_t at = 0; at < data.size(); ++number) {
        const std::size_t newline = std::min(data.find('\n', at), data.size());
        std::string line(data.substr(at, newline - at));
        at = newline + 1;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        Row row;
        row.line = number;
        switch (read_line(line, row)) {
            case Verdict::row:
                expected.rows.push_back(row);
                break;
            case Verdict::refused:
                expected.refused.push_back(number);
                break;
            case Verdict::nothing:
                break;
        }
    }
    expected.refused.resize(std::min<std::size_t>(expected.refused.size(), text::Reader::kKeptProblems));
    if (got == expected) return;
    for (const Row& row : expected.rows) std::fprintf(stderr, "expected: %s\n", row.show().c_str());
    for (const Row& row : got.rows) std::fprintf(stderr, "got:      %s\n", row.show().c_str());
    for (const std::int64_t line : expected.refused)
        std::fprintf(stderr, "expected to refuse line %ld\n", long(line));
    for (const std::int64_t line : got.refused) std::fprintf(stderr, "refused line %ld\n", long(line));
    fail("the reference reads it otherwise");
}

// The reference: plain strings, strtof and strtod.

inline std::vector<std::string> split(const std::string& text, std::string_view separators) {
    std::vector<std::string> parts;
    std::string part;
    for (const char c : text) {
        if (separators.find(c) == std::string_view::npos) {
            part += c;
        } else if (!part.empty()) {
            parts.push_back(std::move(part));
            part.clear();
        }
    }
    if (!part.empty()) parts.push_back(std::move(part));
    return parts;
}

/// Whether the text is a decimal number in our grammar; strtod takes more than that.
inline bool is_decimal(const std::string& text) {
    std::size_t i = 0;
    const auto digits = [&] {
        const std::size_t from = i;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        return i - from;
    };
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    std::size_t count = digits();
    if (i < text.size() && text[i] == '.') {
        ++i;
        count += digits();
    }
    if (count == 0) return false;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
        if (digits() == 0) return false;
    }
    return i == text.size();
}

inline std::optional<float> to_float(const std::string& text) {
    if (!is_decimal(text)) return {};
    const float value = std::strtof(text.c_str(), nullptr);
    if (std::isinf(value)) return {};
    return value;
}

inline std::optional<double> to_double(const std::string& text) {
    if (!is_decimal(text)) return {};
    const double value = std::strtod(text.c_str(), nullptr);
    if (std::isinf(value)) return {};
    return value;
}

inline bool is_utf8(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t length = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
        if (length == 0 || i + length > text.size()) return false;
        std::uint32_t code = length == 1 ? c : c & (0x7fu >> length);
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if (next >> 6 != 2) return false;
            code = code << 6 | (next & 0x3f);
        }
        static constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
        i += length;
    }
    return true;
}

/// A label as `collect` shows it, or nothing when it must be refused.
inline std::optional<std::string> label(const std::string& text) {
    if (is_decimal(text)) {
        const double value = std::strtod(text.c_str(), nullptr);
        if (std::isinf(value)) return {};
        return show_number(value);
    }
    std::string word = text;
    if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.erase(0, 1);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return static_cast<char>(c | 0x20); });
    if (word == "nan" || word == "inf" || word == "infinity") return {};
    const bool control = std::any_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (text.size() > 1024 || control || !is_utf8(text)) return {};
    return text;
}

/// A date, a blank or a T, hours and minutes.
inline bool is_time(const std::string& text) {
    static const std::regex form("[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}");
    return std::regex_match(text.substr(0, 16), form);
}

/// Adds in the order of the file; answers false when the sum is not finite.
inline bool add_feature(Row& row, std::int32_t column, float value) {
    const auto [place, fresh] = row.features.try_emplace(column, std::bit_cast<std::uint32_t>(value));
    if (!fresh) place->second = std::bit_cast<std::uint32_t>(std::bit_cast<float>(place->second) + value);
    return std::isfinite(std::bit_cast<float>(place->second));
}

inline text::Labelled labelled_of(std::uint8_t choice) {
    return choice % 3 == 0   ? text::Labelled::as_found
           : choice % 3 == 1 ? text::Labelled::always
                             : text::Labelled::never;
}

}  // namespace onlinear::fuzz
