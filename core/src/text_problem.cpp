#include <algorithm>
#include <cstring>

#include "onlinear/text/number.hpp"
#include "onlinear/text/problem.hpp"
#include "onlinear/text/unicode.hpp"
#include "onlinear/text/utf8.hpp"

namespace onlinear::text {

namespace {

constexpr std::size_t kExcerpt = 48;

/// Letters, digits and the common signs: nothing that turns, hides or breaks the text around it.
bool printable(std::uint32_t c) noexcept {
    if (c < 0x80) return c >= 0x20 && c != 0x7f;
    if (c == kNoCharacter || c == 0xad) return false;
    return (c > 0xa0 && c < 0xc0) || (c >= 0x2010 && c <= 0x2027) || (c > 0x3000 && c <= 0x301f) ||
           is_word_character(c);
}

void append_escaped(std::string& out, const char* first, const char* last) {
    static constexpr char hex[] = "0123456789abcdef";
    for (; first != last; ++first) {
        const auto byte = static_cast<unsigned char>(*first);
        if (byte == '\t') {
            out += "\\t";
        } else if (byte == '\r') {
            out += "\\r";
        } else if (byte == '\n') {
            out += "\\n";
        } else {
            out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
        }
    }
}

}  // namespace

std::string quoted(const char* first, const char* last) {
    std::string out = "\"";
    const char* p = first;
    while (p != last && static_cast<std::size_t>(p - first) < kExcerpt) {
        const char* const at = p;
        const std::uint32_t c = next_character(p, last);
        if (printable(c)) {
            out.append(at, p);
        } else {
            append_escaped(out, at, p);
        }
    }
    out += p == last ? "\"" : "...\"";
    return out;
}

std::string quoted(std::string_view text) { return quoted(text.data(), text.data() + text.size()); }

bool set_number_fault(NumberKind kind, const char* at, std::string_view text, LineFault& fault) {
    switch (kind) {
        case NumberKind::overflow:
            return fault.set(at, "a value below 3.4e38", quoted(text), "Scale the feature down.");
        case NumberKind::special:
            return fault.set(at, "a finite value", quoted(text),
                             "Leave the feature out where its value is missing.");
        default:
            return fault.set(at, "a number", text.empty() ? "nothing" : quoted(text),
                             "Values are decimal numbers such as 0.5 or 1e-3.");
    }
}

Problem locate(const LineFault& fault, const char* record, std::int64_t line) {
    const char* line_begin = record;
    while (const void* newline =
               std::memchr(line_begin, '\n', static_cast<std::size_t>(fault.at - line_begin))) {
        line_begin = static_cast<const char*>(newline) + 1;
        ++line;
    }
    const auto characters = std::count_if(
        line_begin, fault.at, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    return {line, characters + 1, fault.expected, fault.found, fault.remedy};
}

}  // namespace onlinear::text
