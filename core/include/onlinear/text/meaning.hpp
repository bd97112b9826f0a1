#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "onlinear/text/bytes.hpp"

/// What a value means where nobody has said it, the same at every door a row may come through.
namespace onlinear::text {

/// Whether a word says true or false, as programs write them; nothing for any other word.
inline std::optional<bool> truth_of(std::string_view word) noexcept {
    if (word == "true" || word == "True" || word == "TRUE") return true;
    if (word == "false" || word == "False" || word == "FALSE") return false;
    return std::nullopt;
}

/// Whether a word begins as a date and a time of ISO 8601 do: 2024-05-01T12:30 or 2024-05-01 12:30. Every row
/// has its own, so that as a category it says nothing.
inline bool is_timestamp(std::string_view word) noexcept {
    constexpr std::string_view form = "dddd-dd-dd dd:dd";
    if (word.size() < form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const char c = word[i];
        const bool fits = form[i] == 'd' ? is_digit(c) : form[i] == ' ' ? c == ' ' || c == 'T' : c == form[i];
        if (!fits) return false;
    }
    return true;
}

/// What to do with a column of times; `name` is its name as messages show it.
inline std::string timestamp_remedy(const std::string& name) {
    return "Take what matters of it as features of their own, such as the hour, and leave it out: ignore=[" +
           name + "] (--ignore); or say categorical=[" + name + "] (--categorical).";
}

/// A number as the name of a category: without zeros behind the point, and without a point that has none.
inline std::string_view category_of(std::string_view number) noexcept {
    if (number.find('.') == std::string_view::npos || number.find_first_of("eE") != std::string_view::npos)
        return number;
    while (number.back() == '0') number.remove_suffix(1);
    if (number.back() == '.') number.remove_suffix(1);
    return number == "-0" ? "0" : number;
}

}  // namespace onlinear::text
