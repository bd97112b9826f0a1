#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "onlinear/text/murmur3.hpp"
#include "onlinear/text/number.hpp"
#include "onlinear/text/reader.hpp"
#include "testing.hpp"

/// Bytes in, rows out: numbers, labels, and a line of each format.
namespace {

using namespace onlinear::text;

/// What a reader makes of some bytes, given in blocks of some size.
struct Got {
    ParsedRows batch;
    std::vector<std::string> labels;
    std::vector<Problem> problems;
};

using Maker = std::unique_ptr<Format> (*)(const Settings&, Tables&);

Got read(Maker make, const std::string& bytes, Settings settings = {}, std::size_t block = 1 << 16,
         bool skip = false) {
    Tables tables;
    Got got;
    Reader reader(make(settings, tables), {}, {.skip = skip}, settings.max_line);
    for (std::size_t first = 0; first < bytes.size(); first += block) {
        const std::size_t n = std::min(block, bytes.size() - first);
        std::memcpy(reader.room(n), bytes.data() + first, n);
        reader.commit(n);
        reader.read(got.batch);
    }
    reader.finish();
    reader.read(got.batch);
    got.labels = tables.labels.texts();
    got.problems = reader.problems();
    return got;
}

using Entries = std::vector<std::pair<std::int32_t, float>>;

Entries entries(const ParsedRows& batch, std::size_t row) {
    Entries out;
    for (auto k = static_cast<std::size_t>(batch.indptr[row]);
         k < static_cast<std::size_t>(batch.indptr[row + 1]); ++k)
        out.emplace_back(batch.indices[k], batch.values[k]);
    return out;
}

/// Text with the room around it that parsers ask for.
struct Padded {
    explicit Padded(const std::string& text) : all(kPadding, '\0'), size(text.size()) {
        all += text + std::string(kPadding, '\0');
    }
    const char* first() const { return all.data() + kPadding; }
    const char* last() const { return first() + size; }

    std::string all;
    std::size_t size;
};

Settings hashing(unsigned bits) {
    Settings settings;
    settings.bits = settings.text.bits = bits;
    return settings;
}

std::vector<float> values(const ParsedRows& batch, std::size_t row) {
    std::vector<float> out;
    for (const auto& [column, value] : entries(batch, row)) out.push_back(value);
    std::sort(out.begin(), out.end());
    return out;
}

TEST("decimals become the nearest float and double") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 50000; ++i) {
        std::string text = random() % 2 ? "-" : "";
        text += std::to_string(random() >> (random() % 64));
        if (random() % 2) text.append(".").append(std::to_string(random() >> (random() % 64)));
        if (random() % 3 == 0) text.append("e").append(std::to_string(static_cast<int>(random() % 80) - 40));
        const Padded padded(text);
        float single = 0;
        double both = 0;
        const NumberKind kind = parse_float(padded.first(), padded.last(), single);
        const float nearest = std::strtof(text.c_str(), nullptr);
        CHECK(kind == (std::isinf(nearest) ? NumberKind::overflow : NumberKind::finite));
        if (kind == NumberKind::finite) CHECK(single == nearest);
        CHECK(parse_double(padded.first(), padded.last(), both) == NumberKind::finite);
        CHECK(both == std::strtod(text.c_str(), nullptr));
    }
}

TEST("what is no decimal is told apart") {
    const auto kind = [](const char* text) {
        double value = 0;
        const Padded padded(text);
        return parse_double(padded.first(), padded.last(), value);
    };
    for (const char* text : {"", "-", ".", "1e", "1 ", "0x1", "--1", "1_0", "in", "infinit"})
        CHECK(kind(text) == NumberKind::word);
    for (const char* text : {"nan", "-NaN", "inf", "+Infinity"}) CHECK(kind(text) == NumberKind::special);
    CHECK(kind("1e309") == NumberKind::overflow);
    CHECK(kind("1e-400") == NumberKind::finite);
}

TEST("a label is a number where it reads as one, else a text with a number of its own") {
    ParsedRows batch;
    LabelTable table;
    LineFault fault;
    for (const char* label : {"+1", "1.0", "-0", "spam", "1e", "spam"}) {
        const Padded padded(label);
        CHECK(add_label(padded.first(), padded.last(), batch, table, fault));
    }
    CHECK(batch.labels[0] == 1 && batch.labels[1] == 1 && !std::signbit(batch.labels[2]));
    CHECK(std::vector<std::int32_t>(batch.label_ids.begin(), batch.label_ids.end()) ==
          std::vector<std::int32_t>{-1, -1, -1, 0, 1, 0});
    CHECK(table.texts() == std::vector<std::string>{"spam", "1e"});
}

