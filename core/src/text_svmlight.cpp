/// svmlight, also called libsvm: "label index:value index:value # comment".
///
/// Layout: `Svmlight::row` reads any line with care and can say what is wrong with it. `QuickRows`
/// and svmlight_rows.inc read the plain lines, nearly all there are, several times as fast; what they
/// do not recognise they hand back, so that one place alone decides what is right.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "onlinear/simd/simd.hpp"
#include "onlinear/text/bytes.hpp"
#include "onlinear/text/format.hpp"
#include "onlinear/text/murmur3.hpp"
#include "onlinear/text/number.hpp"

#if defined(__x86_64__)
#pragma GCC diagnostic push
#if !defined(__clang__)
// GCC says it of vectors that need not be set, in its own header.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace onlinear::text {

namespace {

constexpr std::uint32_t kChunk = 1 << 16;
static_assert(kChunk <= kLeastMaxLine, "the quick parser must not see a line that is too long");
constexpr std::size_t kMarkSlack = 80;
constexpr std::uint32_t kExactFloat = 1 << 24;
[[maybe_unused]] constexpr int kWait = 32;  // entries read one by one after eight could not be read together
constexpr float kExactFloatPowers[16] = {1e0f, 1e1f, 1e2f,  1e3f, 1e4f, 1e5f, 1e6f, 1e7f,
                                         1e8f, 1e9f, 1e10f, 1,    1,    1,    1,    1};

enum class Stop { used_up, batch_full, careful };
enum class LabelEnd { entries, line_end, unknown };

/// A token the quick parser does not take: read in full, or not at all.
struct OddToken {
    enum class Kind { entry, line_end, unknown };
    Kind kind = Kind::unknown;
    std::int32_t column = 0;
    float value = 0;
    std::uint32_t stop = 0;  ///< the offset just behind it
};

const char* token_end(const char* p) noexcept {
    while (static_cast<unsigned char>(*p) > ' ') ++p;
    return p;
}

class Svmlight;

/// The state of the quick parser: a chunk of whole lines, its marks, and the batch's arrays.
struct QuickRows {
    Svmlight* format = nullptr;
    ParsedRows* out = nullptr;
    Limits limits;
    const char* base = nullptr;
    std::uint32_t size = 0;
    std::uint32_t start = 0;  ///< offset of the next line
    std::int64_t line = 0;    ///< its number
    const std::uint32_t* marks = nullptr;
    const char* signs = nullptr;  ///< the characters at the marks, for parsers that read them
    const std::uint32_t* next = nullptr;
    const std::uint32_t* end = nullptr;
    std::int32_t* indices = nullptr;
    float* values = nullptr;
    std::size_t count = 0;  ///< entries written in ended rows
    std::size_t room = 0;
    std::int32_t first_index = 1;
    std::uint64_t columns = 0;

    bool covers(const char* p) const noexcept { return p >= base && p < base + size; }
    void move_to(const char* p) noexcept {
        start = static_cast<std::uint32_t>(p - base);
        while (next != end && *next < start) ++next;
    }
    bool full() const noexcept { return limits.reached(out->rows(), static_cast<std::int64_t>(count)); }
    void skip_line() noexcept {
        ++next;
        ++start;
        ++line;
    }
    /// Reads the label of the line at `start` and moves that to its entries.
    LabelEnd read_label(std::uint32_t& at);
    /// Leaves the line that was begun to the careful parser.
    Stop give_up() {
        out->drop_labels();
        return Stop::careful;
    }
    OddToken odd_token(std::uint32_t offset) const noexcept;
    bool end_row(std::size_t new_count, bool rising, std::uint32_t stop, const std::uint32_t* mark);
    bool settle(std::size_t& new_count);
    void open(ParsedRows& batch);
    void close() { resize(count); }
    void resize(std::size_t entries) {
        out->indices.resize(entries);
        out->values.resize(entries);
    }
};

class Svmlight final : public LineFormat {
public:
    Svmlight(const Settings& settings, Tables& tables)
        : LineFormat(settings), settings_(settings), tables_(tables) {}

    Outcome parse(Cursor& cursor, const char* end, bool last, const Limits& limits, ParsedRows& out,
                  LineFault& fault) override;
    void bytes_moved() noexcept override { quick_ = {}; }

