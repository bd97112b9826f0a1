// svmlight against a parser made of split and strtod.
#include "harness.hpp"

using namespace onlinear;
using fuzz::Row;
using fuzz::Verdict;

namespace {

std::optional<std::int32_t> column_of(const std::string& index, const text::Settings& settings) {
    if (index.empty() || index.find_first_not_of("0123456789") != std::string::npos) return {};
    const std::size_t significant = std::min(index.find_first_not_of('0'), index.size() - 1);
    if (index.size() - significant > 19) return {};
    std::uint64_t number = std::strtoull(index.c_str(), nullptr, 10);
    if (!settings.zero_based && number-- == 0) return {};
    if (settings.bits != 0) return static_cast<std::int32_t>(text::hashed_index(number, settings.bits));
    if (number >= settings.max_features) return {};
    return static_cast<std::int32_t>(number);
}

bool add_labels(const std::string& token, const text::Settings& settings, Row& row) {
    if (!settings.multilabel) {
        const bool list = token.find(',') != std::string::npos && token[0] >= '0' && token[0] <= '9';
        const auto label = fuzz::label(token);
        if (!label || list) return false;
        row.labels.push_back(*label);
        return true;
    }
    for (std::size_t at = 0;;) {
        const std::size_t comma = std::min(token.find(',', at), token.size());
        const auto label = fuzz::label(token.substr(at, comma - at));
        if (!label || comma == at) return false;
        row.labels.push_back(*label);
        if (comma == token.size()) return true;
        at = comma + 1;
    }
}

Verdict read_line(std::string line, const text::Settings& settings, Row& row) {
    line = line.substr(0, line.find('#'));
    std::vector<std::string> tokens = fuzz::split(line, " \t\r");
    if (tokens.empty()) return Verdict::nothing;
    const bool blank_first = std::string_view(" \t\r").find(line[0]) != std::string_view::npos;
    // A control character ends the label for the parser; the reference sees it inside of the token.
    const bool has_label = settings.labelled != text::Labelled::never &&
                           tokens[0].find(':') == std::string::npos && !(settings.multilabel && blank_first);
    if (has_label) {
        if (!add_labels(tokens[0], settings, row)) return Verdict::refused;
        tokens.erase(tokens.begin());
    } else if (!settings.multilabel) {
        if (settings.labelled == text::Labelled::always) return Verdict::refused;
        row.labels.push_back("none");
    }
    bool finite = true;
    for (const std::string& token : tokens) {
        const std::size_t colon = token.find(':');
        if (colon == std::string::npos) return Verdict::refused;
        if (token.substr(0, colon) == "qid") {
            for (const char c : token) {
                if (static_cast<unsigned char>(c) <= ' ') return Verdict::refused;
            }
            continue;
        }
        const auto column = column_of(token.substr(0, colon), settings);
        const auto value = fuzz::to_float(token.substr(colon + 1));
        if (!column || !value) return Verdict::refused;
        finite = fuzz::add_feature(row, *column, *value) && finite;
    }
    return finite ? Verdict::row : Verdict::refused;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 4096) return 0;
    text::Settings settings;
    settings.zero_based = data[0] & 1;
    settings.multilabel = data[0] & 2;
    settings.bits = data[0] & 4 ? 7 : 0;
    settings.max_features = data[0] & 8 ? 1000 : std::uint64_t{1} << 28;
    settings.labelled = fuzz::labelled_of(data[0] >> 4);
    const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
    const fuzz::Result got = fuzz::run_twice(text::make_svmlight, settings, input, data[1]);
    fuzz::compare(got, input,
                  [&](const std::string& line, Row& row) { return read_line(line, settings, row); });
    return 0;
}
