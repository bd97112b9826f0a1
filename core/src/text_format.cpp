#include <cstring>

#include "onlinear/text/format.hpp"

namespace onlinear::text {

const char* Format::after_fault(const char* record, const char* end) const {
    const void* newline = std::memchr(record, '\n', static_cast<std::size_t>(end - record));
    return newline == nullptr ? end : static_cast<const char*>(newline) + 1;
}

const char* word_of(Role role) noexcept {
    static constexpr const char* words[] = {"undecided", "numeric", "categorical", "text",
                                            "label",     "weight",  "tag",         "ignored"};
    return words[static_cast<int>(role)];
}

bool set_long_line_fault(const char* line, std::size_t max_line, LineFault& fault) {
    return fault.set(line, "a line of at most " + std::to_string(max_line) + " bytes", "a longer one",
                     "Raise max_line_bytes (--max-line-bytes) if the file is right.");
}

void set_sum_fault(const char* line, LineFault& fault) {
    fault.set(line, "a row of finite values", "repeated features whose sum overflows",
              "Scale the values; each must stay below 3.4e38.");
}

bool LineFormat::read_line(Cursor& cursor, const char* end, ParsedRows& out, LineFault& fault) {
    const auto* const newline =
        static_cast<const char*>(std::memchr(cursor.at, '\n', static_cast<std::size_t>(end - cursor.at)));
    if (static_cast<std::size_t>(newline - cursor.at) > max_line_) {
        return set_long_line_fault(cursor.at, max_line_, fault);
    }
    line_ = cursor.line;
    const char* const last = newline != cursor.at && newline[-1] == '\r' ? newline - 1 : newline;
    switch (row(cursor.at, last, out, fault)) {
        case Row::fault:
            out.drop_row();
            return false;
        case Row::added:
            if (!out.end_row(cursor.line)) {
                set_sum_fault(cursor.at, fault);
                return false;
            }
            break;
        case Row::nothing:
            break;
    }
    cursor.at = newline + 1;
    ++cursor.line;
    return true;
}

Outcome LineFormat::parse(Cursor& cursor, const char* end, bool, const Limits& limits, ParsedRows& out,
                          LineFault& fault) {
    while (cursor.at != end) {
        if (!read_line(cursor, end, out, fault)) return Outcome::fault;
        if (limits.reached(out)) return Outcome::batch_full;
    }
    return Outcome::used_up;
}

}  // namespace onlinear::text
