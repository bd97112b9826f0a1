#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "onlinear/text/shuffle.hpp"
#include "text_shared.hpp"

/// Rows of batches in another order.
namespace onlinear::bindings {

namespace {

template <class T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> part(const Given<T>& array, std::int64_t first, std::int64_t last) {
    if (first < 0 || first > last || last > static_cast<std::int64_t>(array.shape(0)))
        throw std::invalid_argument("rows end past their arrays");
    return {array.data() + first, static_cast<std::size_t>(last - first)};
}

using Out = text::Shuffle::Out;

/// (rows, where they stood in the stream, which file they are of)
nb::tuple handed_over(std::shared_ptr<Out> out) {
    nb::object places = array_of<nb::memview>(std::move(out->places));
    nb::object sources = array_of<nb::memview>(std::move(out->sources));
    BatchHandle rows{std::shared_ptr<text::ParsedRows>(out, &out->rows)};
    return nb::make_tuple(std::move(rows), places, sources);
}

nb::tuple push(text::Shuffle& self, const Given<std::int64_t>& indptr, const Given<std::int32_t>& indices,
               const Given<float>& values, const Given<double>& labels, const Given<std::int32_t>& label_ids,
               const std::optional<Given<std::int64_t>>& label_indptr,
               const std::optional<Given<double>>& weight, const Given<std::int64_t>& lines,
               std::int64_t first, std::int32_t source) {
    const std::size_t rows = lines.shape(0);
    if (indptr.shape(0) != rows + 1 || (label_indptr && label_indptr->shape(0) != rows + 1) ||
        (weight && weight->shape(0) != rows) || values.shape(0) != indices.shape(0) ||
        labels.shape(0) != label_ids.shape(0))
        throw std::invalid_argument("arrays of a batch have different lengths");
    auto out = std::make_shared<Out>();
    const auto between = [](const Given<std::int64_t>& ends, std::size_t row) {
        return std::pair{ends.data()[row], ends.data()[row + 1]};
    };
    {
        const nb::gil_scoped_release free;
        for (std::size_t i = 0; i < rows; ++i) {
            const auto [a, b] = between(indptr, i);
            const auto row = static_cast<std::int64_t>(i);
            const auto [c, d] = label_indptr ? between(*label_indptr, i) : std::pair{row, row + 1};
            self.add({.indices = part(indices, a, b),
                      .values = part(values, a, b),
                      .labels = part(labels, c, d),
                      .label_ids = part(label_ids, c, d),
                      .weight = weight ? weight->data()[i] : 1.0,
                      .line = lines.data()[i],
                      .place = first + row,
                      .source = source},
                     *out);
        }
    }
    return handed_over(std::move(out));
}

nb::tuple drain(text::Shuffle& self, std::int64_t most_rows, std::int64_t most_entries) {
    auto out = std::make_shared<Out>();
    self.drain(*out, most_rows, most_entries);
    return handed_over(std::move(out));
}

}  // namespace

void bind_shuffle(nb::module_& m) {
    nb::class_<text::Shuffle>(m, "Shuffle", "Rows in another order, a bounded number of them in memory.")
        .def(nb::init<std::size_t, std::uint64_t>(), nb::arg("rows"), nb::arg("seed"))
        .def(
            "push", &push, nb::arg("indptr"), nb::arg("indices"), nb::arg("values"), nb::arg("labels"),
            nb::arg("label_ids"), nb::arg("label_indptr").none(), nb::arg("weight").none(), nb::arg("lines"),
            nb::arg("first"), nb::arg("source"),
            nb::sig("def push(self, indptr: typing.Any, indices: typing.Any, values: typing.Any, labels: "
                    "typing.Any, label_ids: typing.Any, label_indptr: typing.Any, weight: typing.Any, lines: "
                    "typing.Any, first: int, source: int) -> tuple[Batch, memoryview, memoryview]"),
            "Take rows in; the rows that go out for them, where they stood and which file they are of.")
        .def("drain", &drain, nb::arg("most_rows"), nb::arg("most_entries"),
             nb::sig("def drain(self, most_rows: int, most_entries: int) -> tuple[Batch, memoryview, "
                     "memoryview]"),
             "Some of the rows that are left; no rows when none is.");
}

}  // namespace onlinear::bindings
