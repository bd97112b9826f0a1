#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "onlinear/text/batch.hpp"
#include "onlinear/text/bytes.hpp"
#include "onlinear/text/format.hpp"

namespace onlinear::text {

/// What to do with a line that cannot be read.
struct ErrorPolicy {
    bool skip = false;
    std::int64_t limit = 0;  ///< with `skip`: how many to pass over before stopping; 0 is no limit
};

/// Bytes in, in blocks of any size; batches out.
///
/// The caller fills `room`, calls `commit`, and then `read` until that is hungry again; `finish` says
/// that a file has ended and `start_file` that another begins. Lines may lie across blocks. Memory is
/// bounded by the longest line allowed, one block and one batch.
class Reader {
public:
    enum class State {
        hungry,   ///< every whole record was read: give more bytes
        full,     ///< the batch is full
        ended,    ///< the file has ended and every record of it was read
        stopped,  ///< a line cannot be read and the policy says to stop: see `problems`
    };

    static constexpr std::size_t kKeptProblems = 100;

    Reader(std::unique_ptr<Format> format, Limits limits, ErrorPolicy policy, std::size_t max_line);

    /// Space for at least `bytes` more. What was got before is no longer valid.
    char* room(std::size_t bytes);
    /// Says that `bytes` of the room were filled.
    void commit(std::size_t bytes);
    void finish();
    void start_file();

    /// Adds rows to `out` until one of the states is reached.
    State read(ParsedRows& out);

    /// Lines that could not be read, in all files.
    std::int64_t problem_count() const noexcept { return problem_count_; }
    /// The first of them.
    const std::vector<Problem>& problems() const noexcept { return problems_; }
    /// The one that was found last.
    const Problem& last_problem() const noexcept { return last_problem_; }
    std::int64_t line() const noexcept { return cursor_.line; }

private:
    bool skip_byte_order_mark();
    bool skip_long_line();
    bool go_on_after(const LineFault& fault);
    bool too_long() const noexcept;

    std::unique_ptr<Format> format_;
    const Limits limits_;
    const ErrorPolicy policy_;
    const std::size_t max_line_;
    Array<char> buffer_;
    Cursor cursor_;
    char* end_;             ///< behind the last byte
    char* complete_;        ///< behind the last newline
    bool at_start_ = true;  ///< nothing of the file was read yet
    bool finished_ = false;
    bool in_long_line_ = false;
    bool stopped_ = false;
    std::int64_t problem_count_ = 0;
    std::vector<Problem> problems_;
    Problem last_problem_;
};

}  // namespace onlinear::text
