/// Plain text, a document a line: "label TAB text", or fastText's "__label__a __label__b text", or text
/// alone. Unless the user says, the first line tells whether the lines have labels.
#include <cstring>
#include <string>
#include <string_view>

#include "onlinear/text/bytes.hpp"
#include "onlinear/text/features.hpp"
#include "onlinear/text/format.hpp"
#include "onlinear/text/utf8.hpp"

namespace onlinear::text {

namespace {

constexpr std::string_view kPrefix = "__label__";

class Lines final : public LineFormat {
public:
    Lines(const Settings& settings, Tables& tables)
        : LineFormat(settings),
          settings_(settings),
          tables_(tables),
          text_(settings.text, &tables.names),
          labelled_(settings.labelled) {}

    std::vector<std::pair<std::string, std::string>> schema() const override {
        return {{"text", word_of(Role::text)}};
    }
    bool open() const override { return false; }

protected:
    Row row(const char* first, const char* last, ParsedRows& out, LineFault& fault) override;

private:
    bool labels(const char*& first, const char* last, ParsedRows& out, LineFault& fault);
    bool prefixed_labels(const char*& first, const char* last, ParsedRows& out, LineFault& fault);

    const Settings settings_;
    Tables& tables_;
    TextFeatures text_;
    Labelled labelled_;
};

bool has_prefix(const char* first, const char* last) noexcept {
    return std::string_view(first, static_cast<std::size_t>(last - first)).starts_with(kPrefix);
}

bool Lines::prefixed_labels(const char*& first, const char* last, ParsedRows& out, LineFault& fault) {
    bool any = false;
    while (has_prefix(first, last)) {
        const char* const label = first + kPrefix.size();
        const char* stop = label;
        while (stop != last && !is_blank(*stop)) ++stop;
        if (stop == label || (any && !settings_.multilabel)) {
            return fault.set(first, any ? "one label" : "a label behind __label__", quoted(first, stop),
                             any ? "Use multilabel=True (--task multilabel) for rows with several labels."
                                 : "Write it without a blank: __label__spam");
        }
        if (!add_label(label, stop, out, tables_.labels, fault)) return false;
        any = true;
        first = stop;
        while (first != last && is_blank(*first)) ++first;
    }
    return true;
}

bool Lines::labels(const char*& first, const char* last, ParsedRows& out, LineFault& fault) {
    if (has_prefix(first, last)) return prefixed_labels(first, last, out, fault);
    const auto* tab =
        static_cast<const char*>(std::memchr(first, '\t', static_cast<std::size_t>(last - first)));
    if (tab == nullptr) {
        return fault.set(first, "label, tab, text", quoted(first, last),
                         "Put a tab behind the label, or read without labels: labelled=False.");
    }
    const char* const label = first;
    first = tab + 1;
    if (settings_.multilabel) return tab == label || add_label_list(label, tab, out, tables_.labels, fault);
    if (tab == label) return fault.set(label, "a label before the tab", "nothing", "Label the line.");
    return add_label(label, tab, out, tables_.labels, fault);
}

LineFormat::Row Lines::row(const char* first, const char* last, ParsedRows& out, LineFault& fault) {
    if (labelled_ == Labelled::as_found) {
        const auto size = static_cast<std::size_t>(last - first);
        const bool labelled = has_prefix(first, last) || std::memchr(first, '\t', size) != nullptr;
        labelled_ = labelled ? Labelled::always : Labelled::never;
    }
    if (labelled_ == Labelled::never) {
        if (!settings_.multilabel) out.add_missing_label();
    } else {
        if (first == last) return Row::nothing;
        if (!labels(first, last, out, fault)) return Row::fault;
    }
    if (const char* invalid = find_invalid_utf8(first, last); invalid != last) {
        fault.set(invalid, "UTF-8 text", quoted(invalid, invalid + 1), "Convert the file to UTF-8.");
        return Row::fault;
    }
    text_.add({first, static_cast<std::size_t>(last - first)}, out);
    return Row::added;
}

}  // namespace

std::unique_ptr<Format> make_lines(const Settings& settings, Tables& tables) {
    return std::make_unique<Lines>(settings, tables);
}

}  // namespace onlinear::text
