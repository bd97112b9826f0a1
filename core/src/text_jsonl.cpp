/// JSON Lines: an object a line.
///
/// {"label": "spam", "text": "Win now"} is a document; {"label": 1, "features": {"age": 3, "city": "Rome"}}
/// has its features in an object of their own; in {"label": 1, "age": 3, "city": "Rome"} all other keys are
/// features. Keys beside "text" or "features" are not features then, unless they were named as numeric
/// or categorical. text/json.hpp checks the line and finds the members, `Jsonl` gives them meaning.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "onlinear/text/features.hpp"
#include "onlinear/text/format.hpp"
#include "onlinear/text/json.hpp"
#include "onlinear/text/meaning.hpp"
#include "onlinear/text/named.hpp"
#include "onlinear/text/number.hpp"

namespace onlinear::text {

namespace {

using json::is_json_space, json::Kind, json::Scanner, json::unescape, json::Value;

class Jsonl final : public LineFormat {
public:
    Jsonl(const Settings& settings, Tables& tables)
        : LineFormat(settings),
          settings_(settings),
          tables_(tables),
          named_(settings.hash, settings.bits, tables.names),
          text_(settings.text, &tables.names),
          label_(label_of(settings)),
          texts_(texts_of(settings)),
          numeric_(named(settings, settings.numeric_fields, Role::numeric)),
          categorical_(named(settings, settings.categorical_fields, Role::categorical)),
          ignored_(named(settings, settings.ignored_fields, Role::ignored)),
          met_(texts_.size(), false) {}

    std::vector<std::pair<std::string, std::string>> schema() const override;
    bool open() const override { return free_ || std::find(met_.begin(), met_.end(), true) == met_.end(); }

protected:
    Row row(const char* first, const char* last, ParsedRows& out, LineFault& fault) override;

private:
    static std::string label_of(const Settings& settings);
    static std::vector<std::string> texts_of(const Settings& settings);
    static std::vector<std::string> named(const Settings& settings, std::vector<std::string> told, Role role);
    bool texts_there(const char* line, LineFault& fault) const;
    bool is_unknown(std::string_view key) const;
    void pass_over(std::string_view key);

    struct Member {
        std::string_view key;
        Value value;
        bool taken = false;
    };

    bool members(const char* first, const char* last, LineFault& fault);
    Member* find(std::string_view key) noexcept;
    bool label(const char* line, ParsedRows& out, LineFault& fault);
    bool label_value(const Value& value, ParsedRows& out, LineFault& fault);
    bool weight(ParsedRows& out, LineFault& fault);
    bool tag(ParsedRows& out, LineFault& fault);
    bool texts(bool& any, ParsedRows& out, LineFault& fault);
    bool features(bool& any, ParsedRows& out, LineFault& fault);
    bool others(bool all, ParsedRows& out, LineFault& fault);
    bool feature(std::string_view name, const Value& value, ParsedRows& out, LineFault& fault);
    bool word(std::string_view name, const Value& value, ParsedRows& out, LineFault& fault);
    bool category(std::string_view name, const Value& value, ParsedRows& out, LineFault& fault);
    bool keys_once(LineFault& fault) const;
    static bool unsuited(const Value& value, const char* expected, const char* remedy, LineFault& fault);

