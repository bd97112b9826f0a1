/// Vowpal Wabbit's text: "label weight 'tag |namespace:scale name:value name |other name".
///
/// Columns are those of Vowpal Wabbit's default hashing with as many bits, unless the model hashes names in
/// another way: a namespace's hash seeds the hash of its features' names; a name of digits alone is that
/// number plus the seed; the namespace without a name has the seed 0. With another hash a feature is called
/// "namespace^name", and just "name" in the namespace without one. What stands right before the first bar,
/// with no blank between, is the tag. The constant feature is not added: that is the learner's intercept.
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "onlinear/text/bytes.hpp"
#include "onlinear/text/format.hpp"
#include "onlinear/text/hash.hpp"
#include "onlinear/text/named.hpp"
#include "onlinear/text/number.hpp"
#include "onlinear/text/utf8.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace onlinear::text {

namespace {

bool ends_name(char c) noexcept { return is_blank(c) || c == ':' || c == '|' || c == '\n'; }

std::string_view view(const char* first, const char* last) noexcept {
    return {first, static_cast<std::size_t>(last - first)};
}

#if defined(__SSE2__)
/// Bit i is set when byte i of the 32 at `p` is not a digit.
std::uint32_t others_of(const char* p) noexcept {
    const __m128i zero = _mm_set1_epi8('0');
    const __m128i nine = _mm_set1_epi8(9);
    std::uint32_t found = 0;
    for (int i = 0; i < 2; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
        const __m128i digits = _mm_sub_epi8(bytes, zero);
        const __m128i plain = _mm_cmpeq_epi8(_mm_min_epu8(digits, nine), digits);
        found |= static_cast<std::uint32_t>(_mm_movemask_epi8(plain)) << (16 * i);
    }
    return ~found;
}

/// "number:value " with up to eight digits on either side of the colon: nearly all there is in a numeric
/// file.
struct PlainEntry {
    std::uint32_t name;
    float value;
    const char* end;  ///< null when it is none
};

/// Finds all the ends in an entry at once, so that none waits for the one before it.
PlainEntry plain_entry(const char* p) noexcept {
    static constexpr float powers[8] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f};
    constexpr std::uint32_t exact = 1 << 24;
    constexpr PlainEntry none{0, 0, nullptr};
    std::uint32_t others = others_of(p);
    const auto next = [&]() noexcept {
        const auto at = static_cast<std::uint32_t>(std::countr_zero(others));
        others &= others - 1;
        return at;  // 32 when there is no more
    };
    const std::uint32_t colon = next();
    std::uint32_t value = colon + 1;
    std::uint32_t stop = next();
    if (colon - 1 > 7 || p[colon] != ':') return none;
    const bool negative = stop == value && p[stop] == '-';
    if (negative) {
        ++value;
        stop = next();
    }
    const std::uint32_t whole = stop - value;
    std::uint32_t fraction = 0;
    if (whole - 1 > 7) return none;
    std::uint64_t digits = keep_digits(load_digits(p + value), whole);
    if (p[stop] == '.') {
        const char* const point = p + stop + 1;
        fraction = next() - stop - 1;
        if (fraction - 1 > 6 || whole + fraction > 8) return none;
        digits = digits >> (8 * fraction) | keep_digits(load_digits(point), fraction);
        stop += fraction + 1;
    }
    const std::uint32_t mantissa = join_digits(digits);
    if (mantissa > exact || (p[stop] != ' ' && p[stop] != '\n')) return none;
    // Clinger's fast path: an integer up to 2^24 over a power of ten up to 10^10 are both exact.
    const float magnitude = static_cast<float>(static_cast<std::int32_t>(mantissa)) / powers[fraction];
    return {join_digits(keep_digits(load_digits(p), colon)), negative ? -magnitude : magnitude, p + stop};
}
#endif

class VowpalWabbit final : public LineFormat {
public:
    VowpalWabbit(const Settings& settings, Tables& tables)
        : LineFormat(settings),
          settings_(settings),
          tables_(tables),
          named_(settings.hash, settings.bits, tables.names),
          own_hash_(settings.hash == Hash::vw),
          mask_((std::uint32_t{1} << settings.bits) - 1) {}

protected:
    Row row(const char* first, const char* last, ParsedRows& out, LineFault& fault) override;

private:
    struct Namespace {
        std::string_view name;
        std::uint32_t hash = 0;
        float scale = 1;
        std::uint32_t nameless = 0;  ///< features without a name so far: they are numbered
    };

