#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onlinear/text/batch.hpp"
#include "onlinear/text/names.hpp"
#include "onlinear/text/settings.hpp"

/// What readers of files and the hasher of documents share.
namespace onlinear::bindings {

namespace nb = nanobind;
namespace text = onlinear::text;

struct BatchHandle {
    std::shared_ptr<text::ParsedRows> batch;
};

/// An array over memory that lives as long as `owner`.
template <class Framework, class T>
nb::ndarray<Framework, T, nb::ndim<1>> view(text::Array<T>& array, nb::handle owner) {
    return {array.data(), {array.size()}, owner};
}

text::Hash hash_named(const std::string& name);
unsigned checked_bits(int bits, int lowest);
text::TextSettings text_settings(int bits, const std::string& analyzer, int ngram_min, int ngram_max,
                                 bool lowercase, const std::string& hash, const std::string& weighting,
                                 bool l2);

/// Columns by name, each with the word for what it is.
using Columns = std::vector<std::pair<std::string, std::string>>;
text::Known known_columns(const Columns& columns, bool open, bool may_lack);

inline constexpr char kNamesSignature[] = "def names(self) -> list[tuple[int, str, bool, bool]]";
nb::list name_list(text::NameTable& names);

/// Text for people; what is no UTF-8 is replaced.
nb::object shown_text(std::string_view text);

void bind_reader(nb::module_& m);
void bind_hasher(nb::module_& m);
void bind_shuffle(nb::module_& m);

}  // namespace onlinear::bindings
