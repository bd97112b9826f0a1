#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings.hpp"
#include "handle.hpp"
#include "onlinear/whole.hpp"
#include "text_shared.hpp"

/// One example at a time, from dicts.
namespace onlinear::bindings {

bool learn_known(nb::handle learner, nb::handle features, nb::handle classes, nb::handle label,
                 double weight) {
    if (!nb::isinstance<Handle>(learner) || !nb::inst_ready(learner) || !PyDict_Check(classes.ptr()))
        return false;
    PyObject* const number = PyDict_GetItemWithError(classes.ptr(), label.ptr());
    if (!number) {
        if (PyErr_Occurred()) throw nb::python_error();
        return false;
    }
    Handle& self = *nb::inst_ptr<Handle>(learner);
    const auto lock = own_turn(self.turn);
    // The items of another mapping may be there for one reading only.
    if (self.wants != task::Answer::labels || self.single_prototype || !(weight > 0) ||
        !PyDict_Check(features.ptr()))
        return false;
    self.read_features(features, true);
    const auto place = nb::cast<std::int32_t>(nb::handle(number));
    return learn_known_row(*self.learner, self.features,
                           {.labels = &place, .sample_weight = &weight, .count = 1});
}

namespace {

/// Dicts, one after the other, to rows; `learning` notes their words.
class DictRows {
public:
    DictRows(int bits, const std::string& hash, std::size_t max_features, bool learning)
        : learning_(learning) {
        map.bits = bits;
        map.older = hash == "older";
        map.hash = hash_named(map.older ? "murmur" : hash);
        map.max_features = max_features;
    }

    /// The first refusal ends it; `rows` tells where.
    nb::tuple read(const nb::list& dicts) {
        std::vector<double> values;
        std::vector<std::int64_t> indices, indptr{0};
        rows = 0;
        for (nb::handle dict : dicts) {
            read_dict(map, dict, learning_);
            if (const Refusal refusal = map.inspect(false)) return refused(refusal);
            values.insert(values.end(), map.value.begin(), map.value.end());
            indices.insert(indices.end(), map.index.begin(), map.index.end());
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
            columns = std::max({columns, map.needed(), map.hashed_size()});
            any_cut = any_cut || map.cut;
            any_hashed = any_hashed || map.hashed;
            if (learning_) map.commit();
            ++rows;
        }
        return nb::make_tuple(array_of(std::move(values)), array_of(std::move(indices)),
                              array_of(std::move(indptr)), columns);
    }

    void know(const text::Known& columns, const text::TextSettings& settings, bool of_texts) {
        map.known.know(columns, settings, of_texts);
    }

