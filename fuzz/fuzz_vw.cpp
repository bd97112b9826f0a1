// Vowpal Wabbit's text against a parser made of split and strtod.
#include "harness.hpp"

using namespace onlinear;
using fuzz::Row;
using fuzz::Verdict;

namespace {

std::uint32_t hash_of(const std::string& name, std::uint32_t seed) {
    if (name.find_first_not_of("0123456789") != std::string::npos) {
        return text::murmur3_32(name.data(), name.size(), seed);
    }
    std::uint32_t number = 0;
    for (const char c : name) number = number * 10 + static_cast<std::uint32_t>(c - '0');
    return number + seed;
}

/// The column of a feature and its sign: by Vowpal Wabbit's hash, or by the name it shows.
std::pair<std::int32_t, float> place_of(const std::string& space, const std::string& name,
                                        std::uint32_t nameless, const text::Settings& settings) {
    if (settings.hash == text::Hash::vw) {
        const std::uint32_t seed = hash_of(space, 0);
        const std::uint32_t hash = name.empty() ? seed + nameless : hash_of(name, seed);
        return {static_cast<std::int32_t>(hash & ((1u << settings.bits) - 1)), 1.0f};
    }
    const std::string shown =
        (space.empty() ? space : space + '^') + (name.empty() ? std::to_string(nameless) : name);
    const std::uint32_t hash = text::murmur3_32(shown.data(), shown.size(), 0);
    return {static_cast<std::int32_t>(text::hashed_column(hash, settings.bits)),
            settings.hash == text::Hash::murmur_signed ? text::hash_sign(hash) : 1.0f};
}

bool add_label(const std::string& token, const text::Settings& settings, Row& row) {
    if (token.find(':') != std::string::npos) return false;
    std::size_t at = 0;
    for (;;) {
        const std::size_t comma =
            settings.multilabel ? std::min(token.find(',', at), token.size()) : token.size();
        const auto label = fuzz::label(token.substr(at, comma - at));
        if (!label || (settings.multilabel && comma == at)) return false;
        row.labels.push_back(*label);
        if (comma == token.size()) return true;
        at = comma + 1;
    }
}

bool read_head(const std::string& head, const text::Settings& settings, Row& row) {
    const std::vector<std::string> tokens = fuzz::split(head, " \t\r");
    const bool touches =
        !head.empty() && std::string_view(" \t\r").find(head.back()) == std::string_view::npos;
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i][0] == '\'' || (touches && i + 1 == tokens.size())) {
            const std::string tag = tokens[i].substr(tokens[i][0] == '\'');
            if (!fuzz::is_utf8(tag)) return false;
            row.tag += tag;
        } else {
            fields.push_back(tokens[i]);
        }
    }
    const bool wanted = settings.labelled != text::Labelled::never;
    if (fields.size() > 2) return false;
    if (wanted && !fields.empty() && !add_label(fields[0], settings, row)) return false;
    if (fields.size() == 2) {
        const auto weight = fuzz::to_double(fields[1]);
        if (!weight || *weight < 0) return false;
        row.weight = std::bit_cast<std::uint64_t>(*weight);
    }
    if (wanted && !fields.empty()) return true;
    if (settings.multilabel) return true;
    row.labels.push_back("none");
    return settings.labelled != text::Labelled::always;
}

/// Splits "name:value"; the value is 1 when there is none.
bool read_pair(const std::string& token, std::string& name, float& value) {
    const std::size_t colon = token.find(':');
    name = token.substr(0, colon);
    if (!fuzz::is_utf8(name)) return false;
    value = 1;
    if (colon == std::string::npos) return true;
    const auto number = fuzz::to_float(token.substr(colon + 1));
    if (number) value = *number;
    return number.has_value();
}

Verdict read_line(const std::string& line, const text::Settings& settings, Row& row) {
    if (fuzz::split(line, " \t\r").empty()) return Verdict::nothing;
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos || !read_head(line.substr(0, bar), settings, row)) return Verdict::refused;
    bool finite = true;
    for (std::size_t at = bar; at < line.size();) {
        const std::size_t next = std::min(line.find('|', at + 1), line.size());
        std::string section = line.substr(at + 1, next - at - 1);
        at = next;
        std::string space;
        std::string name;
        float scale = 1;
        std::vector<std::string> tokens = fuzz::split(section, " \t\r");
        if (!section.empty() && std::string_view(" \t\r").find(section[0]) == std::string_view::npos) {
            if (!read_pair(tokens[0], space, scale)) return Verdict::refused;
            tokens.erase(tokens.begin());
        }
        std::uint32_t nameless = 0;
        for (const std::string& token : tokens) {
            float value = 1;
            if (!read_pair(token, name, value)) return Verdict::refused;
            const auto [column, sign] = place_of(space, name, nameless, settings);
            nameless += name.empty();
            value *= scale;
            if (std::isinf(value)) return Verdict::refused;
            if (value != 0) finite = fuzz::add_feature(row, column, sign * value) && finite;
        }
    }
    return finite ? Verdict::row : Verdict::refused;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 4096) return 0;
    text::Settings settings;
    settings.bits = 1 + (data[0] & 15);
    settings.multilabel = data[0] & 16;
    settings.labelled = fuzz::labelled_of(data[0] >> 5);
    settings.hash = data[1] & 128  ? text::Hash::vw
                    : data[1] & 64 ? text::Hash::murmur_signed
                                   : text::Hash::murmur;
    const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
    const fuzz::Result got = fuzz::run_twice(text::make_vw, settings, input, data[1]);
    fuzz::compare(got, input,
                  [&](const std::string& line, Row& row) { return read_line(line, settings, row); });
    return 0;
}
