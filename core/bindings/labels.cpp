#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "onlinear/best.hpp"

namespace onlinear::bindings {

namespace {

template <class Integer>
using Given = nb::ndarray<const Integer, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Labels this far apart are not looked up in a table.
constexpr std::uint64_t kLargestTable = 1 << 16;

/// The number of each label, by table where the classes lie close together and by search where they do not.
class Numbering {
public:
    Numbering(const Given<std::int64_t>& classes, const Given<std::int32_t>& numbers)
        : classes_(classes.data(), classes.data() + classes.shape(0)),
          numbers_(numbers.data(), numbers.data() + numbers.shape(0)) {
        if (classes_.empty() || classes_.size() != numbers_.size() ||
            !std::is_sorted(classes_.begin(), classes_.end()))
            throw std::invalid_argument("classes must be sorted, each with its number");
        low_ = static_cast<std::uint64_t>(classes_.front());
        const std::uint64_t range = static_cast<std::uint64_t>(classes_.back()) - low_;
        if (range >= kLargestTable) return;
        table_.assign(range + 1, -1);
        for (std::size_t k = 0; k < classes_.size(); ++k)
            table_[static_cast<std::uint64_t>(classes_[k]) - low_] = numbers_[k];
    }

    /// False when a label has no number.
    template <class Integer>
    bool operator()(const Integer* labels, std::size_t n, std::int32_t* out) const noexcept {
        std::int32_t least = 0;
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = table_.empty() ? searched(labels[i]) : looked_up(labels[i]);
            least = std::min(least, out[i]);
        }
        return least >= 0;
    }

private:
    std::int32_t looked_up(std::int64_t label) const noexcept {
        const std::uint64_t at = static_cast<std::uint64_t>(label) - low_;  // below the lowest: huge
        return at < table_.size() ? table_[at] : -1;
    }
    std::int32_t searched(std::int64_t label) const noexcept {
        const auto found = std::lower_bound(classes_.begin(), classes_.end(), label);
        return found != classes_.end() && *found == label ? numbers_[found - classes_.begin()] : -1;
    }

    std::vector<std::int64_t> classes_;
    std::vector<std::int32_t> numbers_, table_;
    std::uint64_t low_ = 0;
};

template <class Integer>
nb::object number_labels(const Given<Integer>& labels, const Given<std::int64_t>& classes,
                         const Given<std::int32_t>& numbers) {
    const Numbering numbering(classes, numbers);
    std::int32_t* data;
    const auto out = new_array(data, labels.shape(0));
    if (!numbering(labels.data(), labels.shape(0), data)) return nb::none();
    return nb::cast(out);
}

/// The rows in which each label comes for the first time; nothing when they lie too far apart for a table.
template <class Integer>
std::optional<std::vector<std::int64_t>> first_rows(const Given<Integer>& labels) {
    std::vector<std::int64_t> rows;
    if (labels.shape(0) == 0) return rows;
    const Integer* const all = labels.data();
    Integer low = all[0], high = all[0];
    for (std::size_t i = 1; i < labels.shape(0); ++i) {
        low = std::min(low, all[i]);
        high = std::max(high, all[i]);
    }
    const auto base = static_cast<std::uint64_t>(low), range = static_cast<std::uint64_t>(high) - base;
    if (range >= kLargestTable) return {};
    std::vector<char> seen(range + 1);
    for (std::size_t i = 0; i < labels.shape(0); ++i) {
        const std::uint64_t at = static_cast<std::uint64_t>(all[i]) - base;
        if (at >= seen.size()) return {};  // another thread is writing
        if (seen[at]) continue;
        seen[at] = 1;
        rows.push_back(static_cast<std::int64_t>(i));
    }
    return rows;
}

/// The classes of a stream. Labels that are numbers are compared as numbers; those that are text come as
/// their places in the reader's table of texts.
class ClassNumbers {
public:
    using Values = Given<double>;
    using Ids = Given<std::int32_t>;
    using Numbers = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    /// Gives a number to the class of a value.
    void add(double value, std::int32_t number) {
        if (!by_value_.try_emplace(value, number).second || values_.size() == kFew) return;
        const auto place = std::lower_bound(values_.begin(), values_.end(), value);
        numbers_.insert(numbers_.begin() + (place - values_.begin()), number);
        values_.insert(place, value);
    }

    /// The class numbers of the texts of another table, as far as they are known; -1 for those that are no
    /// class.
    void set_texts(std::vector<std::int32_t> numbers) { texts_ = std::move(numbers); }
    /// Those of texts that come behind them.
    void add_texts(const std::vector<std::int32_t>& numbers) {
        texts_.insert(texts_.end(), numbers.begin(), numbers.end());
    }
    /// Gives a number to the class of the text at a place of the table.
    void set_text(std::size_t place, std::int32_t number) {
        if (place >= texts_.size()) throw std::invalid_argument("a place without a text");
        texts_[place] = number;
    }

