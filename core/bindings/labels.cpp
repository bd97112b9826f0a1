#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"

namespace onlinear::bindings {

namespace {

template <class Integer>
using Given = nb::ndarray<const Integer, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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
    static constexpr std::uint64_t kLargestTable = 1 << 16;

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
    m.def("best_columns", &best_columns, nb::arg("scores"),
          "The column of the largest score of each row, the first of equals.");
}

}  // namespace onlinear::bindings
