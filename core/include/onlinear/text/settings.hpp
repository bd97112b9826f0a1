#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onlinear/text/hash.hpp"

/// Everything a user can say about how bytes become rows. Plain data; each reader takes what concerns it.
namespace onlinear::text {

enum class Analyzer { word, character, character_in_words };
enum class Weighting { count, binary, log };

/// How text becomes features; the names and defaults are those of scikit-learn's HashingVectorizer.
struct TextSettings {
    Analyzer analyzer = Analyzer::word;
    int ngram_min = 1;
    int ngram_max = 1;
    bool lowercase = true;
    Hash hash = Hash::murmur_signed;
    Weighting weighting = Weighting::count;
    bool l2 = true;
    unsigned bits = 20;
};

enum class Labelled { as_found, always, never };

/// What a named column is.
enum class Role { undecided, numeric, categorical, text, label, weight, tag, ignored };

/// What a model knows of the columns it has learned from.
struct Known {
    std::vector<std::pair<std::string, Role>> columns;
    bool open = true;       ///< other names may be features, too
    bool may_lack = false;  ///< rows without some of them are read all the same

    /// Whether a model is asked, one that knows its columns.
    explicit operator bool() const noexcept { return !columns.empty(); }

    std::vector<std::string> named(Role role) const {
        std::vector<std::string> names;
        for (const auto& [name, is] : columns)
            if (is == role) names.push_back(name);
        return names;
    }
};

inline constexpr std::size_t kLeastMaxLine = std::size_t{1} << 16;

struct Settings {
    /// A longer line is refused. At least `kLeastMaxLine`.
    std::size_t max_line = std::size_t{1} << 24;
    /// Columns are below this; a larger index is refused.
    std::uint64_t max_features = std::uint64_t{1} << 28;
    /// Names are hashed to 2^bits columns. For svmlight 0 means that indices are columns.
    unsigned bits = 0;
    Hash hash = Hash::murmur;  ///< of names; that of words is the text's
    /// As models without a schema have it: in CSV true and false are categories, and so is a timestamp
    /// anywhere.
    bool older = false;
    bool zero_based = false;
    bool multilabel = false;
    Labelled labelled = Labelled::as_found;
    TextSettings text;

    /// Named fields of CSV and JSON Lines. An empty name means none, for the label of CSV the first
    /// of the usual names.
    std::string label_field;
    std::string weight_field;
    std::string tag_field;
    std::vector<std::string> text_fields;
    std::vector<std::string> numeric_fields;
    std::vector<std::string> categorical_fields;
    std::vector<std::string> ignored_fields;
    std::vector<std::string> missing;  ///< cells that count as empty
    char delimiter = ',';
    Known known;
};

}  // namespace onlinear::text
