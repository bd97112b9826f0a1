// JSON Lines against a recursive descent into a tree.
#include <memory>
#include <variant>

#include "harness.hpp"
#include "reference_text.hpp"

using namespace onlinear;
using fuzz::Row;
using fuzz::Verdict;

namespace {

struct Node;
using Members = std::vector<std::pair<std::string, Node>>;

struct Number {
    std::string text;
};

struct Node {
    std::variant<std::nullptr_t, bool, Number, std::string, std::vector<Node>, Members> value = nullptr;

    template <class T>
    const T* as() const {
        return std::get_if<T>(&value);
    }
};

class Parser {
public:
    explicit Parser(const std::string& text) : text_(text) {}

    std::optional<Node> parse() {
        Node node;
        skip();
        if (at_ == text_.size() || text_[at_] != '{' || !value(node, 0)) return {};
        skip();
        if (at_ != text_.size()) return {};
        return node;
    }

private:
    void skip() {
        while (at_ < text_.size() && std::strchr(" \t\r", text_[at_]) && text_[at_] != '\0') ++at_;
    }
    bool take(char c) {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool word(const char* word) {
        if (text_.compare(at_, std::strlen(word), word) != 0) return false;
        at_ += std::strlen(word);
        return true;
    }

    bool value(Node& node, int depth) {
        if (at_ == text_.size()) return false;
        switch (text_[at_]) {
            case '{':
                return depth < 64 && object(node, depth);
            case '[':
                return depth < 64 && array(node, depth);
            case '"': {
                std::string text;
                if (!string(text)) return false;
                node.value = std::move(text);
                return true;
            }
            case 't':
                node.value = true;
                return word("true");
            case 'f':
                node.value = false;
                return word("false");
            case 'n':
                return word("null");
            default:
                return number(node);
        }
    }

    bool object(Node& node, int depth) {
        Members members;
        ++at_;
        skip();
        while (!take('}')) {
            if (!members.empty()) {
                if (!take(',')) return false;
                skip();
            }
            std::string key;
            Node inner;
            if (at_ == text_.size() || text_[at_] != '"' || !string(key)) return false;
            skip();
            if (!take(':')) return false;
            skip();
            if (!value(inner, depth + 1)) return false;
            skip();
            members.emplace_back(std::move(key), std::move(inner));
        }
        node.value = std::move(members);
        return true;
    }

    bool array(Node& node, int depth) {
        std::vector<Node> elements;
        ++at_;
        skip();
        while (!take(']')) {
            if (!elements.empty()) {
                if (!take(',')) return false;
                skip();
            }
            Node inner;
            if (!value(inner, depth + 1)) return false;
            skip();
            elements.push_back(std::move(inner));
        }
        node.value = std::move(elements);
        return true;
    }

    bool digits() {
        const std::size_t from = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ != from;
    }

    bool number(Node& node) {
        const std::size_t from = at_;
        take('-');
        const std::size_t first = at_;
        if (!digits() || (text_[first] == '0' && at_ - first > 1)) return false;
        if (take('.') && !digits()) return false;
        if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            ++at_;
            if (!take('-')) take('+');
            if (!digits()) return false;
        }
        node.value = Number{text_.substr(from, at_ - from)};
        return true;
    }

    bool unit(std::uint32_t& out) {
        if (at_ + 4 > text_.size()) return false;
        const std::string hex = text_.substr(at_, 4);
        if (hex.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return false;
        out = static_cast<std::uint32_t>(std::strtoul(hex.c_str(), nullptr, 16));
        at_ += 4;
        return true;
    }

    bool string(std::string& out) {
        ++at_;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == '"') return fuzz::is_utf8(out);
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c != '\\') {
                out += c;
                continue;
            }
            if (at_ == text_.size()) return false;
            const char escape = text_[at_++];
            const std::string from = "\"\\/bfnrt";
            const std::size_t known = from.find(escape);
            if (known != std::string::npos) {
                out += "\"\\/\b\f\n\r\t"[known];
                continue;
            }
            std::uint32_t code = 0;
            std::uint32_t low = 0;
            if (escape != 'u' || !unit(code)) return false;
            if (code >= 0xdc00 && code <= 0xdfff) return false;
            if (code >= 0xd800 && code <= 0xdbff) {
                if (!take('\\') || !take('u') || !unit(low) || low < 0xdc00 || low > 0xdfff) return false;
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
            text::append_character(out, code);
        }
        return false;
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

class Meaning {
public:
    Meaning(const text::Settings& settings, Row& row) : settings_(settings), row_(row) {}