TEST("labels that are not finite, not UTF-8, not printable or too long are refused") {
    for (const std::string& label : {std::string("nan"), std::string("1e999"), std::string("a\xff"),
                                     std::string("a\x01"), std::string(1025, 'a')}) {
        ParsedRows batch;
        LabelTable table;
        LineFault fault;
        const Padded padded(label);
        CHECK(!add_label(padded.first(), padded.last(), batch, table, fault));
        CHECK(fault && !fault.expected.empty() && !fault.remedy.empty());
        CHECK(table.texts().empty());
    }
}

TEST("a line of svmlight") {
    const Got got = read(make_svmlight, "-1 3:0.5 1:2 3:0.25 # words\nspam 7:1\n");
    CHECK(got.problems.empty() && got.batch.rows() == 2);
    CHECK(got.batch.labels[0] == -1 && got.labels == std::vector<std::string>{"spam"});
    CHECK(entries(got.batch, 0) == Entries{{0, 2.0f}, {2, 0.75f}});
    CHECK(entries(got.batch, 1) == Entries{{6, 1.0f}});
}

TEST("a line of Vowpal Wabbit") {
    Settings own = hashing(18);
    own.hash = Hash::vw;
    const Got got = read(make_vw, "2 0.5 'tag | 3:1.5 8 |a:2 4:-1\n", own);
    CHECK(got.problems.empty() && got.batch.rows() == 1);
    CHECK(got.batch.labels[0] == 2 && got.batch.weights[0] == 0.5 && got.batch.tags == "tag");
    const std::uint32_t space = murmur3_32("a", 1, 0);
    Entries want{{3, 1.5f}, {8, 1.0f}, {static_cast<std::int32_t>((space + 4) & ((1u << 18) - 1)), -2.0f}};
    std::sort(want.begin(), want.end());
    CHECK(entries(got.batch, 0) == want);
}

TEST("a line of CSV, its header before it") {
    const Got got = read(make_csv, "x,label,\"y \"\"2\"\"\"\n1.5,spam,\"-2\"\n", hashing(20));
    CHECK(got.problems.empty() && got.batch.rows() == 1);
    CHECK(got.labels == std::vector<std::string>{"spam"});
    CHECK(values(got.batch, 0) == std::vector<float>{-2.0f, 1.5f});
}

TEST("a line of JSON") {
    Settings settings = hashing(20);
    settings.label_field = "label";
    const Got got =
        read(make_jsonl, "{\"label\": \"a\\u00e9\", \"features\": {\"x\": 1.5, \"y\": -2}}\n", settings);
    CHECK(got.problems.empty() && got.batch.rows() == 1);
    CHECK(got.labels == std::vector<std::string>{"a\xc3\xa9"});
    CHECK(values(got.batch, 0) == std::vector<float>{-2.0f, 1.5f});
}

TEST("lines cut into blocks of any size are the same rows") {
    std::string text = "\xef\xbb\xbf";
    for (int i = 0; i < 40; ++i)
        text += std::to_string(i % 3) + " " + std::to_string(1 + i) + ":0.5 " + std::to_string(100 + i) +
                ":12345678.9\r\n";
    const Got whole = read(make_svmlight, text);
    CHECK(whole.problems.empty() && whole.batch.rows() == 40);
    for (const std::size_t block : {1u, 2u, 3u, 7u, 64u, 65u}) {
        const Got cut = read(make_svmlight, text, {}, block);
        CHECK(cut.batch.indices == whole.batch.indices && cut.batch.values == whole.batch.values);
        CHECK(cut.batch.indptr == whole.batch.indptr && cut.batch.lines == whole.batch.lines);
    }
}

TEST("a bad line is named by line and column, and the next one is read") {
    const Got got = read(make_svmlight, "1 1:1\n1 1:x\n\n2 2:1 0:1\n1 5:1", {}, 5, true);
    CHECK(got.batch.rows() == 2);
    CHECK(got.problems.size() == 2);
    CHECK(got.problems[0].line == 2 && got.problems[0].column == 5);
    CHECK(got.problems[1].line == 4 && got.problems[1].column == 7);
    CHECK(got.batch.lines[1] == 5);
}

}  // namespace
