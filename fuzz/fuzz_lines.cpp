// Plain text lines, and with them the tokenizer and hasher, against lists of characters.
#include "harness.hpp"
#include "reference_text.hpp"

using namespace onlinear;
using fuzz::Row;
using fuzz::Verdict;

namespace {

constexpr const char* kPrefix = "__label__";

bool add_list(const std::string& list, Row& row) {
    for (std::size_t at = 0;;) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        const auto label = fuzz::label(list.substr(at, comma - at));
        if (!label || comma == at) return false;
        row.labels.push_back(*label);
        if (comma == list.size()) return true;
        at = comma + 1;
    }
}

bool take_labels(std::string& line, const text::Settings& settings, Row& row) {
    if (line.starts_with(kPrefix)) {
        while (line.starts_with(kPrefix)) {
            const std::size_t end = std::min(line.find_first_of(" \t\r", 9), line.size());
            const auto label = fuzz::label(line.substr(9, end - 9));
            if (end == 9 || !label || (!settings.multilabel && !row.labels.empty())) return false;
            row.labels.push_back(*label);
            line.erase(0, std::min(line.find_first_not_of(" \t\r", end), line.size()));
        }
        return true;
    }
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) return false;
    const std::string labels = line.substr(0, tab);
    line.erase(0, tab + 1);
    if (settings.multilabel) return labels.empty() || add_list(labels, row);
    const auto label = fuzz::label(labels);
    if (labels.empty() || !label) return false;
    row.labels.push_back(*label);
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4 || size > 4096) return 0;
    text::Settings settings;
    settings.bits = 1 + (data[0] & 7);
    settings.multilabel = data[0] & 8;
    settings.labelled = fuzz::labelled_of(data[0] >> 4);
    settings.text = fuzz::text_settings_of(data[2], data[3]);
    settings.text.bits = settings.bits;
    const std::string_view input(reinterpret_cast<const char*>(data) + 4, size - 4);
    const fuzz::Result got = fuzz::run_twice(text::make_lines, settings, input, data[1]);
    text::Labelled labelled = settings.labelled;
    fuzz::compare(got, input, [&](std::string line, Row& row) {
        if (labelled == text::Labelled::as_found) {
            const bool has = line.starts_with(kPrefix) || line.find('\t') != std::string::npos;
            labelled = has ? text::Labelled::always : text::Labelled::never;
        }
        if (labelled == text::Labelled::never) {
            if (!settings.multilabel) row.labels.push_back("none");
        } else {
            if (line.empty()) return Verdict::nothing;
            if (!take_labels(line, settings, row)) return Verdict::refused;
        }
        if (!fuzz::is_utf8(line)) return Verdict::refused;
        fuzz::add_text(row, line, settings.text);
        return Verdict::row;
    });
    return 0;
}
