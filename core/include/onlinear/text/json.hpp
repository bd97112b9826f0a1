#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "onlinear/text/problem.hpp"

/// JSON as RFC 8259 has it, checked where it stands: strict UTF-8, surrogates in pairs, no NaN.
namespace onlinear::text::json {

enum class Kind { number, string, literal, array, object };

/// A value as it stands in the line; a string without its quotes.
struct Value {
    Kind kind = Kind::literal;
    const char* first = nullptr;
    const char* last = nullptr;

    std::string_view raw() const noexcept { return {first, static_cast<std::size_t>(last - first)}; }
    bool is_null() const noexcept { return kind == Kind::literal && *first == 'n'; }
};

inline bool is_json_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Checks JSON between two ends. Every function stands at the start of what it reads, moves behind
/// it, and answers false with the fault set when it is not what it should be.
class Scanner {
public:
    Scanner(const char* first, const char* last, LineFault& fault) : p(first), last_(last), fault_(fault) {}

    const char* p;

    void spaces() noexcept {
        while (p != last_ && is_json_space(*p)) ++p;
    }
    bool at_end() const noexcept { return p == last_; }
    bool at(char c) const noexcept { return p != last_ && *p == c; }

    bool value(Value& value, int depth);
    bool string(Value& value);

    /// Goes through an array: `each` is called at the start of every element and reads it.
    template <class Each>
    bool array(Each each);
    /// Goes through an object: `each` is called with the key, at the start of its value, and reads that.
    template <class Each>
    bool object(Each each);

    /// Sets the fault of what stands here.
    bool wrong(const char* expected, const char* remedy = "Each line is one JSON object.");

private:
    bool number(Value& value);
    bool literal(Value& value);
    bool escape();
    bool four_digits(std::uint32_t& unit);

    const char* const last_;
    LineFault& fault_;
};

template <class Each>
bool Scanner::array(Each each) {
    ++p;
    spaces();
    if (at(']')) {
        ++p;
        return true;
    }
    for (;;) {
        spaces();
        if (!each()) return false;
        spaces();
        if (at(']')) {
            ++p;
            return true;
        }
        if (!at(',')) return wrong("',' or ']'", "Separate the elements of an array by commas.");
        ++p;
    }
}

template <class Each>
bool Scanner::object(Each each) {
    ++p;
    spaces();
    if (at('}')) {
        ++p;
        return true;
    }
    for (;;) {
        spaces();
        if (!at('"')) return wrong("a key in double quotes", "JSON has no single quotes and no last comma.");
        Value key;
        if (!string(key)) return false;
        spaces();
        if (!at(':')) return wrong("':' behind the key");
        ++p;
        spaces();
        if (!each(key)) return false;
        spaces();
        if (at('}')) {
            ++p;
            return true;
        }
        if (!at(',')) return wrong("',' or '}'", "Separate the members of an object by commas.");
        ++p;
    }
}

/// The text of a string that was checked; `scratch` is used when it has escapes.
std::string_view unescape(const Value& value, std::string& scratch);

}  // namespace onlinear::text::json