    /// Adds the labels at `p`; answers where they end, or null when the careful parser must look.
    const char* quick_label(const char* p, ParsedRows& out);

protected:
    Row row(const char* first, const char* last, ParsedRows& out, LineFault& fault) override;

private:
    bool scan(const Cursor& cursor, const char* end);
    bool label(const char*& p, const char* last, ParsedRows& out, LineFault& fault);
    bool entry(const char* first, const char* last, ParsedRows& out, LineFault& fault) const;
    bool column(const char* first, const char* last, std::int32_t& column, LineFault& fault) const;

    const Settings settings_;
    Tables& tables_;
    Array<std::uint32_t> marks_;
    Array<char> signs_;
    QuickRows quick_;
};

LabelEnd QuickRows::read_label(std::uint32_t& at) {
    const char* const stop = format->quick_label(base + at, *out);
    if (stop == nullptr) {
        give_up();
        return LabelEnd::unknown;
    }
    if (stop == base + at) return LabelEnd::entries;  // no label
    at = static_cast<std::uint32_t>(stop - base) + 1;
    return *stop == '\n' ? LabelEnd::line_end : LabelEnd::entries;
}

OddToken QuickRows::odd_token(std::uint32_t offset) const noexcept {
    const char* p = base + offset;
    while (is_blank(*p)) ++p;
    OddToken token;
    if (*p == '\n') {
        token.kind = OddToken::Kind::line_end;
        token.stop = static_cast<std::uint32_t>(p - base);
        return token;
    }
    std::uint64_t index = 0;
    const char* const colon = take_digits(p, index);
    if (colon == p || colon - p > 19 || *colon != ':') return token;
    index -= static_cast<std::uint64_t>(first_index);
    if (index >= columns) return token;
    const Decimal number = scan_decimal(colon + 1);
    if (number.end == nullptr || static_cast<unsigned char>(*number.end) > ' ') return token;
    token.value = to_float(colon + 1, number);
    if (std::isinf(token.value)) return token;
    token.kind = OddToken::Kind::entry;
    token.column = static_cast<std::int32_t>(index);
    token.stop = static_cast<std::uint32_t>(number.end - base);
    return token;
}

bool QuickRows::end_row(std::size_t new_count, bool rising, std::uint32_t stop, const std::uint32_t* mark) {
    // In a rising row the last index is the largest, and the first is not below 0.
    const bool in_range =
        rising ? new_count == count || static_cast<std::uint64_t>(indices[new_count - 1]) < columns
               : settle(new_count);
    if (!in_range) {
        give_up();
        return false;
    }
    count = new_count;
    out->close_row(line, static_cast<std::int64_t>(count));
    next = mark;
    start = stop + 1;
    ++line;
    return true;
}

bool QuickRows::settle(std::size_t& new_count) {
    for (std::size_t i = count; i < new_count; ++i) {
        if (indices[i] < 0 || static_cast<std::uint64_t>(indices[i]) >= columns) return false;
    }
    resize(new_count);
    const bool finite = out->merge_entries(count);
    new_count = static_cast<std::size_t>(out->entries());
    resize(room);
    return finite;
}

void QuickRows::open(ParsedRows& batch) {
    out = &batch;
    count = static_cast<std::size_t>(batch.entries());
    room = count + (size - start) / 4 + 2;  // an entry takes four bytes at least
    if (room > batch.indices.capacity() && size > kChunk / 2) {
        // A long input: all a batch will need at once. Growing step by step would copy it, and touch memory
        // twice.
        constexpr std::int64_t kMost = 1 << 18;
        const auto whole = static_cast<std::size_t>(std::min(limits.entries, kMost)) + kChunk / 4 + 2;
        batch.indices.reserve(std::max(room, whole));
        batch.values.reserve(std::max(room, whole));
    }
    resize(room);
    indices = batch.indices.data();
    values = batch.values.data();
}

#define ONLINEAR_ISA portable
#define ONLINEAR_TARGET
#include "svmlight_rows.inc"
#undef ONLINEAR_ISA
#undef ONLINEAR_TARGET

#if defined(__x86_64__)
#define ONLINEAR_ISA avx2
#define ONLINEAR_TARGET [[gnu::target("avx2,bmi,bmi2,popcnt")]]
#define ONLINEAR_AVX2
#include "svmlight_rows.inc"
#undef ONLINEAR_ISA
#undef ONLINEAR_TARGET
#undef ONLINEAR_AVX2

#define ONLINEAR_ISA avx512
#define ONLINEAR_TARGET [[gnu::target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")]]
#define ONLINEAR_AVX2
#define ONLINEAR_AVX512
#include "svmlight_rows.inc"
#undef ONLINEAR_ISA
#undef ONLINEAR_TARGET
#undef ONLINEAR_AVX2
#undef ONLINEAR_AVX512
#endif

/// The loops of the parser for one instruction set. Those for AVX-512 read a file of 20 classes in 27 ms
/// instead of 50 with AVX2, and a file of texts in 110 instead of 190: 14 % of `onlinear train` on the
/// former.
struct Parser {
    std::uint32_t* (*find_marks)(const char*, std::uint32_t, std::uint32_t*, char*) noexcept;
    Stop (*read_rows)(QuickRows&);
};

Parser best_parser() noexcept {
#if defined(__x86_64__)
    const std::string_view level = simd_level();
    __builtin_cpu_init();
    if (level != "base" && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt")) {
        if (level == "avx512" && __builtin_cpu_supports("avx512vbmi2"))
            return {avx512::find_marks, avx512::read_rows};
        return {avx2::find_marks, avx2::read_rows};
    }
#endif
    return {portable::find_marks, portable::read_rows};
}

const Parser& parser() noexcept {
    static const Parser chosen = best_parser();
    return chosen;
}

/// Finds the marks of the lines at the cursor. False when the first of them is too long for a chunk.
bool Svmlight::scan(const Cursor& cursor, const char* end) {
    std::size_t size = static_cast<std::size_t>(end - cursor.at);
    if (size > kChunk) {
        size = std::string_view(cursor.at, kChunk).rfind('\n') + 1;
        if (size == 0) return false;
    }
    if (marks_.size() < size + kMarkSlack) {  // all may be marks
        marks_.resize(size + kMarkSlack);
        signs_.resize(size + kMarkSlack);
    }
    quick_.base = cursor.at;
    quick_.size = static_cast<std::uint32_t>(size);
    quick_.start = 0;
    quick_.next = quick_.marks = marks_.data();
    quick_.signs = signs_.data();
    std::uint32_t* const marks_end =
        parser().find_marks(quick_.base, quick_.size, marks_.data(), signs_.data());
    quick_.end = marks_end;
    // The parser looks a few marks ahead; those past the end lead to the last newline.
    for (int i = 0; i < 4; ++i) marks_end[i] = quick_.size - 1;
    return true;
}

Outcome Svmlight::parse(Cursor& cursor, const char* end, bool, const Limits& limits, ParsedRows& out,
                        LineFault& fault) {
    quick_.format = this;
    quick_.limits = limits;
    quick_.first_index = settings_.zero_based ? 0 : 1;
    quick_.columns = settings_.bits == 0 ? settings_.max_features : std::uint64_t{1} << settings_.bits;
    while (cursor.at != end) {
        if (quick_.covers(cursor.at) || scan(cursor, end)) {
            quick_.move_to(cursor.at);
            quick_.line = cursor.line;
            quick_.open(out);
            const Stop stop = parser().read_rows(quick_);
            quick_.close();
            cursor = {quick_.base + quick_.start, quick_.line};
            if (stop == Stop::batch_full) return Outcome::batch_full;
            if (stop == Stop::used_up) continue;
        }
        if (!read_line(cursor, end, out, fault)) return Outcome::fault;
        if (limits.reached(out)) return Outcome::batch_full;
    }
    return Outcome::used_up;
}

const char* Svmlight::quick_label(const char* p, ParsedRows& out) {
    if (settings_.labelled == Labelled::never) {
        if (is_blank(*p)) return nullptr;  // perhaps there is nothing else on the line
        if (!settings_.multilabel) out.add_missing_label();
        return p;
    }
    for (const char* at = p;; ++at) {
        const Decimal number = scan_decimal(at);
        if (number.end == nullptr) return nullptr;
        const double label = to_double(at, number);
        if (std::isinf(label)) return nullptr;
        out.add_number_label(label);
        at = number.end;
        if (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') return at;
        if (*at == ':' && settings_.labelled == Labelled::as_found && !settings_.multilabel) {
            out.drop_labels();
            out.add_missing_label();
            return p;
        }
        if (*at != ',' || !settings_.multilabel) return nullptr;
    }
}

bool Svmlight::label(const char*& p, const char* last, ParsedRows& out, LineFault& fault) {
    const char* const first = p;
    const char* const stop = std::min(token_end(p), last);
    const auto size = static_cast<std::size_t>(stop - first);
    const bool has_label = settings_.labelled != Labelled::never && std::memchr(first, ':', size) == nullptr;
    if (!has_label) {
        if (settings_.labelled == Labelled::always && !settings_.multilabel) {
            return fault.set(first, "a label", quoted(first, stop), "Begin the line with its label.");
        }
        if (!settings_.multilabel) out.add_missing_label();
        return true;
    }
    p = stop;
    if (settings_.multilabel) return add_label_list(first, stop, out, tables_.labels, fault);
    double number = 0;
    if (std::memchr(first, ',', size) != nullptr && is_digit(*first) &&
        parse_double(first, stop, number) == NumberKind::word) {
        return fault.set(first, "one label", quoted(first, stop),
                         "Use multilabel=True (--task multilabel) for rows with several labels.");
    }
    return add_label(first, stop, out, tables_.labels, fault);
}

bool Svmlight::column(const char* first, const char* last, std::int32_t& column, LineFault& fault) const {
    std::uint64_t index = 0;
    const char* const stop = take_digits(first, index);
    if (stop != last || first == last) {
        const bool negative = *first == '-' && last - first > 1 && is_digit(first[1]);
        const std::string lowest = settings_.zero_based ? "0" : "1";
        return fault.set(first, negative ? "an index of at least " + lowest : "index:value",
                         quoted(first, token_end(first)),
                         negative ? "Indices count columns and are never negative."
                                  : "The index before ':' is a whole number.");
    }
    const char* significant = first;
    while (significant != last - 1 && *significant == '0') ++significant;
    const bool huge = last - significant > 19;
    if (!huge && !settings_.zero_based && index == 0) {
        return fault.set(first, "an index of at least 1", quoted(first, last),
                         "Use zero_based=True (--zero-based) when indices start at 0.");
    }
    if (!settings_.zero_based) --index;
    if (settings_.bits != 0 && !huge) {
        column = static_cast<std::int32_t>(hashed_index(index, settings_.bits));
        return true;
    }
    if (huge || index >= settings_.max_features) {
        const std::uint64_t highest = settings_.max_features - (settings_.zero_based ? 1 : 0);
        const bool hashed = settings_.bits != 0;
        return fault.set(first,
                         "an index of at most " + (hashed ? "9999999999999999999" : std::to_string(highest)),
                         quoted(first, last),
                         hashed ? "Indices have at most 19 digits."
                                : "Hash the indices with bits=20 (--bits 20), or raise max_features "
                                  "(--max-features).");
    }
    column = static_cast<std::int32_t>(index);
    return true;
}

bool Svmlight::entry(const char* first, const char* last, ParsedRows& out, LineFault& fault) const {
    const auto* colon =
        static_cast<const char*>(std::memchr(first, ':', static_cast<std::size_t>(last - first)));
    if (colon == nullptr) {
        return fault.set(first, "index:value", quoted(first, last), "Use ':' between index and value.");
    }
    if (std::string_view(first, static_cast<std::size_t>(colon - first)) == "qid") return true;
    std::int32_t index = 0;
    if (!column(first, colon, index, fault)) return false;
    float value = 0;
    const NumberKind kind = parse_float(colon + 1, last, value);
    if (kind != NumberKind::finite) {
        return set_number_fault(kind, colon + 1, {colon + 1, static_cast<std::size_t>(last - colon - 1)},
                                fault);
    }
    out.add_entry(index, value);
    return true;
}

LineFormat::Row Svmlight::row(const char* first, const char* last, ParsedRows& out, LineFault& fault) {
    if (const void* comment = std::memchr(first, '#', static_cast<std::size_t>(last - first))) {
        last = static_cast<const char*>(comment);
    }
    const char* p = first;
    while (p != last && is_blank(*p)) ++p;
    if (p == last) return Row::nothing;
    // In a multilabel file a line that starts with a blank has no label.
    const bool unlabelled = settings_.multilabel && p != first;
    if (!unlabelled && !label(p, last, out, fault)) return Row::fault;
    for (;;) {
        while (p != last && is_blank(*p)) ++p;
        if (p == last) return Row::added;
        const char* const stop = std::min(token_end(p), last);
        // A control character ends no token and starts none.
        if (stop == p || (stop != last && !is_blank(*stop))) {
            fault.set(p, "index:value", quoted(p, std::min(stop + 1, last)), "This is not svmlight text.");
            return Row::fault;
        }
        if (!entry(p, stop, out, fault)) return Row::fault;
        p = stop;
    }
}

}  // namespace

std::unique_ptr<Format> make_svmlight(const Settings& settings, Tables& tables) {
    return std::make_unique<Svmlight>(settings, tables);
}

}  // namespace onlinear::text
