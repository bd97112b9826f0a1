// CoNLL columns against a reader of whole lines that writes every feature out as text.
#include "harness.hpp"
#include "onlinear/sequence/conll.hpp"

using namespace onlinear;
using sequence::Dictionary;

namespace {

const std::vector<std::string> kColumns = {"w", "p"};
const std::vector<std::string> kTemplates = {
    "bias",       "__BOS__",      "__EOS__",      "p[-1]|w[0]",        "w[0].lower",     "w[1].shape",
    "w[0].brief", "w[-2].digits", "w[0].prefix2", "w[0].suffix3|p[0]", "w[-1]|w[0]|w[1]"};

/// A token of the result: its label ("none" when it has no number) and its features as text.
struct Token {
    std::string label;
    std::vector<std::string> features;

    bool operator==(const Token&) const = default;
};

struct Reading {
    std::vector<std::vector<Token>> sentences;
    bool refused = false;
    std::string why;

    bool operator==(const Reading& other) const {
        // What came before a refusal is thrown away by the caller, so only the refusal itself must agree.
        return refused == other.refused && why == other.why && (refused || sentences == other.sentences);
    }
};

/// What the reader is given besides the bytes.
struct Setup {
    bool learning;
    std::size_t max_features;
};

constexpr std::string_view kLesson = "The DT B\ndog NN I\n\nA DT B\n2nd JJ B\ndog NN I\n";

// ---------------------------------------------------------------------- the reader

void feed(sequence::ConllReader& reader, std::string_view data, std::size_t block,
          sequence::Sentences& batch) {
    for (std::size_t at = 0; at < data.size(); at += block) reader.feed(data.substr(at, block), batch);
    reader.finish(batch);
}

Reading shown(const sequence::Sentences& batch, const Dictionary& names, const sequence::Layout& layout,
              const Dictionary& labels) {
    std::vector<std::size_t> name_of(layout.slots(), names.size());
    for (std::size_t i = 0; i < layout.column.size(); ++i) name_of.at(layout.column[i]) = i;
    Reading out;
    for (std::size_t s = 0; s < batch.sentences(); ++s) {
        const sequence::Sentence<double> sentence = batch.at<double>(s);
        std::vector<Token>& tokens = out.sentences.emplace_back();
        for (std::size_t i = 0; i < sentence.size; ++i) {
            const std::int32_t label = sentence.label[i];
            fuzz::require(label < static_cast<std::int32_t>(labels.size()), "a label has no name");
            Token& token = tokens.emplace_back();
            token.label = label < 0 ? "none" : std::string(labels[static_cast<std::size_t>(label)]);
            for (std::size_t k = 0; k < sentence.count(i); ++k) {
                const std::size_t name = name_of.at(sentence.features(i)[k]);
                fuzz::require(name < names.size(), "a slot belongs to no column");
                token.features.emplace_back(names[name]);
            }
        }
    }
    return out;
}

/// Everything a reader works on.
struct Desk {
    sequence::Extractor extractor{kTemplates, kColumns};
    Dictionary names, labels;
    sequence::Layout layout;

    void read(std::string_view data, const Setup& setup, std::size_t block, sequence::Sentences& batch) {
        sequence::ConllReader reader(extractor, names, layout, labels, setup.max_features, setup.learning);
        feed(reader, data, block, batch);
    }
};

Desk taught() {
    Desk desk;
    sequence::Sentences batch;
    desk.read(kLesson, {true, 1 << 20}, kLesson.size(), batch);
    return desk;
}

Reading read(std::string_view data, const Setup& setup, std::size_t block) {
    static const Desk kFresh, kTaught = taught();
    Desk desk = setup.learning ? kFresh : kTaught;
    sequence::Sentences batch;
    try {
        desk.read(data, setup, block, batch);
    } catch (const std::invalid_argument& error) {
        return {{}, true, std::string(error.what()).substr(0, std::string(error.what()).find(':'))};
    } catch (const std::length_error&) {
        return {{}, true, "too many features"};
    }
    return shown(batch, desk.names, desk.layout, desk.labels);
}

// ---------------------------------------------------------------------- the reference

std::string from_latin(const std::string& line) {
    std::string out;
    for (const char c : line) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x80) {
            out += c;
        } else {
            out += static_cast<char>(0xC0 + code / 64);
            out += static_cast<char>(0x80 + code % 64);
        }
    }
    return out;
}

std::vector<std::string> characters(const std::string& word) {
    std::vector<std::string> out;
    for (const char c : word) {
        if (out.empty() || (static_cast<unsigned char>(c) & 0xC0) != 0x80) out.emplace_back();
        out.back() += c;
    }
    return out;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += part;
    return out;
}

std::string with_classes(std::string word) {
    for (char& c : word) {
        if (c >= 'A' && c <= 'Z')
            c = 'X';
        else if (c >= 'a' && c <= 'z')
            c = 'x';
        else if (c >= '0' && c <= '9')
            c = '0';
    }
    return word;
}

