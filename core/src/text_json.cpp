#include <cstdint>
#include <cstring>

#include "onlinear/text/bytes.hpp"
#include "onlinear/text/json.hpp"
#include "onlinear/text/utf8.hpp"

namespace onlinear::text::json {

namespace {

constexpr int kDeepest = 64;

int hex_digit(char c) noexcept {
    if (is_digit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Nonzero when a byte of the word ends the quick way through a string: a quote, a backslash, a
/// control character, or anything past ASCII.
std::uint64_t special_bytes(std::uint64_t word) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    constexpr std::uint64_t tops = 0x8080808080808080u;
    const std::uint64_t quote = word ^ (ones * '"');
    const std::uint64_t slash = word ^ (ones * '\\');
    const std::uint64_t control = word - ones * 0x20;
    return (control | (quote - ones) | (slash - ones) | word) & tops;
}

}  // namespace

bool Scanner::wrong(const char* expected, const char* remedy) {
    const char* stop = p;
    while (stop != last_ && stop - p < 16 && !is_json_space(*stop)) ++stop;
    return fault_.set(p, expected, p == last_ ? "the end of the line" : quoted(p, stop), remedy);
}

bool Scanner::value(Value& value, int depth) {
    if (p == last_) return wrong("a value");
    value.first = p;
    switch (*p) {
        case '"':
            return string(value);
        case '{':
        case '[': {
            if (depth == kDeepest) return wrong("at most 64 levels of nesting");
            value.kind = *p == '{' ? Kind::object : Kind::array;
            Value inner;
            const bool good = *p == '{' ? object([&](const Value&) { return this->value(inner, depth + 1); })
                                        : array([&] { return this->value(inner, depth + 1); });
            value.last = p;
            return good;
        }
        case 't':
        case 'f':
        case 'n':
            return literal(value);
        default:
            return number(value);
    }
}

bool Scanner::literal(Value& value) {
    for (const std::string_view word : {"true", "false", "null"}) {
        if (static_cast<std::size_t>(last_ - p) >= word.size() && std::string_view(p, word.size()) == word) {
            value = {Kind::literal, p, p + word.size()};
            p += word.size();
            return true;
        }
    }
    return wrong("a value");
}

bool Scanner::number(Value& value) {
    value = {Kind::number, p, nullptr};
    const char* q = p;
    q += *q == '-';
    if (!is_digit(*q)) {
        return wrong("a value", "JSON has numbers such as 0.5, no NaN and no Infinity; null is no value.");
    }
    if (*q == '0' && is_digit(q[1])) return wrong("a number without leading zeros");
    while (is_digit(*q)) ++q;
    if (*q == '.') {
        if (!is_digit(*++q)) return wrong("a digit behind the point");
        while (is_digit(*q)) ++q;
    }
    if ((*q | 0x20) == 'e') {
        ++q;
        q += *q == '-' || *q == '+';
        if (!is_digit(*q)) return wrong("a digit in the exponent");
        while (is_digit(*q)) ++q;
    }
    p = value.last = q;
    return true;
}

bool Scanner::four_digits(std::uint32_t& unit) {
    unit = 0;
    for (int i = 0; i < 4; ++i, ++p) {
        const int digit = p == last_ ? -1 : hex_digit(*p);
        if (digit < 0) return wrong("four hexadecimal digits behind \\u");
        unit = unit << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
}

bool Scanner::escape() {
    ++p;  // the backslash
    if (p == last_ || std::memchr("\"\\/bfnrtu", *p, 9) == nullptr) {
        return wrong("an escape such as \\n or \\u00e9", "Write a backslash as two.");
    }
    if (*p++ != 'u') return true;
    const char* const at = p - 2;
    std::uint32_t unit = 0;
    if (!four_digits(unit)) return false;
    if (unit < 0xd800 || unit > 0xdfff) return true;
    std::uint32_t low = 0;
    const bool paired = unit < 0xdc00 && last_ - p >= 2 && p[0] == '\\' && p[1] == 'u';
    if (paired) {
        p += 2;
        if (!four_digits(low)) return false;
    }
    if (low >= 0xdc00 && low <= 0xdfff) return true;
    return fault_.set(at, "a pair of surrogates", quoted(at, p), "Half a character cannot stand alone.");
}

bool Scanner::string(Value& value) {
    value = {Kind::string, ++p, nullptr};
    for (;;) {
        while (last_ - p >= 8 && special_bytes(load_word(p)) == 0) p += 8;
        if (p == last_) return wrong("a closing quote", "Strings end on the line they begin on.");
        const auto byte = static_cast<unsigned char>(*p);
        if (byte == '"') {
            value.last = p++;
            return true;
        }
        if (byte == '\\') {
            if (!escape()) return false;
        } else if (byte < 0x20) {
            return wrong("an escape for the control character", "Write it as \\u00XX, a tab as \\t.");
        } else if (byte < 0x80) {
            ++p;
        } else {
            const char* const at = p;
            if (next_character(p, last_) == kNoCharacter) {
                return fault_.set(at, "UTF-8 text", quoted(at, at + 1), "Convert the file to UTF-8.");
            }
        }
    }
}

std::string_view unescape(const Value& value, std::string& scratch) {
    const std::string_view raw = value.raw();
    std::size_t slash = raw.find('\\');
    if (slash == std::string_view::npos) return raw;
    const auto unit_at = [&](std::size_t i) {
        std::uint32_t unit = 0;
        for (std::size_t k = i; k < i + 4; ++k) {
            unit = unit << 4 | static_cast<std::uint32_t>(hex_digit(raw[k]));
        }
        return unit;
    };
    scratch.clear();
    std::size_t from = 0;
    for (; slash != std::string_view::npos; slash = raw.find('\\', from)) {
        scratch.append(raw, from, slash - from);
        from = slash + 2;
        switch (const char c = raw[slash + 1]) {
            case 'b':
                scratch.push_back('\b');
                break;
            case 'f':
                scratch.push_back('\f');
                break;
            case 'n':
                scratch.push_back('\n');
                break;
            case 'r':
                scratch.push_back('\r');
                break;
            case 't':
                scratch.push_back('\t');
                break;
            case 'u': {
                std::uint32_t character = unit_at(from);
                from += 4;
                if (character >= 0xd800 && character <= 0xdbff) {
                    character = 0x10000 + ((character - 0xd800) << 10) + (unit_at(from + 2) - 0xdc00);
                    from += 6;
                }
                append_character(scratch, character);
                break;
            }
            default:
                scratch.push_back(c);
        }
    }
    scratch.append(raw, from);
    return scratch;
}

}  // namespace onlinear::text::json
