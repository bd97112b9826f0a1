#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "onlinear/sequence/templates.hpp"

namespace onlinear::sequence {

namespace {

bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

char shape_of(char c) noexcept { return is_upper(c) ? 'X' : is_lower(c) ? 'x' : is_digit(c) ? '0' : c; }

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw std::invalid_argument("template '" + text + "': " + why);
}

Trait trait_of(std::string_view word, const std::string& text) {
    constexpr std::pair<std::string_view, Trait::Kind> plain[] = {
        {"lower", Trait::lower}, {"shape", Trait::shape}, {"brief", Trait::brief}, {"digits", Trait::digits}};
    for (const auto& [name, kind] : plain)
        if (word == name) return {kind, 0};
    constexpr std::pair<std::string_view, Trait::Kind> affixes[] = {{"prefix", Trait::prefix},
                                                                    {"suffix", Trait::suffix}};
    for (const auto& [name, kind] : affixes) {
        if (!word.starts_with(name)) continue;
        std::size_t length = 0;
        const auto [end, error] =
            std::from_chars(word.data() + name.size(), word.data() + word.size(), length);
        if (error == std::errc() && end == word.data() + word.size() && length > 0) return {kind, length};
        refuse(text, "write prefix or suffix with a length, as in w[0]." + std::string(name) + "3");
    }
    refuse(text, "unknown trait '" + std::string(word) +
                     "'; known are lower, shape, brief, digits, prefixN and suffixN");
}

}  // namespace

void Trait::apply(std::string_view word, std::string& out) const {
    out.clear();
    switch (kind) {
        case whole:
            out = word;
            break;
        case lower:
            for (const char c : word) out += is_upper(c) ? static_cast<char>(c + 32) : c;
            break;
        case shape:
            for (const char c : word) out += shape_of(c);
            break;
        case brief:
            for (const char c : word)
                // Bytes of other scripts stay: half a character is no text.
                if (const char s = shape_of(c); out.empty() || out.back() != s || (s & 0x80) != 0) out += s;
            break;
        case digits:
            for (const char c : word) out += is_digit(c) ? '0' : c;
            break;
        case prefix: {
            std::size_t end = 0;
            for (std::size_t left = length; left > 0 && end < word.size(); --left) do
                    ++end;
                while (end < word.size() && continues(word[end]));
            out = word.substr(0, end);
            break;
        }
        case suffix: {
            std::size_t start = word.size();
            for (std::size_t left = length; left > 0 && start > 0; --left) do
                    --start;
                while (start > 0 && continues(word[start]));
            out = word.substr(start);
            break;
        }
    }
}

Extractor::Extractor(const std::vector<std::string>& templates, const std::vector<std::string>& columns)
    : columns_(columns.size()) {
    for (const std::string& text : templates) parse(text, columns);
    wanted_.resize(templates_.size());
}

void Extractor::parse(const std::string& text, const std::vector<std::string>& columns) {
    Template made;
    made.name = text;
    if (text == "__BOS__" || text == "__EOS__" || text == "bias") {
        made.kind = text == "bias" ? Template::always : text == "__BOS__" ? Template::first : Template::last;
        templates_.push_back(std::move(made));
        return;
    }
    std::string_view left = text;
    while (true) {
        const std::size_t bar = left.find('|');
        const std::string_view part = left.substr(0, bar);
        const std::size_t open = part.find('['), close = part.find(']');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open)
            refuse(text, "a part looks like w[-1] or w[0].suffix3");
        const auto column = std::find(columns.begin(), columns.end(), part.substr(0, open));
        if (column == columns.end()) {
            std::string all;
            for (const std::string& name : columns) all += (all.empty() ? "" : ", ") + name;
            refuse(text,
                   "unknown column '" + std::string(part.substr(0, open)) + "'; the columns are " + all);
        }
        int offset = 0;
        const auto [end, error] = std::from_chars(part.data() + open + 1, part.data() + close, offset);
        if (error != std::errc() || end != part.data() + close)
            refuse(text, "an offset is a whole number, as in w[-1]");
        Trait trait;
        if (close + 1 < part.size()) {
            if (part[close + 1] != '.') refuse(text, "a part looks like w[-1] or w[0].suffix3");
            trait = trait_of(part.substr(close + 2), text);
        }
        made.parts.push_back({source(static_cast<std::uint32_t>(column - columns.begin()), trait), offset});
        if (bar == std::string_view::npos) break;
        left.remove_prefix(bar + 1);
    }
    if (made.parts.size() > kMaxParts) refuse(text, "at most three parts can be joined");
    templates_.push_back(std::move(made));
}

std::uint32_t Extractor::source(std::uint32_t column, const Trait& trait) {
    for (std::uint32_t s = 0; s < sources_.size(); ++s)
        if (sources_[s].column == column && sources_[s].trait == trait) return s;
    sources_.push_back({column, trait, {}, {}, {}});
    return static_cast<std::uint32_t>(sources_.size() - 1);
}

void Extractor::start() {
    slim();
    length_ = 0;
    for (Source& source : sources_) source.here.clear();
}

