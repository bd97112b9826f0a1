#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onlinear/text/batch.hpp"
#include "onlinear/text/problem.hpp"

namespace onlinear::text {

/// The labels that are not numbers, numbered in the order they were first seen.
///
/// Bounded, since a wrong label column must not fill the memory.
class LabelTable {
public:
    static constexpr std::size_t kMaxLabels = std::size_t{1} << 20;
    static constexpr std::size_t kMaxBytes = std::size_t{1} << 24;

    /// The number of a label, or -1 when it is new and the table is full.
    std::int32_t id(std::string_view label);

    const std::vector<std::string>& texts() const noexcept { return texts_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
    std::vector<std::string> texts_;
    std::size_t bytes_ = 0;
};

/// Adds the label [first, last) to the batch's row: as a number when it reads as a finite one, so that
/// "+1", "1" and "1.0" are one label, else as text. `*last` must end a number and be followed by
/// `kPadding` bytes.
bool add_label(const char* first, const char* last, ParsedRows& out, LabelTable& table, LineFault& fault);

/// The same for text that lies elsewhere than the line, where `at` is the place to name in a fault.
bool add_label_text(std::string_view label, const char* at, ParsedRows& out, LabelTable& table,
                    LineFault& fault);

/// Adds the labels of a list separated by commas.
bool add_label_list(const char* first, const char* last, ParsedRows& out, LabelTable& table,
                    LineFault& fault);

}  // namespace onlinear::text
