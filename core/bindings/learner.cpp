#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "axes.hpp"
#include "bindings.hpp"
#include "handle.hpp"
#include "onlinear/memory/pages.hpp"
#include "onlinear/simd/simd.hpp"
#include "onlinear/whole.hpp"

namespace onlinear::bindings {

namespace {

nb::tuple read_weights(const Handle& self, AnyLearner::Weights which) {
    const auto lock = shared_turn(self.turn);
    const RowLearner& learner = *self.learner;
    double *coefficients, *intercepts;
    const auto first = new_array(coefficients, learner.blocks(), learner.features());
    const auto second = new_array(intercepts, learner.blocks(), 1);
    {
        nb::gil_scoped_release release;
        learner.weights(which, coefficients, intercepts);
    }
    return nb::make_tuple(first, second);
}

}  // namespace

void bind_learner(nb::module_& m) {
    nb::enum_<Fault>(m, "Fault", "Why a row was refused.")
        .value("none", Fault::none)
        .value("nan", Fault::nan)
        .value("infinite", Fault::infinite)
        .value("too_large", Fault::too_large)
        .value("index_range", Fault::index_range)
        .value("indptr_order", Fault::indptr_order)
        .value("bad_label", Fault::bad_label)
        .value("bad_target", Fault::bad_target)
        .value("bad_weight", Fault::bad_weight)
        .value("margin_overflow", Fault::margin_overflow)
        .value("step_overflow", Fault::step_overflow)
        .value("variance_overflow", Fault::variance_overflow)
        .value("row_length", Fault::row_length)
        .value("bad_cost", Fault::bad_cost)
        .value("too_many_means", Fault::too_many_means);

    nb::list fields;
    for (const char* field : kRoundFieldNames) fields.append(field);
    m.attr("round_fields") = nb::tuple(fields);

    m.def("simd_level", &simd_level, "The instruction set chosen for the wide loops.");

    nb::class_<Handle> learner(m, "Learner", "A task, a rule and a belief at work.");
    learner
        .def(
            "__init__",
            [](Handle* self, nb::handle task, nb::handle rule, nb::handle belief, bool single_precision,
               std::size_t n_features, std::size_t n_classes, bool fit_intercept) {
                TaskSpec spec = to_task(task);
                const BeliefSpec known = to_belief(belief);
                set_classes(spec, n_classes);
                std::shared_ptr<const rule::AnyRule> chosen;
                if (!(rule.is_none() && has_own_rule(spec))) chosen = to_rule(rule);
                auto learner =
                    make_learner(spec, chosen.get(), known, single_precision, n_features, fit_intercept);
                new (self) Handle{};
                self->learner = std::move(learner);
                self->wants = answer_of(spec);
                const auto* ranking = std::get_if<task::Ranking>(&spec);
                self->single_prototype = ranking && ranking->single();
            },
            nb::arg("task"), nb::arg("rule").none(), nb::arg("belief"), nb::arg("single_precision"),
            nb::arg("n_features"), nb::arg("n_classes"), nb::arg("fit_intercept"))
        .def(
            "learn_csr",
            [](Handle& self, const Array& data, const Array& indices, const Array& indptr,
               std::size_t columns, const std::optional<Array>& labels,
               const std::optional<Array>& sample_weight, const std::optional<Array>& class_weight,
               bool balanced, const std::optional<Array>& order, bool calibrate, bool checked,
               const std::optional<nb::ndarray<double, nb::c_contig, nb::device::cpu>>& scores,
               const std::optional<Array>& label_lists, bool late, const Recorded& record,
               const std::vector<std::size_t>& ranking, bool asks) {
                return self.learn(csr(data, indices, indptr, columns), labels, sample_weight, class_weight,
                                  balanced, order, calibrate, checked, scores, label_lists, late, record,
                                  ranking, asks);
            },
            nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"),
            nb::arg("labels").none(), nb::arg("sample_weight") = nb::none(),
            nb::arg("class_weight") = nb::none(), nb::arg("balanced") = false, nb::arg("order") = nb::none(),
            nb::arg("calibrate") = true, nb::arg("checked") = false, nb::arg("scores") = nb::none(),
            nb::arg("label_lists") = nb::none(), nb::arg("late") = false, nb::arg("record") = nb::none(),
            nb::arg("ranking") = std::vector<std::size_t>(), nb::arg("asks") = false)
        .def(
            "learn_dense",
            [](Handle& self, const Array& x, const std::optional<Array>& labels,
               const std::optional<Array>& sample_weight, const std::optional<Array>& class_weight,
               bool balanced, const std::optional<Array>& order, bool calibrate, bool checked,
               const std::optional<nb::ndarray<double, nb::c_contig, nb::device::cpu>>& scores,
               const std::optional<Array>& label_lists, bool late, const Recorded& record,
               const std::vector<std::size_t>& ranking, bool asks) {
                return self.learn(dense(x), labels, sample_weight, class_weight, balanced, order, calibrate,
                                  checked, scores, label_lists, late, record, ranking, asks);
            },
            nb::arg("x"), nb::arg("labels").none(), nb::arg("sample_weight") = nb::none(),
            nb::arg("class_weight") = nb::none(), nb::arg("balanced") = false, nb::arg("order") = nb::none(),
            nb::arg("calibrate") = true, nb::arg("checked") = false, nb::arg("scores") = nb::none(),
            nb::arg("label_lists") = nb::none(), nb::arg("late") = false, nb::arg("record") = nb::none(),
            nb::arg("ranking") = std::vector<std::size_t>(), nb::arg("asks") = false)
        .def(
            "measure_csr",
            [](Handle& self, const Array& data, const Array& indices, const Array& indptr,
               std::size_t columns) { self.measure(csr(data, indices, indptr, columns)); },
            nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"))
        .def(
            "measure_dense", [](Handle& self, const Array& x) { self.measure(dense(x)); }, nb::arg("x"))
        .def(
            "shift_map_csr",
            [](Handle& self, const Array& data, const Array& indices, const Array& indptr,
               std::size_t columns, const Array& labels, const std::optional<Array>& weights) {
                self.shift_map(csr(data, indices, indptr, columns), labels, weights);
            },
            nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"), nb::arg("labels"),
            nb::arg("weights").none())
        .def(
            "shift_map_dense",
            [](Handle& self, const Array& x, const Array& labels, const std::optional<Array>& weights) {
                self.shift_map(dense(x), labels, weights);
            },
            nb::arg("x"), nb::arg("labels"), nb::arg("weights").none())
        .def(
            "read_csr",
            [](const Handle& self, const Array& data, const Array& indices, const Array& indptr,
               std::size_t columns, bool variances, std::size_t threads) {
                return self.read(csr(data, indices, indptr, columns),
                                 variances ? Reading::variances : Reading::scores, threads);
            },
            nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"),
            nb::arg("variances") = false, nb::arg("threads") = 1)
        .def(
            "read_dense",
            [](const Handle& self, const Array& x, bool variances, std::size_t threads) {
                return self.read(dense(x), variances ? Reading::variances : Reading::scores, threads);
            },
            nb::arg("x"), nb::arg("variances") = false, nb::arg("threads") = 1)
        .def(
            "best_csr",
            [](const Handle& self, const Array& data, const Array& indices, const Array& indptr,
               std::size_t columns, const std::vector<std::size_t>& order, std::size_t threads) {
                return self.best(csr(data, indices, indptr, columns), order, threads);
            },
            nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"), nb::arg("order"),
            nb::arg("threads") = 1)
        .def(
            "best_dense",
            [](const Handle& self, const Array& x, const std::vector<std::size_t>& order,
               std::size_t threads) { return self.best(dense(x), order, threads); },
            nb::arg("x"), nb::arg("order"), nb::arg("threads") = 1)
        .def(
            "margin_variance_csr",
            [](const Handle& self, const Array& data, const Array& indices, const Array& indptr,
               std::size_t columns, std::size_t threads) {
                return self.read(csr(data, indices, indptr, columns), Reading::margin_variance, threads);
            },
            nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"),
            nb::arg("threads") = 1)
        .def(
            "margin_variance_dense",
            [](const Handle& self, const Array& x, std::size_t threads) {
                return self.read(dense(x), Reading::margin_variance, threads);
            },
            nb::arg("x"), nb::arg("threads") = 1)
        .def(
            "grow",
            [](Handle& self, std::size_t features, std::size_t classes) {
                const auto lock = own_turn(self.turn);
                make_room(*self.learner, self.features, features, classes);
            },
            nb::arg("features"), nb::arg("classes"))
        .def(
            "expect_classes",
            [](Handle& self, std::size_t classes) {
                const auto lock = own_turn(self.turn);
                expect_classes(*self.learner, classes);
            },
            nb::arg("classes"), "Make room for so many classes at the next growth.")
        .def(
            "shrink",
            [](Handle& self, std::size_t features, std::size_t classes) {
                const auto lock = own_turn(self.turn);
                return take_back_room(*self.learner, features, classes);
            },
            nb::arg("features"), nb::arg("classes"),
            "Take back a growth that nothing has been learned of since; False where that cannot be done.")
        .def(
            "to_multiclass",
            [](Handle& self, nb::handle task) {
                const TaskSpec spec = to_task(task);
                const auto lock = own_turn(self.turn);
                self.learner = self.learner->for_multiclass(spec);
            },
            nb::arg("task"))
        .def("mean", [](const Handle& self) { return read_weights(self, AnyLearner::Weights::mean); })
        .def("variance", [](const Handle& self) { return read_weights(self, AnyLearner::Weights::variance); })
        .def("average", [](const Handle& self) { return read_weights(self, AnyLearner::Weights::average); })
        .def(
            "set_mean",
            [](Handle& self,
               const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& coefficients,
               const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& intercepts) {
                const auto lock = own_turn(self.turn);
                if (coefficients.shape(0) != self.learner->blocks() ||
                    coefficients.shape(1) != self.learner->features() ||
                    intercepts.shape(0) != self.learner->blocks())
                    throw std::invalid_argument("the mean has the wrong shape");
                self.learner->set_mean(coefficients.data(), intercepts.data());
            },
            nb::arg("coefficients"), nb::arg("intercepts"))
        .def("covariance",
             [](const Handle& self) -> nb::object {
                 const auto lock = shared_turn(self.turn);
                 const std::vector<double> sigma = self.learner->covariance();
                 if (sigma.empty()) return nb::none();
                 const std::size_t side = self.learner->blocks() * (self.learner->features() + 1);
                 double* data;
                 const auto out = new_array(data, side, side);
                 std::copy(sigma.begin(), sigma.end(), data);
                 return nb::cast(out);
             })
        .def(
            "inflate",
            [](Handle& self, double share) {
                const auto lock = own_turn(self.turn);
                self.learner->inflate(share);
            },
            nb::arg("share"))
        .def(
            "truncate",
            [](Handle& self, double sigma) {
                const auto lock = own_turn(self.turn);
                return self.learner->truncate(sigma);
            },
            nb::arg("sigma"))
        .def(
            "set_truncation",
            [](Handle& self, double sigma) {
                const auto lock = own_turn(self.turn);
                return self.learner->set_truncation(sigma);
            },
            nb::arg("sigma"))
        // Sizes change only while the interpreter's lock is held, which whoever asks for them has. Counts and
        // the calibration change while it is released, too: these are read in turn.
        .def_prop_ro("has_variance", [](const Handle& self) { return self.learner->has_variance(); })
        .def_prop_ro("n_features", [](const Handle& self) { return self.learner->features(); })
        .def_prop_ro("n_blocks", [](const Handle& self) { return self.learner->blocks(); })
        .def_prop_ro("single_precision", [](const Handle& self) { return self.learner->single_precision(); })
        .def_prop_ro("n_seen",
                     [](const Handle& self) { return static_cast<std::int64_t>(self.counters().seen); })
        .def_prop_ro("n_mistakes",
                     [](const Handle& self) { return static_cast<std::int64_t>(self.counters().mistakes); })
        .def_prop_ro("total_cost", [](const Handle& self) { return self.counters().cost; })
        .def_prop_ro("n_updates",
                     [](const Handle& self) { return static_cast<std::int64_t>(self.counters().updates); })
        .def(
            "probabilities",
            [](const Handle& self,
               const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& scores) {
                const std::size_t n = scores.shape(0), k = scores.shape(1);
                double* data;
                const auto out = new_array(data, n, std::max<std::size_t>(k, 2));
                const Calibration map = self.calibration();
                for (std::size_t i = 0; i < n; ++i) {
                    if (k == 1) {
                        data[2 * i + 1] = map.probability(scores.data()[i]);
                        data[2 * i] = 1 - data[2 * i + 1];
                    } else {
                        map.probabilities(scores.data() + i * k, k, data + i * k);
                    }
                }
                return out;
            },
            nb::arg("scores"))
        .def(
            "label_probabilities",
            [](const Handle& self,
               const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& scores) {
                double* data;
                const auto out = new_array(data, scores.shape(0), scores.shape(1));
                const Calibration map = self.calibration();
                for (std::size_t i = 0; i < scores.size(); ++i) data[i] = map.probability(scores.data()[i]);
                return out;
            },
            nb::arg("scores"),
            "The probability of each label by itself, for tasks where several may be right.")
        .def_prop_ro(
            "label_cut",
            [](const Handle& self) {
                const auto lock = shared_turn(self.turn);
                return self.learner->cut.probability();
            },
            "The probability from which labels are predicted, as learned; None before there is one.")
        .def(
            "set_label_cut",
            [](Handle& self, double probability) {
                const auto lock = own_turn(self.turn);
                set_label_cut(*self.learner, probability);
            },
            nb::arg("probability"))
        .def(
            "distance_cut",
            [](const Handle& self, double share) {
                const auto lock = shared_turn(self.turn);
                return self.learner->cut.distance(share);
            },
            nb::arg("share"),
            "The distance that a share of the last rows lay beyond; None before there is one.")
        .def(
            "copy",
            [](const Handle& self) {
                auto twin = std::make_unique<Handle>();
                const auto lock = shared_turn(self.turn);
                twin->learner = self.learner->copy();
                twin->features = self.features;
                twin->wants = self.wants;
                twin->single_prototype = self.single_prototype;
                return twin.release();
            },
            nb::rv_policy::take_ownership);
    bind_dicts(m, learner);
    bind_state(m, learner);
}

}  // namespace onlinear::bindings