void Extractor::token(const std::string_view* texts) {
    ++length_;
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
        const std::uint32_t word = columns_[c].add(texts[c]);
        for (Source& source : sources_)
            if (source.column == c) value(source, word);
    }
}

/// A trait is worked out once per distinct word.
void Extractor::value(Source& source, std::uint32_t word) {
    if (source.trait.kind == Trait::whole) {
        source.here.push_back(word);
        return;
    }
    if (word >= source.traits.size()) {
        source.trait.apply(columns_[source.column][word], scratch_);
        source.traits.resize(word + 1, Dictionary::kNone);
        source.traits[word] = source.values.add(scratch_);
    }
    source.here.push_back(source.traits[word]);
}

bool Extractor::key_of(std::size_t t, std::size_t token, Key& key) const noexcept {
    const Template& made = templates_[t];
    key = {static_cast<std::uint32_t>(t), 0, 0, 0};
    if (made.kind == Template::first) return token == 0;
    if (made.kind == Template::last) return token + 1 == length_;
    for (std::size_t p = 0; p < made.parts.size(); ++p) {
        // An offset before the start wraps round to something larger than any length.
        const std::size_t at =
            token + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(made.parts[p].offset));
        if (at >= length_) return false;
        key[p + 1] = sources_[made.parts[p].source].here[at];
    }
    return true;
}

std::size_t Extractor::place(const Key& key) const noexcept {
    std::uint64_t hash = (key[0] | std::uint64_t{key[1]} << 32) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 29) ^ (key[2] | std::uint64_t{key[3]} << 32)) * 0xBF58476D1CE4E5B9u;
    return (hash >> 32) & (table_.size() - 1);
}

void Extractor::text_of(std::size_t t, const Key& key, std::string& out) const {
    const Template& made = templates_[t];
    out = made.name;
    for (std::size_t p = 0; p < made.parts.size(); ++p) {
        const Source& source = sources_[made.parts[p].source];
        out += p == 0 ? '=' : '|';
        out += source.trait.kind == Trait::whole ? columns_[source.column][key[p + 1]]
                                                 : source.values[key[p + 1]];
    }
}

void Extractor::finish(Dictionary& names, Layout& layout, std::size_t max_features, bool learning,
                       const std::int32_t* labels, Sentences& batch) {
    for (std::size_t i = 0; i < length_; ++i) {
        // All buckets are prefetched before the first lookup: the table is larger than the cache.
        for (std::size_t t = 0; t < templates_.size(); ++t) {
            Wanted& wanted = wanted_[t];
            wanted.present = key_of(t, i, wanted.key);
            if (!wanted.present) continue;
            wanted.place = place(wanted.key);
            __builtin_prefetch(&table_[wanted.place]);
        }
        const std::size_t size = table_.size();
        for (std::size_t t = 0; t < templates_.size(); ++t) {
            const Wanted& wanted = wanted_[t];
            if (!wanted.present) continue;
            const std::size_t mask = table_.size() - 1;
            std::size_t at = table_.size() == size ? wanted.place : place(wanted.key);
            while (table_[at].slot != 0 && table_[at].key != wanted.key) at = (at + 1) & mask;
            if (table_[at].slot != 0) {
                batch.add(table_[at].slot);
                continue;
            }
            text_of(t, wanted.key, scratch_);
            std::uint32_t column = names.find(scratch_);
            if (column == Dictionary::kNone) {
                if (!learning) continue;  // a feature never learned says nothing
                if (names.size() >= max_features)
                    throw std::length_error("more than max_features (" + std::to_string(max_features) +
                                            ") features; use fewer templates, or raise max_features");
                column = names.add(scratch_);
                layout.add_columns(names.size());
            }
            table_[at] = {wanted.key, layout.column[column]};
            batch.add(table_[at].slot);
            if (2 * ++known_ > table_.size()) rehash();
        }
        batch.end_token(labels ? labels[i] : -1);
    }
    batch.end_sentence();
}

std::vector<std::vector<std::string>> Extractor::describe() const {
    std::vector<std::vector<std::string>> out(length_);
    Key key;
    for (std::size_t i = 0; i < length_; ++i)
        for (std::size_t t = 0; t < templates_.size(); ++t)
            if (key_of(t, i, key)) text_of(t, key, out[i].emplace_back());
    return out;
}

void Extractor::forget() {
    table_.assign(1024, {});
    known_ = 0;
}

void Extractor::rehash() {
    std::vector<Known> old(2 * table_.size());
    old.swap(table_);
    for (const Known& known : old) {
        if (known.slot == 0) continue;
        std::size_t at = place(known.key);
        while (table_[at].slot != 0) at = (at + 1) & (table_.size() - 1);
        table_[at] = known;
    }
}

/// An endless stream brings endless new words; between sentences the caches may start anew.
void Extractor::slim() {
    constexpr std::size_t kMaxWords = std::size_t{1} << 22;
    const bool large = std::any_of(columns_.begin(), columns_.end(),
                                   [](const Dictionary& d) { return d.size() > kMaxWords; });
    if (!large) return;
    for (Dictionary& words : columns_) words.clear();
    for (Source& source : sources_) {
        source.values.clear();
        source.traits.clear();
    }
    forget();
}

}  // namespace onlinear::sequence