    const Settings settings_;
    Tables& tables_;
    NamedFeatures named_;
    TextFeatures text_;
    const std::string label_;
    const std::vector<std::string> texts_;
    const std::vector<std::string> numeric_, categorical_, ignored_;
    std::vector<bool> met_;          ///< which of the texts have been there
    bool labels_ = false;            ///< whether the label has
    bool free_ = false;              ///< whether a feature has that nothing was said of
    std::set<std::string> unknown_;  ///< keys that were told not to be the model's
    std::vector<Member> members_;
    std::vector<std::string> keys_;  ///< those of the members whose keys have escapes
    std::string scratch_;
    std::string name_;
};

std::string Jsonl::label_of(const Settings& settings) {
    if (!settings.label_field.empty()) return settings.label_field;
    const std::vector<std::string> known = settings.known.named(Role::label);
    return known.empty() ? "label" : known.front();
}

/// The keys that hold text: those that were named, else the model's, else "text".
std::vector<std::string> Jsonl::texts_of(const Settings& settings) {
    if (!settings.text_fields.empty()) return settings.text_fields;
    std::vector<std::string> known = settings.known.named(Role::text);
    if (known.empty() && (!settings.known || settings.known.open)) known.emplace_back("text");
    return known;
}

/// The keys somebody has named, and those the model knows as the same.
std::vector<std::string> Jsonl::named(const Settings& settings, std::vector<std::string> told, Role role) {
    for (std::string& name : settings.known.named(role)) told.push_back(std::move(name));
    return told;
}

std::vector<std::pair<std::string, std::string>> Jsonl::schema() const {
    std::vector<std::pair<std::string, std::string>> all;
    const auto add = [&](const std::vector<std::string>& names, Role role) {
        for (const std::string& name : names) all.emplace_back(name, word_of(role));
    };
    for (std::size_t i = 0; i < texts_.size(); ++i)
        if (met_[i]) all.emplace_back(texts_[i], word_of(Role::text));
    add(numeric_, Role::numeric);
    add(categorical_, Role::categorical);
    add(ignored_, Role::ignored);
    if (labels_) all.emplace_back(label_, word_of(Role::label));
    if (!settings_.weight_field.empty()) all.emplace_back(settings_.weight_field, word_of(Role::weight));
    if (!settings_.tag_field.empty()) all.emplace_back(settings_.tag_field, word_of(Role::tag));
    return all;
}

/// A model of texts is asked with all of them, unless the line itself says what its features are.
bool Jsonl::texts_there(const char* line, LineFault& fault) const {
    if (!settings_.known || settings_.known.open || settings_.known.may_lack) return true;
    const auto has = [&](std::string_view key) {
        return std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.key == key; });
    };
    for (const auto& [name, role] : settings_.known.columns) {
        if (role != Role::text || has(name)) continue;
        if (has("features")) return true;
        std::string keys;
        for (const Member& member : members_) keys += (keys.empty() ? "" : ", ") + std::string(member.key);
        return fault.set(line, "the key " + quoted(name) + ", whose text the model has learned from",
                         "the keys " + quoted(keys),
                         "Add it, or say allow_missing=True (--allow-missing) to go without.");
    }
    return true;
}

/// Whether a key that nothing is said of is none of the model's.
bool Jsonl::is_unknown(std::string_view key) const {
    if (!settings_.known || settings_.known.open) return false;
    return std::none_of(settings_.known.columns.begin(), settings_.known.columns.end(),
                        [&](const auto& item) { return item.first == key; });
}

void Jsonl::pass_over(std::string_view key) {
    constexpr std::size_t kMostTold = 100;
    if (unknown_.size() < kMostTold && unknown_.emplace(key).second)
        notes_.push_back({line_, Note::About::unknown, std::string(key), ""});
}

/// Finds the object's members. Keys with escapes are copied; the copies stay put until the next line.
bool Jsonl::members(const char* first, const char* last, LineFault& fault) {
    members_.clear();
    keys_.clear();
    Scanner scanner(first, last, fault);
    scanner.spaces();
    if (!scanner.at('{')) return scanner.wrong("'{'");
    std::vector<std::size_t> escaped;
    const bool good = scanner.object([&](const Value& key) {
        Member member{key.raw(), {}, false};
        if (member.key.find('\\') != std::string_view::npos) {
            keys_.emplace_back(unescape(key, scratch_));
            escaped.push_back(members_.size());
        }
        if (!scanner.value(member.value, 1)) return false;
        members_.push_back(member);
        return true;
    });
    if (!good) return false;
    for (std::size_t i = 0; i < escaped.size(); ++i) members_[escaped[i]].key = keys_[i];
    scanner.spaces();
    return scanner.at_end() || scanner.wrong("the end of the line");
}

/// A key that means something must not come twice: one of them would be lost.
bool Jsonl::keys_once(LineFault& fault) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const std::string_view key = members_[i].key;
        const bool special = key == label_ || key == "features" || key == settings_.weight_field ||
                             key == settings_.tag_field ||
                             std::find(texts_.begin(), texts_.end(), key) != texts_.end();
        if (!special) continue;
        for (std::size_t j = i + 1; j < members_.size(); ++j) {
            if (members_[j].key == key) {
                return fault.set(members_[j].value.first, "one " + quoted(key), "another",
                                 "Each key stands once in an object.");
            }
        }
    }
    return true;
}