    /// Numbers the labels from `first` on; -1 where there is no class, or no label.
    void encode(const Values& labels, const Ids& ids, const Numbers& out, std::size_t first) const {
        need_same(labels, ids);
        if (out.shape(0) != labels.shape(0)) throw std::invalid_argument("out has the wrong length");
        for (std::size_t i = first; i < labels.shape(0); ++i)
            out.data()[i] = number_of(labels.data()[i], ids.data()[i]);
    }

    /// The first place in [first, last) whose label has no number and whose weight is above zero; `last` when
    /// there is none. Labels on the way whose class is known by now get its number: each is looked at once,
    /// however many classes come.
    std::size_t first_unknown(const Values& labels, const Ids& ids, const Numbers& numbers,
                              const std::optional<Values>& weights, std::size_t first,
                              std::size_t last) const {
        need_same(labels, ids);
        if (numbers.shape(0) != labels.shape(0) || (weights && weights->shape(0) != labels.shape(0)))
            throw std::invalid_argument("numbers or weights have the wrong length");
        last = std::min(last, labels.shape(0));
        for (; first < last; ++first) {
            std::int32_t& number = numbers.data()[first];
            if (number >= 0) continue;
            number = number_of(labels.data()[first], ids.data()[first]);
            if (number < 0 && (!weights || weights->data()[first] > 0)) break;
        }
        return first;
    }

    /// How many classes there are among the labels that have no number.
    static std::size_t strangers(const Values& labels, const Ids& ids, const Ids& numbers) {
        need_same(labels, ids);
        if (numbers.shape(0) != labels.shape(0)) throw std::invalid_argument("numbers has the wrong length");
        std::vector<std::pair<std::int32_t, double>> found;
        for (std::size_t i = 0; i < labels.shape(0); ++i)
            if (numbers.data()[i] < 0)
                found.emplace_back(ids.data()[i], ids.data()[i] < 0 ? labels.data()[i] : 0.0);
        std::sort(found.begin(), found.end());
        return static_cast<std::size_t>(std::unique(found.begin(), found.end()) - found.begin());
    }

    /// The first row without a label; -1 when all have one.
    static std::ptrdiff_t unlabelled(const Values& labels, const Ids& ids) {
        need_same(labels, ids);
        for (std::size_t i = 0; i < labels.shape(0); ++i)
            if (ids.data()[i] < 0 && labels.data()[i] != labels.data()[i])
                return static_cast<std::ptrdiff_t>(i);
        return -1;
    }

private:
    static void need_same(const Values& labels, const Ids& ids) {
        if (ids.shape(0) != labels.shape(0)) throw std::invalid_argument("ids has the wrong length");
    }

    std::int32_t number_of(double label, std::int32_t id) const noexcept {
        return id < 0 ? of_value(label) : of_text(id);
    }

    std::int32_t of_value(double label) const noexcept {
        // Two classes are the most common case; for NaN no comparison holds.
        if (values_.size() == 2)
            return label == values_[0] ? numbers_[0] : label == values_[1] ? numbers_[1] : -1;
        if (by_value_.size() > values_.size()) {
            const auto found = by_value_.find(label);
            return found != by_value_.end() ? found->second : -1;
        }
        std::size_t smaller = 0;  // all compared: halving them would be a guess each time, and mostly wrong
        for (const double value : values_) smaller += value < label;
        return smaller < values_.size() && values_[smaller] == label ? numbers_[smaller] : -1;
    }

    std::int32_t of_text(std::int32_t id) const noexcept {
        return static_cast<std::size_t>(id) < texts_.size() ? texts_[id] : -1;
    }

    static constexpr std::size_t kFew = 64;

