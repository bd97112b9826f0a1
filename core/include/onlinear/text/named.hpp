#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "onlinear/text/batch.hpp"
#include "onlinear/text/murmur3.hpp"
#include "onlinear/text/names.hpp"

namespace onlinear::text {

/// Features known by name, hashed to 2^bits without a sign: the columns of scikit-learn's FeatureHasher
/// with alternate_sign=False, and of this library's dicts.
class NamedFeatures {
public:
    NamedFeatures(unsigned bits, NameTable& names) : bits_(bits), names_(names) {}

    /// A number; a zero says nothing and is left out.
    void add(std::string_view name, float value, ParsedRows& out) {
        if (value != 0) out.add_entry(column(name), value);
    }

    /// A category: the feature "field=value".
    void add_category(std::string_view field, std::string_view value, ParsedRows& out) {
        scratch_.assign(field);
        scratch_.push_back('=');
        scratch_.append(value);
        out.add_entry(column(scratch_), 1.0f);
    }

    std::int32_t column(std::string_view name) {
        const std::uint32_t hash = murmur3_32(name.data(), name.size(), 0);
        const auto column = static_cast<std::int32_t>(hashed_column(hash, bits_));
        names_.add(column, hash, name);
        return column;
    }

private:
    const unsigned bits_;
    NameTable& names_;
    std::string scratch_;
};

}  // namespace onlinear::text