Jsonl::Member* Jsonl::find(std::string_view key) noexcept {
    const auto found =
        std::find_if(members_.begin(), members_.end(), [&](Member& m) { return m.key == key; });
    if (found == members_.end()) return nullptr;
    found->taken = true;
    return &*found;
}

bool Jsonl::unsuited(const Value& value, const char* expected, const char* remedy, LineFault& fault) {
    return fault.set(value.first, expected, quoted(value.raw()), remedy);
}

bool Jsonl::label_value(const Value& value, ParsedRows& out, LineFault& fault) {
    switch (value.kind) {
        case Kind::number:
            return add_label(value.first, value.last, out, tables_.labels, fault);
        case Kind::string:
            return add_label_text(unescape(value, scratch_), value.first, out, tables_.labels, fault);
        case Kind::literal:
            if (*value.first == 'n') break;
            out.add_number_label(*value.first == 't' ? 1 : 0);
            return true;
        default:
            break;
    }
    return unsuited(value, "a label", "Labels are numbers, strings, true or false.", fault);
}

bool Jsonl::label(const char* line, ParsedRows& out, LineFault& fault) {
    const Member* const member = find(label_);
    labels_ = labels_ || member != nullptr;
    const bool missing = member == nullptr || member->value.is_null();
    if (settings_.labelled == Labelled::never || missing) {
        if (settings_.labelled == Labelled::always) {
            return fault.set(member == nullptr ? line : member->value.first,
                             "a label under " + quoted(label_), member == nullptr ? "none" : "null",
                             "Say which key it is: label=\"...\" (--label ...).");
        }
        if (!settings_.multilabel) out.add_missing_label();
        return true;
    }
    if (member->value.kind != Kind::array) return label_value(member->value, out, fault);
    if (!settings_.multilabel) {
        return unsuited(member->value, "one label",
                        "Use multilabel=True (--task multilabel) for rows with several labels.", fault);
    }
    Scanner scanner(member->value.first, member->value.last, fault);
    return scanner.array([&] {
        Value element;
        return scanner.value(element, 1) && label_value(element, out, fault);
    });
}

bool Jsonl::weight(ParsedRows& out, LineFault& fault) {
    if (settings_.weight_field.empty()) return true;
    const Member* const member = find(settings_.weight_field);
    if (member == nullptr) return true;
    double weight = 0;
    if (member->value.kind != Kind::number ||
        parse_double(member->value.first, member->value.last, weight) != NumberKind::finite || weight < 0) {
        return unsuited(member->value, "a weight", "Weights are numbers that are not negative.", fault);
    }
    out.set_weight(weight);
    return true;
}

bool Jsonl::tag(ParsedRows& out, LineFault& fault) {
    if (settings_.tag_field.empty()) return true;
    const Member* const member = find(settings_.tag_field);
    if (member == nullptr) return true;
    if (member->value.kind != Kind::string && member->value.kind != Kind::number) {
        return unsuited(member->value, "a tag", "Tags are strings or numbers.", fault);
    }
    out.set_tag(member->value.kind == Kind::string ? unescape(member->value, scratch_) : member->value.raw());
    return true;
}

bool Jsonl::texts(bool& any, ParsedRows& out, LineFault& fault) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
        const Member* const member = find(texts_[i]);
        if (member == nullptr) continue;
        any = met_[i] = true;
        if (member->value.is_null()) continue;
        if (member->value.kind != Kind::string) {
            return unsuited(member->value, "text in double quotes",
                            "Name the text's key: text=[\"...\"] (--text ...).", fault);
        }
        text_.add(unescape(member->value, scratch_), out);
    }
    return true;
}

/// A string where nothing was said of its key.
bool Jsonl::word(std::string_view name, const Value& value, ParsedRows& out, LineFault& fault) {
    const std::string_view text = unescape(value, scratch_);
    if (is_timestamp(text) && !settings_.older) {
        return fault.set(value.first, "a number or a category", "the time " + quoted(text),
                         timestamp_remedy(quoted(name)));
    }
    named_.add_category(name, text, out);
    return true;
}

