#include <nanobind/stl/string.h>

#include <string_view>
#include <vector>

#include "onlinear/text/features.hpp"
#include "text_shared.hpp"

/// Documents to hashed features.
namespace onlinear::bindings {

namespace {

/// Documents to counts; the texts are borrowed from the Python strings, which the list keeps alive.
class HasherHandle {
public:
    HasherHandle(const text::TextSettings& settings, std::size_t max_names)
        : names_(max_names), features_(settings, &names_) {}

    static std::vector<std::string_view> borrow(const nb::list& documents) {
        std::vector<std::string_view> views;
        views.reserve(documents.size());
        for (nb::handle document : documents) {
            Py_ssize_t size = 0;
            const char* const utf8 = PyUnicode_AsUTF8AndSize(document.ptr(), &size);
            if (utf8 == nullptr) throw nb::python_error();
            views.emplace_back(utf8, static_cast<std::size_t>(size));
        }
        return views;
    }

    template <class Real>
    nb::tuple transform(const nb::list& documents) {
        const std::vector<std::string_view> views = borrow(documents);
        auto batch = std::make_shared<text::ParsedRows>();
        auto values = std::make_unique<text::Array<Real>>();
        {
            const nb::gil_scoped_release free;
            for (const std::string_view document : views) {
                features_.add_counts(document, *batch);
                batch->close_row(0, batch->entries());
            }
            values->resize(batch->values.size());
            for (std::size_t i = 0; i < views.size(); ++i) {
                const auto first = static_cast<std::size_t>(batch->indptr[i]);
                const auto last = static_cast<std::size_t>(batch->indptr[i + 1]);
                text::weigh(batch->values.data() + first, last - first, features_.settings(),
                            values->data() + first);
            }
        }
        const nb::object owner = nb::cast(BatchHandle{batch});
        Real* const data = values->data();
        const std::size_t size = values->size();
        const nb::capsule values_owner(values.release(),
                                       [](void* p) noexcept { delete static_cast<text::Array<Real>*>(p); });
        return nb::make_tuple(nb::ndarray<nb::numpy, Real, nb::ndim<1>>(data, {size}, values_owner),
                              view<nb::numpy>(batch->indices, owner), view<nb::numpy>(batch->indptr, owner));
    }

    void collect(const nb::list& documents) {
        const std::vector<std::string_view> views = borrow(documents);
        const nb::gil_scoped_release free;
        text::ParsedRows batch;
        for (const std::string_view document : views) {
            features_.add_counts(document, batch);
            batch.clear();
        }
    }

    text::NameTable& names() noexcept { return names_; }

private:
    text::NameTable names_;
    text::TextFeatures features_;
};

}  // namespace

void bind_hasher(nb::module_& m) {
    nb::class_<HasherHandle>(m, "Hasher", "Documents to hashed features.")
        .def(
            "__init__",
            [](HasherHandle* self, int bits, const std::string& analyzer, int ngram_min, int ngram_max,
               bool lowercase, const std::string& hash, const std::string& weighting, bool l2,
               std::size_t max_names) {
                new (self) HasherHandle(
                    text_settings(bits, analyzer, ngram_min, ngram_max, lowercase, hash, weighting, l2),
                    max_names);
            },
            nb::kw_only(), nb::arg("bits"), nb::arg("analyzer"), nb::arg("ngram_min"), nb::arg("ngram_max"),
            nb::arg("lowercase"), nb::arg("hash"), nb::arg("weighting"), nb::arg("l2"), nb::arg("max_names"))
        .def("transform32", &HasherHandle::transform<float>, nb::arg("documents"),
             nb::sig(
                 "def transform32(self, documents: list[str]) -> tuple[typing.Any, typing.Any, typing.Any]"))
        .def("transform64", &HasherHandle::transform<double>, nb::arg("documents"),
             nb::sig(
                 "def transform64(self, documents: list[str]) -> tuple[typing.Any, typing.Any, typing.Any]"))
        .def("collect", &HasherHandle::collect, nb::arg("documents"),
             nb::sig("def collect(self, documents: list[str]) -> None"), "Only note the names.")
        .def(
            "names", [](HasherHandle& h) { return name_list(h.names()); }, nb::sig(kNamesSignature))
        .def_prop_ro("names_full", [](HasherHandle& h) { return h.names().full(); });
}

}  // namespace onlinear::bindings
