#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onlinear/text/batch.hpp"
#include "onlinear/text/labels.hpp"
#include "onlinear/text/names.hpp"
#include "onlinear/text/problem.hpp"
#include "onlinear/text/settings.hpp"

/// What a reader asks of a file format: turn whole records into rows.
namespace onlinear::text {

/// Where the next record begins.
struct Cursor {
    const char* at = nullptr;
    std::int64_t line = 1;
};

/// When a batch is full.
struct Limits {
    std::int64_t rows = std::int64_t{1} << 62;
    std::int64_t entries = std::int64_t{1} << 62;

    bool reached(std::int64_t rows_now, std::int64_t entries_now) const noexcept {
        return rows_now >= rows || entries_now >= entries;
    }
    bool reached(const ParsedRows& batch) const noexcept { return reached(batch.rows(), batch.entries()); }
};

/// What the formats of one stream share, and what outlives each file of it.
struct Tables {
    LabelTable labels;
    NameTable names;
};

enum class Outcome {
    used_up,     ///< every whole record was read
    batch_full,  ///< the batch has reached a limit
    fault,       ///< the record at the cursor cannot be read; the cursor still stands on it
};

/// Something about a column that a user should hear, once.
struct Note {
    enum class About {
        guess,    ///< it holds categories, for its first cell is a word
        doubt,    ///< it was guessed to hold categories, and has a number
        unknown,  ///< the model has not learned from it
    };
    std::int64_t line;
    About about;
    std::string column, cell;
};

class Format {
public:
    Format() = default;
    Format(const Format&) = delete;
    Format& operator=(const Format&) = delete;
    virtual ~Format() = default;

    /// Reads records from the cursor on and moves it past them.
    ///
    /// The bytes up to `end` are whole lines (the last byte is a newline), with `kPadding` readable
    /// bytes on both sides. A record of several lines that goes on past `end` is left for later; when
    /// `last` is set there is no later.
    virtual Outcome parse(Cursor& cursor, const char* end, bool last, const Limits& limits, ParsedRows& out,
                          LineFault& fault) = 0;

    /// Where to go on after the faulty record at `record`: by default behind its line.
    virtual const char* after_fault(const char* record, const char* end) const;

    /// The bytes are about to move in memory: forget every pointer into them.
    virtual void bytes_moved() noexcept {}

    /// Another file begins.
    virtual void start_file() {}

    /// For a format with columns: their names and what each was taken for.
    virtual std::vector<std::pair<std::string, std::string>> schema() const { return {}; }

    /// Whether features may have names that `schema` does not tell.
    virtual bool open() const { return true; }

    /// What there was to say so far.
    const std::vector<Note>& notes() const noexcept { return notes_; }

protected:
    std::vector<Note> notes_;
    std::int64_t line_ = 1;  ///< where the record at hand begins
};

/// The word for what a column is.
const char* word_of(Role role) noexcept;

/// A format in which every line is a record.
class LineFormat : public Format {
public:
    explicit LineFormat(const Settings& settings) : max_line_(settings.max_line) {}

    Outcome parse(Cursor& cursor, const char* end, bool last, const Limits& limits, ParsedRows& out,
                  LineFault& fault) override;

protected:
    enum class Row { added, nothing, fault };

    /// Writes the line [first, last) as the batch's open row. `*last` is a newline or a carriage return.
    virtual Row row(const char* first, const char* last, ParsedRows& out, LineFault& fault) = 0;

    /// Reads the one line at the cursor and moves past it; false when there is a fault.
    bool read_line(Cursor& cursor, const char* end, ParsedRows& out, LineFault& fault);

private:
    const std::size_t max_line_;
};

/// The fault of a line of more bytes than allowed.
bool set_long_line_fault(const char* line, std::size_t max_line, LineFault& fault);

/// The fault of a row in which repeated features add up to more than a float holds.
void set_sum_fault(const char* line, LineFault& fault);

std::unique_ptr<Format> make_svmlight(const Settings& settings, Tables& tables);
std::unique_ptr<Format> make_vw(const Settings& settings, Tables& tables);
std::unique_ptr<Format> make_csv(const Settings& settings, Tables& tables);
std::unique_ptr<Format> make_jsonl(const Settings& settings, Tables& tables);
std::unique_ptr<Format> make_lines(const Settings& settings, Tables& tables);

}  // namespace onlinear::text
