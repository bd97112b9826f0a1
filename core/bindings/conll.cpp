#include "onlinear/sequence/conll.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "sequence_handle.hpp"

namespace onlinear::bindings {

namespace {

/// A file being read; it keeps the learner's handle alive.
struct ConllHandle {
    nb::object owner;
    SequenceHandle& handle;
    Dictionary labels;
    std::unique_ptr<Sentences> batch = std::make_unique<Sentences>();
    sequence::ConllReader reader;

    bool learning;

    ConllHandle(nb::object owner_, const std::vector<std::string>& classes, bool learning_, bool skip,
                std::size_t max_tokens, std::size_t max_line_bytes)
        : owner(owner_),
          handle(nb::cast<SequenceHandle&>(owner_)),
          reader(handle.extractor, handle.names, handle.layout(), labels, handle.max_features, learning_,
                 skip, {max_tokens, max_line_bytes}),
          learning(learning_) {
        for (const std::string& name : classes) labels.add(name);
        if (handle.layout().column.size() != handle.names.size())
            throw std::invalid_argument(
                "the model was fitted on arrays of numbers, so it cannot read features by name");
    }

    /// Reads on by `read`; what labels it meets have names when it returns, also where it throws.
    template <class Read>
    void advance(Read&& read) {
        const auto lock = own_turn(handle.turn);
        try {
            const nb::gil_scoped_release release;
            read();
            if (learning) handle.learner->check_layout();
        } catch (...) {
            name_labels();
            throw;
        }
        name_labels();
    }

private:
    void name_labels() {
        for (std::size_t i = handle.classes.size(); i < handle.layout().labels(); ++i) {
            const std::string_view name = labels[i];
            handle.classes.append(nb::str(name.data(), name.size()));
        }
    }
};

}  // namespace

std::vector<std::string> all_words(const Dictionary& words) {
    std::vector<std::string> out;
    out.reserve(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) out.emplace_back(words[i]);
    return out;
}

void bind_conll(nb::module_& m) {
    nb::class_<ConllHandle>(m, "ConllReader", "Reads CoNLL columns into batches with a learner's templates.")
        .def(nb::init<nb::object, const std::vector<std::string>&, bool, bool, std::size_t, std::size_t>(),
             nb::arg("learner"), nb::arg("classes"), nb::arg("learning"), nb::arg("skip") = false,
             nb::arg("max_tokens") = sequence::ConllLimits{}.tokens,
             nb::arg("max_line_bytes") = sequence::ConllLimits{}.line_bytes)
        .def(
            "feed",
            [](ConllHandle& self, nb::bytes bytes) {
                self.advance([&] { self.reader.feed({bytes.c_str(), bytes.size()}, *self.batch); });
            },
            nb::arg("bytes"))
        .def("finish", [](ConllHandle& self) { self.advance([&] { self.reader.finish(*self.batch); }); })
        .def(
            "take",
            [](ConllHandle& self) {
                auto full = std::make_unique<Sentences>();
                full.swap(self.batch);
                return full;
            },
            "The sequences read so far; reading goes on with an empty batch.")
        .def(
            "take_lines",
            [](ConllHandle& self) {
                std::vector<std::int64_t> lines;
                lines.swap(self.reader.first_lines);
                return array_of(std::move(lines));
            },
            "The first line of each sequence read since the last call.")
        .def(
            "take_problems",
            [](ConllHandle& self) {
                nb::list out;
                for (const auto& p : self.reader.problems)
                    out.append(nb::make_tuple(p.line, p.column, p.expected, p.found));
                self.reader.problems.clear();
                return out;
            },
            "(line, column, expected, found) of each sequence left out since the last call.")
        .def_prop_ro("n_sequences", [](const ConllHandle& self) { return self.batch->sentences(); })
        .def_prop_ro("labelled", [](const ConllHandle& self) { return self.reader.labelled(); })
        .def_prop_ro("labels", [](const ConllHandle& self) { return all_words(self.labels); });
}

}  // namespace onlinear::bindings
