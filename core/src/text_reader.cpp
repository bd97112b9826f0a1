#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "onlinear/text/reader.hpp"

namespace onlinear::text {

Reader::Reader(std::unique_ptr<Format> format, Limits limits, ErrorPolicy policy, std::size_t max_line)
    : format_(std::move(format)), limits_(limits), policy_(policy), max_line_(max_line) {
    buffer_.resize(2 * kPadding);
    std::memset(buffer_.data(), 0, buffer_.size());
    start_file();
}

void Reader::start_file() {
    format_->bytes_moved();
    format_->start_file();
    end_ = complete_ = buffer_.data() + kPadding;
    cursor_ = {end_, 1};
    at_start_ = true;
    finished_ = in_long_line_ = false;
}

char* Reader::room(std::size_t bytes) {
    format_->bytes_moved();
    const auto left = static_cast<std::size_t>(end_ - cursor_.at);
    const auto complete = static_cast<std::size_t>(complete_ - cursor_.at);
    char* front = buffer_.data() + kPadding;
    if (front != cursor_.at) std::memmove(front, cursor_.at, left);
    const std::size_t needed = kPadding + left + bytes + 1 + kPadding;  // 1: the newline of `finish`
    if (buffer_.size() < needed) {
        buffer_.resize(needed);
        front = buffer_.data() + kPadding;
    }
    cursor_.at = front;
    complete_ = front + complete;
    end_ = front + left;
    return end_;
}

void Reader::commit(std::size_t bytes) {
    const std::size_t newline = std::string_view(end_, bytes).rfind('\n');
    if (newline != std::string_view::npos) complete_ = end_ + newline + 1;
    end_ += bytes;
    std::memset(end_, 0, kPadding);
}

void Reader::finish() {
    finished_ = true;
    if (end_ == complete_) return;
    if (end_ == buffer_.data() + buffer_.size() - kPadding) room(0);
    *end_ = '\n';
    commit(1);
}

/// False while it takes more bytes to tell; a line shorter than a mark is not waited behind.
bool Reader::skip_byte_order_mark() {
    const auto size = static_cast<std::size_t>(end_ - cursor_.at);
    const std::string_view start(cursor_.at, std::min<std::size_t>(size, 3));
    const auto may_become = [start](std::string_view mark) {
        return start.size() < mark.size() && mark.starts_with(start);
    };
    if (!finished_ && (may_become("\xef\xbb\xbf") || may_become("\xff\xfe") || may_become("\xfe\xff")))
        return false;
    at_start_ = false;
    if (start == "\xef\xbb\xbf") {
        cursor_.at += 3;
        complete_ = std::max(complete_, buffer_.data() + (cursor_.at - buffer_.data()));
    }
    if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
        LineFault fault;
        fault.set(cursor_.at, "UTF-8 text", "UTF-16", "Convert the file first: iconv -f UTF-16 -t UTF-8");
        fault.fatal = true;
        go_on_after(fault);
    }
    return true;
}

bool Reader::go_on_after(const LineFault& fault) {
    last_problem_ = locate(fault, cursor_.at, cursor_.line);
    if (problems_.size() < kKeptProblems) problems_.push_back(last_problem_);
    ++problem_count_;
    stopped_ = fault.fatal || !policy_.skip || (policy_.limit > 0 && problem_count_ > policy_.limit);
    return !stopped_;
}

bool Reader::too_long() const noexcept { return static_cast<std::size_t>(end_ - cursor_.at) > max_line_; }

/// Drops the bytes of a line that is too long. False while its end has not been seen.
bool Reader::skip_long_line() {
    const auto* newline = static_cast<const char*>(
        std::memchr(cursor_.at, '\n', static_cast<std::size_t>(complete_ - cursor_.at)));
    if (newline == nullptr) {
        cursor_.at = complete_ = end_;
        return false;
    }
    cursor_ = {newline + 1, cursor_.line + 1};
    in_long_line_ = false;
    return true;
}

Reader::State Reader::read(ParsedRows& out) {
    if (at_start_ && !skip_byte_order_mark()) return State::hungry;
    if (stopped_) return State::stopped;
    for (;;) {
        if (in_long_line_ && !skip_long_line()) return finished_ ? State::ended : State::hungry;
        LineFault fault;
        switch (format_->parse(cursor_, complete_, finished_, limits_, out, fault)) {
            case Outcome::batch_full:
                return State::full;
            case Outcome::used_up:
                if (finished_) return State::ended;
                if (!too_long()) return State::hungry;
                set_long_line_fault(cursor_.at, max_line_, fault);
                in_long_line_ = true;
                if (!go_on_after(fault)) return State::stopped;
                break;
            case Outcome::fault: {
                if (!go_on_after(fault)) return State::stopped;
                const char* const next = format_->after_fault(cursor_.at, complete_);
                for (const char* p = cursor_.at; p != next; ++p) cursor_.line += *p == '\n';
                cursor_.at = next;
                break;
            }
        }
    }
}

}  // namespace onlinear::text
