#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "onlinear/text/features.hpp"
#include "onlinear/text/names.hpp"
#include "onlinear/text/settings.hpp"

namespace onlinear {

/// What the keys of a dict mean to a model: the text of some is cut into words, the numbers of others are
/// categories, and the answer is no feature.
class DictColumns {
public:
    DictColumns() { roles_.emplace("text", text::Role::text); }
    DictColumns(const DictColumns& other)
        : roles_(other.roles_),
          settings_(other.settings_),
          ordinary_(other.ordinary_),
          of_texts_(other.of_texts_) {}
    DictColumns& operator=(const DictColumns& other) {
        roles_ = other.roles_;
        settings_ = other.settings_;
        ordinary_ = other.ordinary_;
        of_texts_ = other.of_texts_;
        cutter_.reset();
        return *this;
    }
    ~DictColumns() = default;

    /// Columns and how text is cut, whose hash and bits are the dict's; and whether texts have been learned.
    void know(const text::Known& known, const text::TextSettings& settings, bool of_texts) {
        of_texts_ = of_texts;
        roles_.clear();
        settings_ = settings;
        ordinary_ = true;
        cutter_.reset();
        bool of_columns = false;
        for (const auto& [name, role] : known.columns)
            of_columns = of_columns || role == text::Role::numeric || role == text::Role::categorical;
        for (const auto& [name, role] : known.columns) {
            // To a model of texts alone every other key is a word, "label" too.
            if (role == text::Role::undecided || (role != text::Role::text && !of_columns)) continue;
            roles_.emplace(name, role);
            ordinary_ = ordinary_ && (role == text::Role::text || role == text::Role::numeric);
        }
    }

    /// What a key is; undecided where nothing is known of it.
    text::Role role(std::string_view name) const noexcept {
        const auto found = roles_.find(name);
        return found == roles_.end() ? text::Role::undecided : found->second;
    }

    /// Whether texts have been learned.
    bool of_texts() const noexcept { return of_texts_; }

    /// Whether a dict of nothing but numbers is what it looks like.
    bool ordinary() const noexcept { return ordinary_; }

    /// Cuts a text: `each(column, value)` for its features, and before, if `naming`, `name(column, word)`.
    template <class Each, class Name>
    void cut(std::string_view document, text::Hash hash, unsigned bits, bool naming, Each each, Name name) {
        if (!cutter_ || cutter_->settings.hash != hash || cutter_->settings.bits != bits) {
            text::TextSettings settings = settings_;
            settings.hash = hash;
            settings.bits = bits;
            cutter_ = std::make_unique<Cutter>(settings);
        }
        Cutter& cutter = *cutter_;
        cutter.rows.clear();
        if (naming) {
            text::NameTable names(std::size_t{1} << 16);
            text::TextFeatures(cutter.settings, &names).add(document, cutter.rows);
            for (const text::NameTable::Entry& entry : names.entries())
                name(static_cast<std::uint32_t>(entry.column), entry.name);
        } else {
            cutter.features.add(document, cutter.rows);
        }
        for (std::size_t i = 0; i < cutter.rows.indices.size(); ++i)
            each(static_cast<std::uint32_t>(cutter.rows.indices[i]), cutter.rows.values[i]);
    }

private:
    struct Cutter {
        explicit Cutter(const text::TextSettings& given) : settings(given), features(given) {}
        const text::TextSettings settings;
        text::TextFeatures features;
        text::ParsedRows rows;
    };

    std::map<std::string, text::Role, std::less<>> roles_;
    text::TextSettings settings_;
    bool ordinary_ = true;
    bool of_texts_ = false;
    std::unique_ptr<Cutter> cutter_;  // copies have one of their own: it is written while it cuts
};

}  // namespace onlinear