    bool read(const Members& members) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            for (std::size_t j = i + 1; j < members.size(); ++j) {
                if (members[i].first == members[j].first && special(members[i].first)) return false;
            }
        }
        const Node* const label = find(members, "label");
        if (!labels(label)) return false;
        if (const Node* weight = find(members, settings_.weight_field)) {
            const Number* const number = weight->as<Number>();
            const auto value = number ? fuzz::to_double(number->text) : std::nullopt;
            if (!value || *value < 0) return false;
            row_.weight = std::bit_cast<std::uint64_t>(*value);
        }
        if (const Node* tag = find(members, settings_.tag_field)) {
            if (!tag->as<std::string>() && !tag->as<Number>()) return false;
            row_.tag = tag->as<Number>() ? tag->as<Number>()->text : *tag->as<std::string>();
        }
        bool said = false;
        if (const Node* document = find(members, "text")) {
            said = true;
            if (!document->as<std::nullptr_t>()) {
                if (!document->as<std::string>()) return false;
                fuzz::add_text(row_, *document->as<std::string>(), settings_.text);
            }
        }
        if (const Node* features = find(members, "features")) {
            said = true;
            if (!all(*features)) return false;
        }
        for (const auto& [key, node] : members) {
            if (!said && !special(key) && !feature(key, node)) return false;
        }
        return finite_;
    }

private:
    bool special(const std::string& key) const {
        return key == "label" || key == "text" || key == "features" || key == settings_.weight_field ||
               key == settings_.tag_field;
    }

    static const Node* find(const Members& members, const std::string& name) {
        if (name.empty()) return nullptr;
        for (const auto& [key, node] : members) {
            if (key == name) return &node;
        }
        return nullptr;
    }

    bool labels(const Node* node) {
        if (node == nullptr || node->as<std::nullptr_t>() || settings_.labelled == text::Labelled::never) {
            if (settings_.labelled == text::Labelled::always) return false;
            if (!settings_.multilabel) row_.labels.push_back("none");
            return true;
        }
        if (const auto* list = node->as<std::vector<Node>>()) {
            if (!settings_.multilabel) return false;
            return std::all_of(list->begin(), list->end(), [&](const Node& one) { return label(one); });
        }
        return label(*node);
    }

    bool label(const Node& node) {
        if (const bool* truth = node.as<bool>()) {
            row_.labels.push_back(fuzz::show_number(*truth ? 1 : 0));
            return true;
        }
        const Number* const number = node.as<Number>();
        const std::string* const text = node.as<std::string>();
        if (!number && !text) return false;
        const auto shown = fuzz::label(number ? number->text : *text);
        if (shown) row_.labels.push_back(*shown);
        return shown.has_value();
    }

    void add(const std::string& name, float value) {
        const std::uint32_t hash = text::murmur3_32(name.data(), name.size(), 0);
        const auto column = static_cast<std::int32_t>(text::hashed_column(hash, settings_.bits));
        finite_ = fuzz::add_feature(row_, column, value) && finite_;
    }

    bool feature(const std::string& name, const Node& node) {
        if (const Number* number = node.as<Number>()) {
            const auto value = fuzz::to_float(number->text);
            if (value && *value != 0) add(name, *value);
            return value.has_value();
        }
        if (const std::string* text = node.as<std::string>()) {
            add(name + "=" + *text, 1);
            return !fuzz::is_time(*text);
        }
        if (const bool* truth = node.as<bool>()) {
            if (*truth) add(name, 1);
            return true;
        }
        if (const auto* list = node.as<std::vector<Node>>()) {
            for (const Node& one : *list) {
                if (!one.as<std::string>() || fuzz::is_time(*one.as<std::string>())) return false;
                add(name + "=" + *one.as<std::string>(), 1);
            }
            return true;
        }
        return node.as<std::nullptr_t>() != nullptr;
    }

    bool all(const Node& features) {
        if (const Members* members = features.as<Members>()) {
            return std::all_of(members->begin(), members->end(),
                               [&](const auto& member) { return feature(member.first, member.second); });
        }
        const auto* const list = features.as<std::vector<Node>>();
        if (list == nullptr) return false;
        for (const Node& one : *list) {
            if (!one.as<std::string>()) return false;
            add(*one.as<std::string>(), 1);
        }
        return true;
    }

    const text::Settings& settings_;
    Row& row_;
    bool finite_ = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 4096) return 0;
    text::Settings settings;
    settings.bits = 1 + (data[0] & 15);
    settings.multilabel = data[0] & 16;
    settings.labelled = fuzz::labelled_of(data[0] >> 5);
    settings.weight_field = "w";
    settings.tag_field = "id";
    settings.text.bits = settings.bits;
    const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
    const fuzz::Result got = fuzz::run_twice(text::make_jsonl, settings, input, data[1]);
    fuzz::compare(got, input, [&](const std::string& line, Row& row) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) return Verdict::nothing;
        const std::optional<Node> node = Parser(line).parse();
        if (!node) return Verdict::refused;
        return Meaning(settings, row).read(*node->as<Members>()) ? Verdict::row : Verdict::refused;
    });
    return 0;
}