    bool head(const char* first, const char* bar, ParsedRows& out, LineFault& fault);
    bool label(const char* first, const char* last, ParsedRows& out, LineFault& fault);
    bool weight(const char* first, const char* last, ParsedRows& out, LineFault& fault);
    bool open_namespace(const char*& p, const char* last, Namespace& space, LineFault& fault);
    bool features(const char*& p, const char* last, Namespace& space, ParsedRows& out, LineFault& fault);
    const char* plain_features(const char* p, const char* last, const Namespace& space,
                               ParsedRows& out) const;
    bool value(const char*& p, float& value, LineFault& fault);
    void remember(const Namespace& space, std::string_view name, std::uint32_t hash);
    std::string_view full_name(const Namespace& space, std::string_view name);

    const Settings settings_;
    Tables& tables_;
    NamedFeatures named_;
    const bool own_hash_;
    const std::uint32_t mask_;
    std::string scratch_;
};

bool VowpalWabbit::label(const char* first, const char* last, ParsedRows& out, LineFault& fault) {
    if (std::memchr(first, ':', static_cast<std::size_t>(last - first)) != nullptr) {
        return fault.set(first, "a label", quoted(first, last),
                         "Labels with costs are not read; give one label a line.");
    }
    if (settings_.multilabel) return add_label_list(first, last, out, tables_.labels, fault);
    return add_label(first, last, out, tables_.labels, fault);
}

bool VowpalWabbit::weight(const char* first, const char* last, ParsedRows& out, LineFault& fault) {
    double weight = 0;
    if (parse_double(first, last, weight) != NumberKind::finite || weight < 0) {
        return fault.set(first, "an importance weight", quoted(first, last),
                         "Behind the label stands a number that is not negative, or a tag such as 'a.");
    }
    out.set_weight(weight);
    return true;
}

/// What stands before the first bar.
bool VowpalWabbit::head(const char* first, const char* bar, ParsedRows& out, LineFault& fault) {
    int place = 0;
    for (const char* p = first;;) {
        while (p != bar && is_blank(*p)) ++p;
        if (p == bar) break;
        const char* const token = p;
        while (p != bar && !is_blank(*p)) ++p;
        if (*token == '\'' || p == bar) {
            const char* const name = token + (*token == '\'');
            if (find_invalid_utf8(name, p) != p) {
                return fault.set(name, "a tag in UTF-8", quoted(name, p), "Convert the file to UTF-8.");
            }
            out.set_tag(view(name, p));
            continue;
        }
        switch (place++) {
            case 0:
                if (settings_.labelled != Labelled::never && !label(token, p, out, fault)) return false;
                break;
            case 1:
                if (!weight(token, p, out, fault)) return false;
                break;
            default:
                return fault.set(token, "'|' behind label and weight", quoted(token, p),
                                 "Initial predictions are not read; take them out.");
        }
    }
    if (place != 0 && settings_.labelled != Labelled::never) return true;
    if (settings_.labelled == Labelled::always && !settings_.multilabel) {
        return fault.set(first, "a label", quoted(first, bar + 1),
                         "Begin the line with its label and a blank: \"1 | name:value\".");
    }
    if (!settings_.multilabel) out.add_missing_label();
    return true;
}

bool VowpalWabbit::value(const char*& p, float& value, LineFault& fault) {
    const Decimal number = scan_decimal(p);
    if (number.end != nullptr && ends_name(*number.end) && *number.end != ':') {
        value = to_float(p, number);
        if (!std::isinf(value)) {
            p = number.end;
            return true;
        }
    }
    const char* stop = p;
    while (!is_blank(*stop) && *stop != '|' && *stop != '\n') ++stop;
    float unused = 0;
    return set_number_fault(parse_float(p, stop, unused), p, view(p, stop), fault);
}

/// Reads what follows a bar: a name, unless a blank comes first, and perhaps a scale.
bool VowpalWabbit::open_namespace(const char*& p, const char* last, Namespace& space, LineFault& fault) {
    const char* const first = p;
    while (p != last && !ends_name(*p)) ++p;
    space.name = view(first, p);
    if (find_invalid_utf8(first, p) != p) {
        return fault.set(first, "a namespace in UTF-8", quoted(first, p), "Convert the file to UTF-8.");
    }
    space.hash = vw_hash(first, p, 0);
    if (p == last || *p != ':') return true;
    ++p;
    return value(p, space.scale, fault);
}

