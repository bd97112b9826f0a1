#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

/// What a parser says of a line it cannot read. Errors are values here: nothing is thrown in a loop.
namespace onlinear::text {

/// A place in the bytes and what is wrong there, as a parser sees it.
struct LineFault {
    const char* at = nullptr;  ///< null: nothing is wrong
    std::string expected;
    std::string found;
    std::string remedy;
    bool fatal = false;  ///< the rest of the file makes no sense either

    explicit operator bool() const noexcept { return at != nullptr; }

    /// Fills this in and answers false, so that a parser can `return fault.set(...)`.
    bool set(const char* where, std::string wanted, std::string seen, std::string advice) {
        at = where;
        expected = std::move(wanted);
        found = std::move(seen);
        remedy = std::move(advice);
        return false;
    }
};

/// Text between double quotes, cut after a few dozen bytes, with whatever is no printable UTF-8
/// escaped: safe to print whatever the file holds.
std::string quoted(std::string_view text);
std::string quoted(const char* first, const char* last);

/// The fault of a value that is no finite number, in the words all formats share. `at` is where the
/// text stands in the line.
enum class NumberKind;
bool set_number_fault(NumberKind kind, const char* at, std::string_view text, LineFault& fault);

/// The same with the place as a reader counts it: "file:line:column: expected E, found F. Remedy."
struct Problem {
    std::int64_t line = 0;
    std::int64_t column = 0;  ///< from 1, in characters
    std::string expected;
    std::string found;
    std::string remedy;
};

/// Turns a fault in the record that starts at `record`, on line `line`, into a problem.
Problem locate(const LineFault& fault, const char* record, std::int64_t line);

}  // namespace onlinear::text
