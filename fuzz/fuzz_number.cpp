// Numbers against strtof and strtod: the same bits, or both refuse.
#include "harness.hpp"
#include "onlinear/text/number.hpp"

using namespace onlinear;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 512) return 0;
    const std::string number(reinterpret_cast<const char*>(data), size);
    std::string padded = number + '\n';
    padded.append(text::kPadding, '7');  // digits behind the end must not count
    const char* const first = padded.data();

    float single = 0;
    const bool read_single = text::parse_float(first, first + size, single) == text::NumberKind::finite;
    const std::optional<float> expected_single = fuzz::to_float(number);
    fuzz::require(read_single == expected_single.has_value(), "parse_float takes what the reference refuses");
    if (read_single) {
        fuzz::require(std::bit_cast<std::uint32_t>(single) == std::bit_cast<std::uint32_t>(*expected_single),
                      "parse_float differs from strtof");
    }

    double full = 0;
    const bool read_full = text::parse_double(first, first + size, full) == text::NumberKind::finite;
    const std::optional<double> expected_full = fuzz::to_double(number);
    fuzz::require(read_full == expected_full.has_value(), "parse_double takes what the reference refuses");
    if (read_full) {
        fuzz::require(std::bit_cast<std::uint64_t>(full) == std::bit_cast<std::uint64_t>(*expected_full),
                      "parse_double differs from strtod");
    }
    return 0;
}