    std::unordered_map<double, std::int32_t> by_value_;
    std::vector<double> values_;  // the first few, rising
    std::vector<std::int32_t> numbers_, texts_;
};

/// The first place in [first, last) with a number below zero and a weight above it; `last` when there is
/// none.
std::size_t first_unknown(const Given<std::int32_t>& numbers, const std::optional<Given<double>>& weights,
                          std::size_t first, std::size_t last) {
    last = std::min(last, numbers.shape(0));
    if (weights && weights->shape(0) != numbers.shape(0))
        throw std::invalid_argument("weights has the wrong length");
    for (; first < last; ++first)
        if (numbers.data()[first] < 0 && (!weights || weights->data()[first] > 0)) break;
    return first;
}

/// How often each number occurs; those below zero are not counted.
std::vector<std::int64_t> count_numbers(const Given<std::int32_t>& numbers) {
    std::vector<std::int64_t> counts;
    for (std::size_t i = 0; i < numbers.shape(0); ++i) {
        const std::int32_t number = numbers.data()[i];
        if (number < 0) continue;
        if (static_cast<std::size_t>(number) >= counts.size())
            counts.resize(static_cast<std::size_t>(number) + 1);
        ++counts[static_cast<std::size_t>(number)];
    }
    return counts;
}

/// The texts that places stand for, one behind the other.
nb::object joined(const Given<std::int64_t>& places, const std::vector<nb::bytes>& texts) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < places.shape(0); ++i) {
        const auto place = static_cast<std::size_t>(places.data()[i]);
        if (place >= texts.size()) throw std::invalid_argument("a place without a text");
        size += texts[place].size();
    }
    nb::object out = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!out.is_valid()) throw nb::python_error();
    char* to = PyBytes_AsString(out.ptr());
    for (std::size_t i = 0; i < places.shape(0); ++i) {
        const nb::bytes& text = texts[static_cast<std::size_t>(places.data()[i])];
        to = std::copy_n(text.c_str(), text.size(), to);
    }
    return out;
}

using Scores = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The largest of each row, the first of equals.
nb::object best_columns(const Scores& scores) {
    const std::size_t n = scores.shape(0), k = scores.shape(1);
    if (k == 0) throw std::invalid_argument("scores must have a column");
    std::int64_t* data;
    const auto out = new_array(data, n);
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = scores.data() + i * k;
        data[i] = static_cast<std::int64_t>(first_largest(k, [row](std::size_t c) { return row[c]; }));
    }
    return nb::cast(out);
}

}  // namespace

void bind_labels(nb::module_& m) {
    constexpr const char* kDoc =
        "The number of each whole-numbered label, or None when one has none; `classes` are sorted.";
    m.def("number_labels", &number_labels<std::int32_t>, nb::arg("labels").noconvert(), nb::arg("classes"),
          nb::arg("numbers"), kDoc);
    m.def("number_labels", &number_labels<std::int64_t>, nb::arg("labels").noconvert(), nb::arg("classes"),
          nb::arg("numbers"), kDoc);
    constexpr const char* kFirstDoc =
        "The rows in which each whole-numbered label comes for the first time; None when they lie far apart.";
    m.def("first_rows", &first_rows<std::int32_t>, nb::arg("labels").noconvert(), kFirstDoc);
    m.def("first_rows", &first_rows<std::int64_t>, nb::arg("labels").noconvert(), kFirstDoc);
    nb::class_<ClassNumbers>(m, "ClassNumbers", "The classes of a stream, from labels to numbers.")
        .def(nb::init<>())
        .def("add", &ClassNumbers::add, nb::arg("value"), nb::arg("number"))
        .def("set_texts", &ClassNumbers::set_texts, nb::arg("numbers"))
        .def("add_texts", &ClassNumbers::add_texts, nb::arg("numbers"))
        .def("set_text", &ClassNumbers::set_text, nb::arg("place"), nb::arg("number"))
        .def("first_unknown", &ClassNumbers::first_unknown, nb::arg("labels"), nb::arg("ids"),
             nb::arg("numbers").noconvert(), nb::arg("weights").none(), nb::arg("first"), nb::arg("last"))
        .def("encode", &ClassNumbers::encode, nb::arg("labels"), nb::arg("ids"), nb::arg("out").noconvert(),
             nb::arg("first") = 0)
        .def_static("strangers", &ClassNumbers::strangers, nb::arg("labels"), nb::arg("ids"),
                    nb::arg("numbers"))
        .def_static("unlabelled", &ClassNumbers::unlabelled, nb::arg("labels"), nb::arg("ids"));
    m.def("first_unknown", &first_unknown, nb::arg("numbers"), nb::arg("weights").none(), nb::arg("first"),
          nb::arg("last"), "The first place with a number below zero and a weight above it.");
    m.def("count_numbers", &count_numbers, nb::arg("numbers"), "How often each number from 0 on occurs.");
    m.def(
        "numbers",
        [](std::size_t size) {
            std::int32_t* data;
            auto out = new_array<nb::memview>(data, size);
            std::fill_n(data, size, -1);
            return out;
        },
        nb::arg("size"), "Room for so many class numbers, all -1.");
    m.def("joined", &joined, nb::arg("places"), nb::arg("texts"),
          nb::sig("def joined(places: typing.Any, texts: list[bytes]) -> bytes"),
          "The texts that places stand for, one behind the other.");
    m.def("best_columns", &best_columns, nb::arg("scores"),
          "The column of the largest score of each row, the first of equals.");
}

}  // namespace onlinear::bindings