std::string trait(const std::string& word, const std::string& name) {
    std::string out = word;
    if (name == "lower") {
        for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (name == "digits") {
        for (char& c : out) c = c >= '0' && c <= '9' ? '0' : c;
    } else if (name == "shape") {
        out = with_classes(word);
    } else if (name == "brief") {
        // Runs of ASCII become one; bytes of a longer character stay as they are.
        out = with_classes(word);
        const auto repeats = [](char a, char b) { return a == b && static_cast<unsigned char>(a) < 0x80; };
        out.erase(std::unique(out.begin(), out.end(), repeats), out.end());
    } else if (!name.empty()) {
        std::vector<std::string> all = characters(word);
        const auto length = std::min(all.size(), static_cast<std::size_t>(name.back() - '0'));
        if (name.starts_with("prefix"))
            all.resize(length);
        else
            all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(length));
        out = joined(all);
    }
    return out;
}

using Lines = std::vector<std::vector<std::string>>;

/// The text of one template at one token, or nothing when a part leaves the sentence.
std::optional<std::string> feature(const std::string& name, const Lines& sentence, std::size_t token) {
    if (name == "bias") return name;
    if (name == "__BOS__") return token == 0 ? std::optional(name) : std::nullopt;
    if (name == "__EOS__") return token + 1 == sentence.size() ? std::optional(name) : std::nullopt;
    std::string out = name + "=";
    bool first = true;
    for (const std::string& part : fuzz::split(name, "|")) {
        const std::size_t open = part.find('['), close = part.find(']');
        const long at = static_cast<long>(token) + std::strtol(part.c_str() + open + 1, nullptr, 10);
        if (at < 0 || at >= static_cast<long>(sentence.size())) return {};
        const std::string& word = sentence[static_cast<std::size_t>(at)][part[0] == 'w' ? 0 : 1];
        const std::string what = close + 1 < part.size() ? part.substr(close + 2) : "";
        out += (first ? "" : "|") + trait(word, what);
        first = false;
    }
    return out;
}

class Reference {
public:
    explicit Reference(const Setup& setup) : setup_(setup) {
        if (setup.learning) return;
        setup_ = {true, 1 << 20};
        read(kLesson);
        setup_ = setup;
        columns_ = 0;
    }

    Reading read(std::string_view data) {
        reading_ = {};
        Lines sentence;
        std::size_t number = 0;
        for (std::size_t at = 0; at < data.size() && !reading_.refused;) {
            const std::size_t newline = std::min(data.find('\n', at), data.size());
            std::string line(data.substr(at, newline - at));
            at = newline + 1;
            if (++number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
            if (!fuzz::is_utf8(line)) line = from_latin(line);
            const std::vector<std::string> fields = fuzz::split(line, " \t\n\v\f\r");
            if (fields.empty())
                end(sentence);
            else if (fits(fields.size()))
                sentence.push_back(fields);
            else
                refuse("line " + std::to_string(number));
        }
        if (!reading_.refused) end(sentence);
        return reading_;
    }

private:
    bool fits(std::size_t fields) {
        if (columns_ == 0) {
            if (fields != kColumns.size() + 1 && (setup_.learning || fields != kColumns.size())) return false;
            columns_ = fields;
        }
        return fields == columns_;
    }

    void refuse(const std::string& why) {
        reading_.refused = true;
        reading_.why = why;
    }

    void end(Lines& sentence) {
        if (sentence.empty()) return;
        std::vector<Token>& tokens = reading_.sentences.emplace_back();
        for (const std::vector<std::string>& fields : sentence) tokens.push_back({label(fields), {}});
        for (std::size_t i = 0; i < sentence.size() && !reading_.refused; ++i) {
            for (const std::string& name : kTemplates) {
                const std::optional<std::string> text = feature(name, sentence, i);
                if (text && known(*text)) tokens[i].features.push_back(*text);
            }
        }
        sentence.clear();
    }

    std::string label(const std::vector<std::string>& fields) const {
        return columns_ > kColumns.size() ? fields.back() : "none";
    }

    bool known(const std::string& text) {
        if (names_.contains(text)) return true;
        if (!setup_.learning) return false;
        if (names_.size() >= setup_.max_features) refuse("too many features");
        names_[text] = true;
        return true;
    }

    Setup setup_;
    std::size_t columns_ = 0;
    std::map<std::string, bool> names_;
    Reading reading_;
};

void show(const char* who, const Reading& reading) {
    std::fprintf(stderr, "%s: %s\n", who, reading.refused ? reading.why.c_str() : "read");
    for (const std::vector<Token>& sentence : reading.sentences) {
        for (const Token& token : sentence) {
            std::fprintf(stderr, "  [%s]", token.label.c_str());
            for (const std::string& name : token.features) std::fprintf(stderr, " {%s}", name.c_str());
            std::fprintf(stderr, "\n");
        }
        std::fprintf(stderr, "\n");
    }
}

void compare(const Reading& got, const Reading& expected, const char* why) {
    if (got == expected) return;
    show("got", got);
    show("expected", expected);
    fuzz::fail(why);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 || size > 4096) return 0;
    const Setup setup{(data[0] & 1) == 0, data[0] & 2 ? std::size_t{40} : std::size_t{1} << 20};
    const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
    const Reading whole = read(input, setup, input.size() + 1);
    compare(read(input, setup, 1 + data[1] % 61), whole, "blocks change the result");
    compare(whole, Reference(setup).read(input), "the reference reads it otherwise");
    return 0;
}
