#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "onlinear/sequence/templates.hpp"

namespace onlinear::sequence {

/// What bounds the memory of reading: a file may lack the ends of lines or the blank lines between sentences,
/// and a small one may decompress to any size.
struct ConllLimits {
    std::size_t tokens = std::size_t{1} << 16;      // of a sentence
    std::size_t line_bytes = std::size_t{1} << 24;  // of a line
};

/// Reads the column format of the CoNLL tasks as bytes come in: a token a line, columns between blanks or
/// tabs, a blank line after each sentence, the label in the last column.
///
/// Lines may end in CR LF, and a byte order mark may stand before the first. A line that is not UTF-8 is read
/// as Latin-1. Every line has as many columns as the first. A sentence or a line past the limits is refused.
class ConllReader {
public:
    /// Why a sentence was refused, and where.
    struct Problem {
        std::size_t line = 0, column = 0;  // from 1; the column counts characters
        std::string expected, found;
    };

    /// Reads into `batch` with the features of `extractor`, whose columns come first on each line; `labels`
    /// grows.
    ConllReader(Extractor& extractor, Dictionary& names, Layout& layout, Dictionary& labels,
                std::size_t max_features, bool learning, bool skip = false, ConllLimits limits = {})
        : extractor_(extractor),
          names_(names),
          layout_(layout),
          labels_(labels),
          max_features_(max_features),
          learning_(learning),
          skip_(skip),
          limits_(limits) {}

    /// Throws std::invalid_argument naming line and column when one cannot be read; with `skip` its sentence
    /// is left out and `problems` says so.
    void feed(std::string_view bytes, Sentences& batch);
    /// The end of the file: what is left is the last line, and the last sentence.
    void finish(Sentences& batch);

    std::size_t lines() const noexcept { return line_; }
    bool labelled() const noexcept { return labelled_; }
    /// One for each sentence left out; for the caller to take.
    std::vector<Problem> problems;
    /// The first line of each sentence read; for the caller to take.
    std::vector<std::int64_t> first_lines;

private:
    void line(std::string_view text, Sentences& batch);
    void end_sentence(Sentences& batch);
    /// Whether the line has the right number of columns; one that has not is refused.
    bool check_columns(std::string_view text);
    void refuse(std::string_view text, std::size_t allowed, std::string expected);
    void refuse(Problem problem);
    void refuse_long_line();
    std::string_view as_utf8(std::string_view text);

    Extractor& extractor_;
    Dictionary& names_;
    Layout& layout_;
    Dictionary& labels_;
    std::size_t max_features_;
    bool learning_;
    bool skip_;
    ConllLimits limits_;
    bool broken_ = false;   // a line of the sentence being read was refused
    bool passing_ = false;  // the line being read was refused; its end has not come
    bool labelled_ = true;
    std::size_t columns_ = 0;  // of the first line
    std::size_t line_ = 0;
    std::string rest_;  // of a line whose end has not come
    std::string utf8_;
    std::vector<std::string_view> fields_;
    std::size_t tokens_ = 0;   // of the sentence being read
    std::size_t begun_ = 0;    // and its first line
    std::string answer_text_;  // its labels, one behind the other; they count once the sentence is whole
    std::vector<std::size_t> answer_end_;
    std::vector<std::int32_t> answers_;
};

}  // namespace onlinear::sequence
