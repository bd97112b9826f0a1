#include <cstring>
#include <stdexcept>

#include "onlinear/sequence/conll.hpp"

namespace onlinear::sequence {

namespace {

bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <class F>
void each_field(std::string_view line, F&& f) {
    const char* p = line.data();
    const char* const end = p + line.size();
    while (true) {
        while (p != end && is_blank(*p)) ++p;
        if (p == end) return;
        const char* const start = p;
        while (p != end && !is_blank(*p)) ++p;
        f(std::string_view(start, static_cast<std::size_t>(p - start)));
    }
}

bool is_ascii(std::string_view text) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + i, 8);
        if (word & 0x8080808080808080u) return false;
    }
    for (; i < text.size(); ++i)
        if (text[i] & 0x80) return false;
    return true;
}

/// How many bytes the character at p takes, or 0 when it is not UTF-8.
std::size_t utf8_size(const unsigned char* p, std::size_t left) noexcept {
    if (p[0] < 0x80) return 1;
    const std::size_t size = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || size > left) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((p[i] & 0xC0) != 0x80) return 0;
    // Overlong forms, surrogates, and beyond the last character.
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return size;
}

bool is_utf8(std::string_view text) noexcept {
    const auto* p = reinterpret_cast<const unsigned char*>(text.data());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = utf8_size(p + i, text.size() - i);
        if (size == 0) return false;
        i += size;
    }
    return true;
}

}  // namespace

void ConllReader::feed(std::string_view bytes, Sentences& batch) {
    while (!bytes.empty()) {
        const void* found = std::memchr(bytes.data(), '\n', bytes.size());
        const auto size =
            found ? static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) : bytes.size();
        if (!passing_ && rest_.size() + size > limits_.line_bytes) refuse_long_line();
        if (!found) {
            if (!passing_) rest_ += bytes;
            return;
        }
        if (passing_) {
            passing_ = false;
        } else if (rest_.empty()) {
            line(bytes.substr(0, size), batch);
        } else {
            rest_ += bytes.substr(0, size);
            line(rest_, batch);
            rest_.clear();
        }
        bytes.remove_prefix(size + 1);
    }
}

void ConllReader::finish(Sentences& batch) {
    if (!rest_.empty()) line(rest_, batch);
    rest_.clear();
    end_sentence(batch);
}

void ConllReader::line(std::string_view text, Sentences& batch) {
    if (++line_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (!is_ascii(text)) text = as_utf8(text);
    fields_.clear();
    each_field(text, [this](std::string_view field) { fields_.push_back(field); });
    if (fields_.empty()) {
        end_sentence(batch);
        return;
    }
    if (broken_ || !check_columns(text)) return;
    if (tokens_ == limits_.tokens) {
        refuse({line_, 1,
                "a blank line after at most " + std::to_string(limits_.tokens) +
                    " tokens (raise max_tokens, or --max-tokens, for longer sequences)",
                "none since line " + std::to_string(begun_)});
        return;
    }
    if (tokens_++ == 0) {
        extractor_.start();
        begun_ = line_;
    }
    extractor_.token(fields_.data());
    if (labelled_) answer_text_ += fields_.back();
    answer_end_.push_back(answer_text_.size());
}

bool ConllReader::check_columns(std::string_view text) {
    const std::size_t needed = extractor_.columns();
    if (columns_ == 0) {
        if (fields_.size() != needed + 1 && (learning_ || fields_.size() != needed)) {
            refuse(text, needed + 1, std::to_string(needed + 1) + " columns, the label last");
            return false;
        }
        columns_ = fields_.size();
        labelled_ = columns_ == needed + 1;
    }
    if (fields_.size() == columns_) return true;
    refuse(text, columns_, std::to_string(columns_) + " columns, as on the lines before");
    return false;
}

void ConllReader::refuse(std::string_view text, std::size_t allowed, std::string expected) {
    // Where the first column too many begins, or where the line ends too soon.
    const char* const end = fields_.back().data() + fields_.back().size();
    const char* const at = fields_.size() > allowed ? fields_[allowed].data() : end;
    std::size_t column = 1;
    for (const char* p = text.data(); p != at; ++p) column += (*p & 0xC0) != 0x80;
    refuse({line_, column, std::move(expected), std::to_string(fields_.size())});
}

void ConllReader::refuse_long_line() {
    rest_.clear();
    passing_ = true;
    refuse({++line_, 1,
            "a line of at most " + std::to_string(limits_.line_bytes) +
                " bytes (raise --max-line-bytes for longer ones)",
            "more"});
}

void ConllReader::refuse(Problem problem) {
    if (!skip_)
        throw std::invalid_argument("line " + std::to_string(problem.line) + ":" +
                                    std::to_string(problem.column) + ": expected " + problem.expected +
                                    ", found " + problem.found);
    if (!broken_) problems.push_back(std::move(problem));
    broken_ = true;
}

void ConllReader::end_sentence(Sentences& batch) {
    if (tokens_ > 0 && !broken_) {
        answers_.clear();
        for (std::size_t i = 0, start = 0; i < tokens_; start = answer_end_[i++]) {
            const std::string_view word(answer_text_.data() + start, answer_end_[i] - start);
            // A label that was never learned has a number too, past those of the learner: it is never right,
            // but it is there to be found.
            answers_.push_back(labelled_ ? static_cast<std::int32_t>(labels_.add(word)) : -1);
        }
        if (learning_) layout_.add_labels(labels_.size());
        extractor_.finish(names_, layout_, max_features_, learning_, answers_.data(), batch);
        first_lines.push_back(static_cast<std::int64_t>(begun_));
    }
    broken_ = false;
    tokens_ = 0;
    answer_text_.clear();
    answer_end_.clear();
}

std::string_view ConllReader::as_utf8(std::string_view text) {
    if (is_utf8(text)) return text;
    utf8_.clear();
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            utf8_ += c;
        } else {
            utf8_ += static_cast<char>(0xC0 | byte >> 6);
            utf8_ += static_cast<char>(0x80 | (byte & 0x3F));
        }
    }
    return utf8_;
}

}  // namespace onlinear::sequence
