#include <algorithm>
#include <cstring>

#include "onlinear/text/labels.hpp"
#include "onlinear/text/number.hpp"
#include "onlinear/text/utf8.hpp"

namespace onlinear::text {

std::int32_t LabelTable::id(std::string_view label) {
    if (const auto known = ids_.find(label); known != ids_.end()) return known->second;
    if (texts_.size() >= kMaxLabels || bytes_ + label.size() > kMaxBytes) return -1;
    const auto id = static_cast<std::int32_t>(texts_.size());
    ids_.emplace(label, id);
    texts_.emplace_back(label);
    bytes_ += label.size();
    return id;
}

namespace {

constexpr std::size_t kLongestLabel = 1024;

bool has_control(std::string_view text) noexcept {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

bool not_finite(std::string_view label, const char* at, LineFault& fault) {
    return fault.set(at, "a finite label", quoted(label), "Leave out rows whose label is missing.");
}

bool add_text(std::string_view label, const char* at, ParsedRows& out, LabelTable& table, LineFault& fault) {
    const char* const last = label.data() + label.size();
    if (label.size() > kLongestLabel) {
        return fault.set(at, "a label of at most 1024 bytes", quoted(label), "Is this the label column?");
    }
    if (has_control(label) || find_invalid_utf8(label.data(), last) != last) {
        return fault.set(at, "a label", quoted(label), "Labels are numbers or UTF-8 text.");
    }
    const std::int32_t id = table.id(label);
    if (id < 0) {
        return fault.set(at, "one of the labels seen so far", quoted(label),
                         "There are too many different labels to keep; is this the label column?");
    }
    out.add_text_label(id);
    return true;
}

}  // namespace

bool add_label(const char* first, const char* last, ParsedRows& out, LabelTable& table, LineFault& fault) {
    double number = 0;
    switch (parse_double(first, last, number)) {
        case NumberKind::finite:
            out.add_number_label(number);
            return true;
        case NumberKind::overflow:
        case NumberKind::special:
            return not_finite({first, static_cast<std::size_t>(last - first)}, first, fault);
        case NumberKind::word:
            break;
    }
    return add_text({first, static_cast<std::size_t>(last - first)}, first, out, table, fault);
}

bool add_label_text(std::string_view label, const char* at, ParsedRows& out, LabelTable& table,
                    LineFault& fault) {
    if (label.size() <= kLongestLabel) {
        char copy[kLongestLabel + kPadding];  // the number parser looks past the end
        std::memcpy(copy, label.data(), label.size());
        std::memset(copy + label.size(), 0, kPadding);
        double number = 0;
        const NumberKind kind = parse_double(copy, copy + label.size(), number);
        if (kind == NumberKind::finite) {
            out.add_number_label(number);
            return true;
        }
        if (kind != NumberKind::word) return not_finite(label, at, fault);
    }
    return add_text(label, at, out, table, fault);
}

bool add_label_list(const char* first, const char* last, ParsedRows& out, LabelTable& table,
                    LineFault& fault) {
    for (;;) {
        const auto* comma =
            static_cast<const char*>(std::memchr(first, ',', static_cast<std::size_t>(last - first)));
        const char* const stop = comma == nullptr ? last : comma;
        if (stop == first) {
            return fault.set(first, "a label", stop == last ? "nothing" : quoted(first, last),
                             "Separate several labels by single commas.");
        }
        if (!add_label(first, stop, out, table, fault)) return false;
        if (comma == nullptr) return true;
        first = comma + 1;
    }
}

}  // namespace onlinear::text
