#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "onlinear/sequence/templates.hpp"

namespace onlinear::sequence {

/// Reads the column format of the CoNLL tasks as bytes come in: a token a line, columns between blanks or
/// tabs, a blank line after each sentence, the label in the last column.
///
/// Lines may end in CR LF. A line that is not UTF-8 is read as Latin-1. Every line has as many columns as the
/// first.
class ConllReader {
public:
    /// Reads into `batch` with the features of `extractor`, whose columns come first on each line; `labels`
    /// grows.
    ConllReader(Extractor& extractor, Dictionary& names, Layout& layout, Dictionary& labels,
                std::size_t max_features, bool learning)
        : extractor_(extractor),
          names_(names),
          layout_(layout),
          labels_(labels),
          max_features_(max_features),
          learning_(learning) {}

    /// Throws std::invalid_argument naming the line when one cannot be read.
    void feed(std::string_view bytes, Batch& batch);
    /// The end of the file: what is left is the last line, and the last sentence.
    void finish(Batch& batch);

    std::size_t lines() const noexcept { return line_; }
    bool labelled() const noexcept { return labelled_; }

private:
    void line(std::string_view text, Batch& batch);
    void end_sentence(Batch& batch);
    std::string_view as_utf8(std::string_view text);

    Extractor& extractor_;
    Dictionary& names_;
    Layout& layout_;
    Dictionary& labels_;
    std::size_t max_features_;
    bool learning_;
    bool labelled_ = true;
    std::size_t columns_ = 0;  // of the first line
    std::size_t line_ = 0;
    std::string rest_;  // of a line whose end has not come
    std::string utf8_;
    std::vector<std::string_view> fields_;
    std::size_t tokens_ = 0;   // of the sentence being read
    std::string answer_text_;  // its labels, one behind the other; they count once the sentence is whole
    std::vector<std::size_t> answer_end_;
    std::vector<std::int32_t> answers_;
};

}  // namespace onlinear::sequence
