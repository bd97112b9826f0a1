#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string_view>

#include "bindings.hpp"
#include "onlinear/text/features.hpp"
#include "onlinear/text/format.hpp"
#include "onlinear/text/meaning.hpp"
#include "onlinear/text/murmur3.hpp"
#include "onlinear/text/number.hpp"
#include "onlinear/text/unicode.hpp"
#include "text_shared.hpp"

namespace onlinear::bindings {

namespace {

text::Analyzer analyzer_named(const std::string& name) {
    if (name == "word") return text::Analyzer::word;
    if (name == "char") return text::Analyzer::character;
    if (name == "char_wb") return text::Analyzer::character_in_words;
    throw nb::value_error(("unknown analyzer " + name).c_str());
}

text::Weighting weighting_named(const std::string& name) {
    if (name == "count") return text::Weighting::count;
    if (name == "binary") return text::Weighting::binary;
    if (name == "log") return text::Weighting::log;
    throw nb::value_error(("unknown weighting " + name).c_str());
}

}  // namespace

text::Hash hash_named(const std::string& name) {
    if (name == "murmur") return text::Hash::murmur;
    if (name == "murmur-signed") return text::Hash::murmur_signed;
    if (name == "vw") return text::Hash::vw;
    throw nb::value_error(("unknown hash " + name).c_str());
}

unsigned checked_bits(int bits, int lowest) {
    if (bits < lowest || bits > 31) throw nb::value_error("bits must be in 1 to 31");
    return static_cast<unsigned>(bits);
}

text::TextSettings text_settings(int bits, const std::string& analyzer, int ngram_min, int ngram_max,
                                 bool lowercase, const std::string& hash, const std::string& weighting,
                                 bool l2) {
    if (ngram_min < 1 || ngram_max < ngram_min) throw nb::value_error("n-grams must be in 1 <= min <= max");
    return {analyzer_named(analyzer),
            ngram_min,
            ngram_max,
            lowercase,
            hash_named(hash),
            weighting_named(weighting),
            l2,
            checked_bits(bits, 1)};
}

nb::list name_list(text::NameTable& names) {
    nb::list all;
    for (const text::NameTable::Entry& entry : names.entries()) {
        // Names come from checked UTF-8; what a table may hold besides is replaced, not refused.
        all.append(nb::make_tuple(entry.column, shown_text(entry.name), entry.shared, entry.negative));
    }
    return all;
}

nb::object shown_text(std::string_view text) {
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

text::Known known_columns(const Columns& columns, bool open, bool may_lack) {
    text::Known known{{}, open, may_lack};
    for (const auto& [name, word] : columns) {
        auto role = text::Role::undecided;
        for (int i = 0; i <= static_cast<int>(text::Role::ignored); ++i)
            if (word == text::word_of(static_cast<text::Role>(i))) role = static_cast<text::Role>(i);
        known.columns.emplace_back(name, role);
    }
    return known;
}

namespace {

/// A number as the readers read it, or None for what is no finite number.
template <class Real>
std::optional<double> parsed(const nb::bytes& number,
                             text::NumberKind (*parse)(const char*, const char*, Real&)) {
    std::string padded(number.c_str(), number.size());
    padded.append(text::kPadding, '\0');
    Real value = 0;
    if (parse(padded.data(), padded.data() + number.size(), value) != text::NumberKind::finite) return {};
    return static_cast<double>(value);
}

void bind_functions(nb::module_& m) {
    m.def(
        "murmurhash3_32",
        [](const nb::bytes& data, std::uint32_t seed) {
            return text::murmur3_32(data.c_str(), data.size(), seed);
        },
        nb::arg("data"), nb::arg("seed") = 0, "MurmurHash3 for x86, 32 bits, as an unsigned number.");
    m.def("hashed_column", &text::hashed_column, nb::arg("hash"), nb::arg("bits"),
          "The column of a hash among 2**bits: scikit-learn's.");
    m.def(
        "place_of",
        [](const std::string& hash, int bits, std::string_view name) {
            const text::Place place = text::place_of(hash_named(hash), checked_bits(bits, 1), name);
            return nb::make_tuple(place.column, place.sign);
        },
        nb::arg("hash"), nb::arg("bits"), nb::arg("name"),
        nb::sig("def place_of(hash: str, bits: int, name: str) -> tuple[int, float]"),
        "The column of a name among 2**bits, and the sign with which it counts there.");
    m.def("is_timestamp", &text::is_timestamp, nb::arg("word"),
          "Whether a word begins as a date and a time of ISO 8601 do.");
    m.def("hashed_index", &text::hashed_index, nb::arg("index"), nb::arg("bits"),
          "The column of a numbered feature among 2**bits.");
    m.def(
        "parse_float",
        [](const nb::bytes& b) -> nb::object {
            const auto value = parsed<float>(b, text::parse_float);
            return value ? nb::cast(*value) : nb::none();
        },
        nb::arg("number"), nb::sig("def parse_float(number: bytes) -> float | None"),
        "The nearest float32, or None.");
    m.def(
        "parse_double",
        [](const nb::bytes& b) -> nb::object {
            const auto value = parsed<double>(b, text::parse_double);
            return value ? nb::cast(*value) : nb::none();
        },
        nb::arg("number"), nb::sig("def parse_double(number: bytes) -> float | None"),
        "The nearest float64, or None.");
    m.def(
        "lower",
        [](std::string_view s) {
            std::string out;
            text::append_lower(s, out);
            return nb::str(out.data(), out.size());
        },
        nb::arg("text"), "Lower case as the tokenizer has it.");
    m.def("is_word_character", &text::is_word_character, nb::arg("character"));
    m.def("is_space_character", &text::is_space_character, nb::arg("character"));
    m.attr("UNICODE_VERSION") = text::tables::kUnicodeVersion;
}

}  // namespace

void bind_text(nb::module_& m) {
    bind_reader(m);
    bind_hasher(m);
    bind_functions(m);
}

}  // namespace onlinear::bindings