    FeatureMap map;
    std::size_t rows = 0;
    std::size_t columns = 0;
    bool any_cut = false, any_hashed = false;

private:
    const bool learning_;
};

nb::dict words_of(FeatureMap& map) {
    nb::dict out;
    map.words().each([&](std::uint32_t column, std::string_view word) {
        out[nb::int_(column)] = nb::str(word.data(), word.size());
    });
    return out;
}

template <class Reader>
void bind_use_columns(nb::class_<Reader>& reader) {
    reader.def(
        "use_columns",
        [](Reader& self, const Columns& columns, const std::string& analyzer, int ngram_min, int ngram_max,
           bool lowercase, const std::string& weighting, bool l2, bool of_texts) {
            self.know(known_columns(columns, true, false),
                      text_settings(20, analyzer, ngram_min, ngram_max, lowercase, "murmur", weighting, l2),
                      of_texts);
        },
        nb::arg("columns"), nb::kw_only(), nb::arg("analyzer"), nb::arg("ngram_min"), nb::arg("ngram_max"),
        nb::arg("lowercase"), nb::arg("weighting"), nb::arg("l2"), nb::arg("of_texts"),
        nb::sig("def use_columns(self, columns: list[tuple[str, str]], *, analyzer: str, ngram_min: int, "
                "ngram_max: int, lowercase: bool, weighting: str, l2: bool, of_texts: bool) -> None"),
        "Say what the keys of dicts mean, and how their texts are cut.");
}

void bind_dict_rows(nb::module_& m) {
    nb::class_<DictRows> reader(m, "DictRows", "Dicts to rows.");
    bind_use_columns(reader);
    reader
        .def(nb::init<int, const std::string&, std::size_t, bool>(), nb::arg("bits"), nb::arg("hash"),
             nb::arg("max_features"), nb::arg("learning"))
        .def(
            "name_columns",
            [](DictRows& self, const std::vector<std::string>& names) { self.map.name(names); },
            nb::arg("names"))
        .def("read", &DictRows::read, nb::arg("dicts"),
             nb::sig("def read(self, dicts: list[typing.Any]) -> tuple[typing.Any, ...]"),
             "Values, columns, where rows start, and how many columns; or a refusal.")
        .def_ro("rows", &DictRows::rows, "Rows read before one was refused.")
        .def_ro("any_cut", &DictRows::any_cut)
        .def_ro("any_hashed", &DictRows::any_hashed)
        .def_prop_ro("fresh_names", [](const DictRows& self) { return self.map.fresh; })
        .def("words", [](DictRows& self) { return words_of(self.map); });
}

}  // namespace

void bind_dicts(nb::module_& m, nb::class_<Handle>& learner) {
    bind_dict_rows(m);
    bind_use_columns(learner);
    m.def(
        "check_dict",
        [](nb::handle features, bool single_precision, std::size_t max_features) {
            FeatureMap map;
            map.bits = 20;
            map.max_features = max_features;
            read_dict(map, features, false);
            return refused(map.inspect(single_precision));
        },
        nb::arg("features").none(), nb::arg("single_precision"), nb::arg("max_features"),
        "Look for a value of a dict that would be refused.");
    learner
        .def(
            "learn_dict",
            [](Handle& self, nb::handle features, std::int32_t label, double target, double weight,
               nb::object class_weight, bool balanced, nb::handle relevant, bool calibrate) {
                const auto lock = own_turn(self.turn);
                if (self.single_prototype)
                    throw std::invalid_argument("a dict holds one row, this task learns from several");
                const double total = weight * (class_weight.is_none() ? 1.0 : nb::cast<double>(class_weight));
                Lesson lesson{.labels = &label,
                              .targets = &target,
                              .sample_weight = &total,
                              .balanced = balanced,
                              .count = 1,
                              .calibrate = calibrate};
                std::vector<std::int32_t> labels;
                if (!relevant.is_none()) labels = nb::cast<std::vector<std::int32_t>>(relevant);
                const std::int64_t lists[2] = {0, static_cast<std::int64_t>(labels.size())};
                if (self.wants == task::Answer::lists) {
                    lesson.labels = labels.data();
                    lesson.label_lists = lists;
                }
                if (const Refusal refusal = self.learner->check(lesson)) return refused(refusal);
                self.read_features(features, total != 0);
                return refused(learn_row(*self.learner, self.features, lesson));
            },
            nb::arg("features").none(), nb::arg("label"), nb::arg("target"), nb::arg("weight"),
            nb::arg("class_weight").none(), nb::arg("balanced"), nb::arg("relevant") = nb::none(),
            nb::arg("calibrate") = true)
        .def(
            "read_dict",
            [](Handle& self, nb::handle features, bool variances) -> nb::object {
                const auto lock = own_turn(self.turn);
                self.read_features(features, false);
                Refusal refusal;
                const Matrix matrix = row_of(*self.learner, self.features, false, refusal);
                if (refusal) return refused(refusal);
                std::vector<double> out(self.learner->blocks());
                refusal = self.learner->read(matrix, variances ? Reading::variances : Reading::scores,
                                             out.data(), 1);
                if (refusal) return refused(refusal);
                return nb::cast(out);
            },
            nb::arg("features").none(), nb::arg("variances") = false)
        .def(
            "columns_of",
            [](Handle& self, nb::handle features) {
                const auto lock = own_turn(self.turn);
                self.read_features(features, false);
                Refusal refusal;
                row_of(*self.learner, self.features, false, refusal);
                return nb::make_tuple(self.features.index, self.features.value);
            },
            nb::arg("features").none(), "The columns and values a dict stands for.")
        .def(
            "use_hashing",
            [](Handle& self, int bits, const std::string& hash) {
                const auto lock = own_turn(self.turn);
                self.features.bits = bits;
                self.features.older = hash == "older";
                self.features.hash = hash_named(self.features.older ? "murmur" : hash);
            },
            nb::arg("bits"), nb::arg("hash"))
        .def(
            "set_max_features",
            [](Handle& self, std::size_t n) {
                const auto lock = own_turn(self.turn);
                self.features.max_features = n;
            },
            nb::arg("n"))
        .def(
            "set_max_names",
            [](Handle& self, std::size_t n) {
                const auto lock = own_turn(self.turn);
                self.features.max_names = n;
            },
            nb::arg("n"), "How many words of hashed columns are kept.")
        .def(
            "name_columns",
            [](Handle& self, const std::vector<std::string>& names) {
                const auto lock = own_turn(self.turn);
                self.features.name(names);
            },
            nb::arg("names"))
        .def_prop_ro("any_hashed",
                     [](const Handle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.features.any_hashed;
                     })
        .def_prop_ro("any_cut",
                     [](const Handle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.features.any_cut;
                     })
        .def_prop_ro("fresh_names",
                     [](const Handle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.features.fresh;
                     })
        .def(
            "words",
            [](Handle& self) {
                const auto lock = own_turn(self.turn);
                return words_of(self.features);
            },
            "Hashed columns and the first word seen for each.")
        .def(
            "remember_words",
            [](Handle& self, const nb::dict& words, bool bounded) {
                const auto lock = own_turn(self.turn);
                for (auto [column, word] : words)
                    if (!bounded || self.features.has_room_for_words())
                        self.features.remember(nb::cast<std::string>(word), nb::cast<std::uint32_t>(column));
            },
            nb::arg("words"), nb::arg("bounded") = false,
            "Take over the words of columns; where `bounded` no more than dicts may bring.");
}

}  // namespace onlinear::bindings
