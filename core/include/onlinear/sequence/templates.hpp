#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "onlinear/sequence/batch.hpp"
#include "onlinear/sequence/dictionary.hpp"

/// Token features from columns of text by templates.
///
/// A template is one to three parts joined by '|'; a part is a column at an offset, `w[-1]`, or a trait of
/// it, `w[0].suffix3`. The feature is the template itself, '=' and the values joined by '|':
/// `w[-1]|w[0]=of|the`. A part that leaves the sentence makes no feature. `__BOS__` and `__EOS__` mark the
/// first and the last token, `bias` every token.
///
/// Traits: lower, shape (Xx0 for letters and digits), brief (a shape with runs as one), digits (digits as 0),
/// prefixN and suffixN (N characters, or the whole word when it is shorter).
namespace onlinear::sequence {

/// What is taken from a column's text.
struct Trait {
    enum Kind { whole, lower, shape, brief, digits, prefix, suffix };
    Kind kind = whole;
    std::size_t length = 0;

    bool operator==(const Trait&) const = default;
    void apply(std::string_view word, std::string& out) const;
};

struct Template {
    enum Kind { first, last, always, window };
    struct Part {
        std::uint32_t source;  // which column and trait
        int offset;
    };
    Kind kind = window;
    std::string name;
    std::vector<Part> parts;
};

/// Turns columns into features: words are numbered once, and a feature is found by its parts' numbers without
/// making its text. Everything here but the templates is a cache over the learner's own dictionary of names.
class Extractor {
public:
    static constexpr std::size_t kMaxParts = 3;

    Extractor() = default;
    /// Throws std::invalid_argument when a template cannot be read.
    Extractor(const std::vector<std::string>& templates, const std::vector<std::string>& columns);

    std::size_t columns() const noexcept { return columns_.size(); }

    /// Begins a sentence.
    void start();
    /// One more token of it, a text for each column.
    void token(const std::string_view* texts);
    /// Writes the sentence's features; with `learning`, new ones are named and given a slot.
    void finish(Dictionary& names, Layout& layout, std::size_t max_features, bool learning,
                const std::int32_t* labels, Sentences& batch);
    /// The features of the sentence as text, token by token.
    std::vector<std::vector<std::string>> describe() const;

    std::size_t length() const noexcept { return length_; }
    /// Names were taken back: what is remembered about them is void.
    void forget();

private:
    struct Source {
        std::uint32_t column;
        Trait trait;
        Dictionary values;                  // of this column and trait
        std::vector<std::uint32_t> traits;  // from the column's words to `values`
        std::vector<std::uint32_t> here;    // of this sentence, a value a token
    };
    using Key = std::array<std::uint32_t, 1 + kMaxParts>;
    struct Known {
        Key key{};
        std::uint32_t slot = 0;  // 0: free
    };
    struct Wanted {
        Key key;
        std::size_t place;
        bool present;
    };

    void parse(const std::string& text, const std::vector<std::string>& columns);
    std::uint32_t source(std::uint32_t column, const Trait& trait);
    void value(Source& source, std::uint32_t word);
    bool key_of(std::size_t t, std::size_t token, Key& key) const noexcept;
    std::size_t place(const Key& key) const noexcept;
    void text_of(std::size_t t, const Key& key, std::string& out) const;
    void rehash();
    void slim();

    std::vector<Template> templates_;
    std::vector<Dictionary> columns_;
    std::vector<Source> sources_;
    std::size_t length_ = 0;
    std::vector<Known> table_ = std::vector<Known>(1024);
    std::size_t known_ = 0;
    std::vector<Wanted> wanted_;
    std::string scratch_;
};

}  // namespace onlinear::sequence