bool Jsonl::feature(std::string_view name, const Value& value, ParsedRows& out, LineFault& fault) {
    switch (value.kind) {
        case Kind::number: {
            float number = 0;
            const NumberKind kind = parse_float(value.first, value.last, number);
            if (kind != NumberKind::finite) return set_number_fault(kind, value.first, value.raw(), fault);
            named_.add(name, number, out);
            return true;
        }
        case Kind::string:
            return word(name, value, out, fault);
        case Kind::literal:
            if (*value.first == 't') named_.add(name, 1, out);
            return true;
        case Kind::array: {
            Scanner scanner(value.first, value.last, fault);
            return scanner.array([&] {
                Value element;
                if (!scanner.value(element, 1)) return false;
                if (element.kind != Kind::string) {
                    return unsuited(element, "a string in the array", "Give numbers a name each.", fault);
                }
                return word(name, element, out, fault);
            });
        }
        case Kind::object:
            break;
    }
    return unsuited(value, "a number or a string", "Flatten nested objects.", fault);
}

/// A value of a key that was said to hold categories.
bool Jsonl::category(std::string_view name, const Value& value, ParsedRows& out, LineFault& fault) {
    switch (value.kind) {
        case Kind::number:
            named_.add_category(name, settings_.older ? value.raw() : category_of(value.raw()), out);
            return true;
        case Kind::string:
            named_.add_category(name, unescape(value, scratch_), out);
            return true;
        case Kind::literal:
            if (settings_.older || value.is_null()) break;
            named_.add_category(name, value.raw(), out);
            return true;
        default:
            break;
    }
    return feature(name, value, out, fault);
}

bool Jsonl::features(bool& any, ParsedRows& out, LineFault& fault) {
    const Member* const member = find("features");
    if (member == nullptr) return true;
    any = free_ = true;
    Scanner scanner(member->value.first, member->value.last, fault);
    Value value;
    switch (member->value.kind) {
        case Kind::object:
            return scanner.object([&](const Value& key) {
                if (!scanner.value(value, 2)) return false;
                name_.assign(unescape(key, scratch_));
                return feature(name_, value, out, fault);
            });
        case Kind::array:
            return scanner.array([&] {
                if (!scanner.value(value, 2)) return false;
                if (value.kind != Kind::string) return unsuited(value, "a name", "Names are strings.", fault);
                named_.add(unescape(value, scratch_), 1, out);
                return true;
            });
        default:
            return unsuited(member->value, "an object of features", "Such as {\"age\": 3}.", fault);
    }
}

/// The members that are features though nothing says so: all, or those the user named.
bool Jsonl::others(bool all, ParsedRows& out, LineFault& fault) {
    const auto listed = [](const std::vector<std::string>& names, std::string_view key) {
        return std::find(names.begin(), names.end(), key) != names.end();
    };
    for (const Member& member : members_) {
        if (member.taken || listed(ignored_, member.key)) continue;
        const bool numeric = listed(numeric_, member.key);
        const bool categorical = listed(categorical_, member.key);
        if (!all && !numeric && !categorical) continue;
        if (!numeric && !categorical && is_unknown(member.key)) {
            pass_over(member.key);
            continue;
        }
        free_ = free_ || (!numeric && !categorical);
        if (numeric && member.value.kind == Kind::string) {
            return unsuited(member.value, "a number", "Numbers stand without quotes.", fault);
        }
        const bool good = categorical ? category(member.key, member.value, out, fault)
                                      : feature(member.key, member.value, out, fault);
        if (!good) return false;
    }
    return true;
}

LineFormat::Row Jsonl::row(const char* first, const char* last, ParsedRows& out, LineFault& fault) {
    if (std::all_of(first, last, is_json_space)) return Row::nothing;
    bool said = false;  // the line itself says what its features are
    const bool good = members(first, last, fault) && keys_once(fault) && texts_there(first, fault) &&
                      label(first, out, fault) && weight(out, fault) && tag(out, fault) &&
                      texts(said, out, fault) && features(said, out, fault) && others(!said, out, fault);
    return good ? Row::added : Row::fault;
}

}  // namespace

std::unique_ptr<Format> make_jsonl(const Settings& settings, Tables& tables) {
    return std::make_unique<Jsonl>(settings, tables);
}

}  // namespace onlinear::text
