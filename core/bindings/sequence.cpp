#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <limits>

#include "arrays.hpp"
#include "axes.hpp"
#include "bindings.hpp"
#include "sequence_handle.hpp"

namespace onlinear::bindings {

namespace {

task::SequenceCost cost_of(nb::handle cost, nb::list classes, std::exception_ptr& raised) {
    task::SequenceCost out;
    if (std::string word; nb::try_cast<std::string>(cost, word)) {
        out.kind = word == "hamming"        ? task::SequenceCost::hamming
                   : word == "mean_hamming" ? task::SequenceCost::mean_hamming
                                            : task::SequenceCost::zero_one;
        return out;
    }
    out.kind = task::SequenceCost::custom;
    out.call = [call = nb::borrow(cost), classes, &raised](std::span<const std::int32_t> y,
                                                           std::span<const std::int32_t> q) {
        const auto words = [&](std::span<const std::int32_t> labels) {
            nb::list all;
            for (const std::int32_t label : labels) all.append(classes[static_cast<std::size_t>(label)]);
            return all;
        };
        // The loop knows no exceptions: it stops at a cost that is no number, and the caller raises this one.
        try {
            return nb::cast<double>(call(words(y), words(q)));
        } catch (...) {
            raised = std::current_exception();
            return std::numeric_limits<double>::quiet_NaN();
        }
    };
    return out;
}

using Order = nb::ndarray<nb::ro, std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<nb::ro, double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple learn(SequenceHandle& self, Sentences& batch, const std::optional<Order>& order,
                const std::optional<Numbers>& weight, nb::object cost, nb::list classes, std::size_t known,
                const std::optional<Numbers>& label_weight, bool balanced) {
    const auto lock = own_turn(self.turn);
    std::exception_ptr raised;
    sequence::SentenceLesson lesson{.order = nullptr,
                                    .count = batch.sentences(),
                                    .weight = nullptr,
                                    .label_weight = nullptr,
                                    .balanced = balanced,
                                    .cost = cost_of(cost, classes, raised),
                                    .known = known};
    if (order) {
        lesson.order = order->data();
        lesson.count = order->shape(0);
        for (std::size_t i = 0; i < lesson.count; ++i)
            if (static_cast<std::uint64_t>(lesson.order[i]) >= batch.sentences())
                throw std::invalid_argument("order holds a sequence that does not exist");
    }
    if (weight) {
        if (weight->shape(0) != batch.sentences())
            throw std::invalid_argument("weights and sequences differ in number");
        lesson.weight = weight->data();
    }
    if (label_weight) {
        if (label_weight->shape(0) != self.layout().labels())
            throw std::invalid_argument("weights and labels differ in number");
        lesson.label_weight = label_weight->data();
    }
    for (const std::int32_t label : batch.label)
        if (static_cast<std::uint64_t>(label) >= self.layout().labels())
            throw std::invalid_argument("a token has no label");
    self.grow();
    Report r;
    if (lesson.cost.kind == task::SequenceCost::custom) {
        r = self.learner->learn(batch, lesson);
    } else {
        nb::gil_scoped_release release;
        r = self.learner->learn(batch, lesson);
    }
    if (raised) std::rethrow_exception(raised);
    return nb::make_tuple(r.learned, r.mistakes, r.updates, r.tokens, r.wrong_tokens,
                          static_cast<int>(r.refusal.fault), r.refusal.row);
}

nb::tuple tag(SequenceHandle& self, Sentences& batch, bool confidence, std::size_t first,
              std::optional<std::size_t> stop) {
    const auto lock = own_turn(self.turn);
    self.grow();
    const std::size_t last = stop.value_or(batch.sentences());
    if (first > last || last > batch.sentences())
        throw std::invalid_argument("no such sequences in the batch");
    const std::size_t tokens = batch.starts()[last] - batch.starts()[first];
    std::vector<std::int32_t> labels(tokens);
    std::vector<double> sure(confidence ? tokens : 0);
    {
        nb::gil_scoped_release release;
        self.learner->tag(batch, first, last, labels.data(), confidence ? sure.data() : nullptr);
    }
    return nb::make_tuple(array_of(std::move(labels)), confidence ? array_of(std::move(sure)) : nb::none());
}

nb::object weights_of(SequenceHandle& self, const std::string& which) {
    const auto lock = own_turn(self.turn);
    self.grow();
    std::vector<double> out(self.learner->weight_count());
    using W = sequence::SentenceLearner::Weights;
    self.learner->weights(which == "mean"       ? W::mean
                          : which == "variance" ? W::variance
                                                : W::average,
                          out.data());
    return array_of(std::move(out));
}

}  // namespace

void bind_sequence(nb::module_& m) {
    nb::class_<Sentences>(m, "SequenceBatch", "Sequences ready to be learned or labelled.")
        .def("__len__", &Sentences::sentences)
        .def_prop_ro("n_tokens", &Sentences::tokens)
        .def_prop_ro("n_entries", &Sentences::entries)
        .def_prop_ro(
            "starts",
            [](const Sentences& b) {
                return array_of(std::vector<std::int64_t>(b.starts().begin(), b.starts().end()));
            },
            "Where each sequence's tokens begin; one more than sequences.")
        .def_prop_ro(
            "labels", [](const Sentences& b) { return array_of(b.label); },
            "A label number a token; -1 where there is none.")
        .def("relabel", &Sentences::relabel, nb::arg("to"), "Renumber the labels.");

    nb::class_<SequenceHandle>(m, "SequenceLearner", "The native learner of sequences.")
        .def(
            "__init__",
            [](SequenceHandle* self, nb::handle rule, nb::handle belief, bool single_precision,
               std::size_t max_features) {
                auto learner = sequence::make_learner(*to_rule(rule), to_belief(belief), single_precision);
                new (self) SequenceHandle{};
                self->learner = std::move(learner);
                self->max_features = max_features;
            },
            nb::arg("rule"), nb::arg("belief"), nb::arg("single_precision"), nb::arg("max_features"))
        .def("read", &read_sequences, nb::arg("X"), nb::arg("y").none(), nb::arg("index"),
             nb::arg("learning"), nb::arg("new_labels"))
        .def("learn", &learn, nb::arg("batch"), nb::arg("order").none(), nb::arg("weight").none(),
             nb::arg("cost"), nb::arg("classes"), nb::arg("known"), nb::arg("label_weight") = nb::none(),
             nb::arg("balanced") = false)
        .def("tag", &tag, nb::arg("batch"), nb::arg("confidence"), nb::arg("first") = 0,
             nb::arg("last") = nb::none())
        .def(
            "set_truncation",
            [](SequenceHandle& self, double sigma) {
                const auto lock = own_turn(self.turn);
                self.learner->set_truncation(sigma);
            },
            nb::arg("sigma"))
        .def(
            "add_labels",
            [](SequenceHandle& self, const nb::list& names) {
                const auto lock = own_turn(self.turn);
                self.add_labels(names);
                self.learner->check_layout();
            },
            nb::arg("names"), "Take the names past those that are known.")
        .def(
            "permute_labels",
            [](SequenceHandle& self, const std::vector<std::size_t>& order) {
                const auto lock = own_turn(self.turn);
                // Only before anything is learned: the slots follow the labels to their new numbers.
                std::vector<std::uint32_t> slots;
                nb::list names;
                for (const std::size_t old : order) {
                    slots.push_back(self.layout().label.at(old));
                    names.append(self.classes[old]);
                }
                self.layout().label = slots;
                self.classes = names;
            },
            nb::arg("order"))
        .def(
            "set_templates",
            [](SequenceHandle& self, const std::vector<std::string>& templates,
               const std::vector<std::string>& columns) {
                const auto lock = own_turn(self.turn);
                if (templates == self.templates && columns == self.columns)
                    return;  // what it remembers stays good
                self.extractor = sequence::Extractor(templates, columns);
                self.templates = templates;
                self.columns = columns;
            },
            nb::arg("templates"), nb::arg("columns"))
        .def(
            "mark",
            [](SequenceHandle& self) {
                const auto lock = shared_turn(self.turn);
                return nb::make_tuple(self.layout().labels(), self.layout().column.size(), self.names.size());
            },
            "Sizes to go back to with `undo`.")
        .def("undo", &SequenceHandle::undo, nb::arg("labels"), nb::arg("columns"), nb::arg("words"))
        .def("weights", &weights_of, nb::arg("which"))
        .def("covariance",
             [](SequenceHandle& self) -> nb::object {
                 const auto lock = own_turn(self.turn);
                 self.grow();
                 const std::size_t n = self.learner->weight_count();
                 std::vector<double> out(self.learner->has_variance() ? n * n : 0);
                 if (!self.learner->covariance(out.data())) return nb::none();
                 return array_of(std::move(out), {n, n});
             })
        .def_prop_ro("has_variance", [](const SequenceHandle& self) { return self.learner->has_variance(); })
        .def_prop_ro("single_precision",
                     [](const SequenceHandle& self) { return self.learner->single_precision(); })
        .def_prop_ro("n_labels",
                     [](const SequenceHandle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.learner->layout.labels();
                     })
        .def_prop_ro("n_columns",
                     [](const SequenceHandle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.learner->layout.column.size();
                     })
        .def_prop_ro("counters",
                     [](const SequenceHandle& self) {
                         const auto lock = shared_turn(self.turn);
                         const Counters& n = self.learner->counters;
                         return nb::make_tuple(n.seen, n.mistakes, n.updates, n.tokens, n.wrong_tokens);
                     })
        .def_prop_rw(
            "classes",
            [](const SequenceHandle& self) {
                const auto lock = shared_turn(self.turn);
                return nb::steal<nb::list>(PySequence_List(self.classes.ptr()));
            },
            [](SequenceHandle& self, const nb::list& names) {
                const auto lock = own_turn(self.turn);
                if (names.size() != self.classes.size())
                    throw std::invalid_argument("the labels and their names differ in number");
                self.classes = nb::steal<nb::list>(PySequence_List(names.ptr()));
            },
            "The names of the labels, in the order of their numbers.")
        .def("names",
             [](const SequenceHandle& self) {
                 const auto lock = shared_turn(self.turn);
                 return all_words(self.names);
             })
        .def("state", &sequence_state)
        .def("load_state", &load_sequence_state, nb::arg("state"), nb::arg("classes"));

    bind_conll(m);
    m.def(
        "template_features",
        [](const std::vector<std::vector<std::string>>& tokens, const std::vector<std::string>& templates,
           const std::vector<std::string>& columns) {
            sequence::Extractor extractor(templates, columns);
            extractor.start();
            for (const std::vector<std::string>& token : tokens) {
                if (token.size() < columns.size())
                    throw std::invalid_argument("a token has fewer columns than the templates name");
                const std::vector<std::string_view> texts(token.begin(), token.end());
                extractor.token(texts.data());
            }
            return extractor.describe();
        },
        nb::arg("tokens"), nb::arg("templates"), nb::arg("columns"), "The features of one sequence as text.");
}

}  // namespace onlinear::bindings