std::string_view VowpalWabbit::full_name(const Namespace& space, std::string_view name) {
    scratch_.assign(space.name);
    if (!space.name.empty()) scratch_.push_back('^');
    return scratch_.append(name);
}

void VowpalWabbit::remember(const Namespace& space, std::string_view name, std::uint32_t hash) {
    tables_.names.add(static_cast<std::int32_t>(hash & mask_), hash, full_name(space, name));
}

/// Reads features as long as they are plain and answers where that ends; `p` points past a blank.
const char* VowpalWabbit::plain_features(const char* p, const char* last, const Namespace& space,
                                         ParsedRows& out) const {
#if defined(__SSE2__)
    if (space.scale != 1 || !own_hash_ || tables_.names.wanted()) return p;
    std::size_t count = out.indices.size();
    const std::size_t most = count + static_cast<std::size_t>(last - p) / 4 + 1;  // "1:1 " is the shortest
    out.indices.resize(most);
    out.values.resize(most);
    while (p < last) {
        const PlainEntry entry = plain_entry(p);
        if (entry.end == nullptr || entry.end > last) break;
        out.indices[count] = static_cast<std::int32_t>((entry.name + space.hash) & mask_);
        out.values[count] = entry.value;
        count += entry.value != 0;  // a zero is no feature
        p = entry.end + (entry.end != last);
    }
    out.indices.resize(count);
    out.values.resize(count);
#else
    (void)last, (void)space, (void)out;
#endif
    return p;
}

bool VowpalWabbit::features(const char*& p, const char* last, Namespace& space, ParsedRows& out,
                            LineFault& fault) {
    while (p != last && is_blank(*p)) ++p;
    p = plain_features(p, last, space, out);
    for (;;) {
        while (p != last && is_blank(*p)) ++p;
        if (p == last || *p == '|') return true;
        const char* const first = p;
        std::uint64_t number = 0;
        p = take_digits(p, number);
        std::uint32_t hash = static_cast<std::uint32_t>(number) + space.hash;
        if (!ends_name(*p)) {
            while (p != last && !ends_name(*p)) ++p;
            hash = murmur3_32(first, static_cast<std::size_t>(p - first), space.hash);
            if (find_invalid_utf8(first, p) != p) {
                return fault.set(first, "a feature in UTF-8", quoted(first, p), "Convert the file to UTF-8.");
            }
        } else if (p == first) {
            hash = space.hash + space.nameless++;
        }
        const std::string_view name = view(first, p);
        if (own_hash_ && tables_.names.wanted()) remember(space, name, hash);
        float weight = 1;
        if (p != last && *p == ':') {
            ++p;
            if (!value(p, weight, fault)) return false;
        }
        weight *= space.scale;
        if (std::isinf(weight)) {
            return fault.set(first, "a value below 3.4e38", quoted(first, p) + " times the scale",
                             "Scale the feature down.");
        }
        if (own_hash_) {
            if (weight != 0) out.add_entry(static_cast<std::int32_t>(hash & mask_), weight);
        } else {
            // Nameless features are numbered, as Vowpal Wabbit's hash has it, too.
            const std::string number_name = name.empty() ? std::to_string(space.nameless - 1) : std::string();
            named_.add(full_name(space, name.empty() ? number_name : name), weight, out);
        }
    }
}

LineFormat::Row VowpalWabbit::row(const char* first, const char* last, ParsedRows& out, LineFault& fault) {
    const char* p = first;
    while (p != last && is_blank(*p)) ++p;
    if (p == last) return Row::nothing;
    const auto* bar = static_cast<const char*>(std::memchr(p, '|', static_cast<std::size_t>(last - p)));
    if (bar == nullptr) {
        fault.set(first, "'|' before the features", quoted(first, last),
                  "Vowpal Wabbit's lines look like \"1 | name:value\".");
        return Row::fault;
    }
    if (!head(p, bar, out, fault)) return Row::fault;
    for (p = bar; p != last;) {
        ++p;  // the bar
        Namespace space;
        if (!open_namespace(p, last, space, fault) || !features(p, last, space, out, fault))
            return Row::fault;
    }
    return Row::added;
}

}  // namespace

std::unique_ptr<Format> make_vw(const Settings& settings, Tables& tables) {
    return std::make_unique<VowpalWabbit>(settings, tables);
}

}  // namespace onlinear::text
