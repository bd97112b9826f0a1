#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "onlinear/text/batch.hpp"
#include "onlinear/text/hash.hpp"
#include "onlinear/text/names.hpp"

namespace onlinear::text {

/// Features known by name, hashed to 2^bits: the columns of this library's dicts.
class NamedFeatures {
public:
    NamedFeatures(Hash hash, unsigned bits, NameTable& names) : hash_(hash), bits_(bits), names_(names) {}

    /// A number; a zero says nothing and is left out.
    void add(std::string_view name, float value, ParsedRows& out) {
        if (value != 0) add(place(name), value, out);
    }

    static void add(const Place& place, float value, ParsedRows& out) {
        out.add_entry(place.column, place.sign * value);
    }

    /// A category: the feature "field=value".
    void add_category(std::string_view field, std::string_view value, ParsedRows& out) {
        scratch_.assign(field);
        scratch_.push_back('=');
        scratch_.append(value);
        add(place(scratch_), 1, out);
    }

    Place place(std::string_view name) {
        const Place found = place_of(hash_, bits_, name);
        names_.add(found.column, found.hash, name, found.sign < 0);
        return found;
    }

private:
    const Hash hash_;
    const unsigned bits_;
    NameTable& names_;
    std::string scratch_;
};

}  // namespace onlinear::text
