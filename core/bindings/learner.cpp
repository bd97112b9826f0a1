#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "exchange.hpp"
#include "feature_map.hpp"
#include "turn.hpp"

namespace onlinear::bindings {

namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

ValueType value_type(const Array& a, const char* name) {
    if (a.dtype() == nb::dtype<float>()) return ValueType::f32;
    if (a.dtype() == nb::dtype<double>()) return ValueType::f64;
    throw std::invalid_argument(std::string(name) + " must hold float32 or float64 numbers");
}

IndexType index_type(const Array& a, const char* name) {
    if (a.dtype() == nb::dtype<std::int32_t>()) return IndexType::i32;
    if (a.dtype() == nb::dtype<std::int64_t>()) return IndexType::i64;
    throw std::invalid_argument(std::string(name) + " must hold int32 or int64 numbers");
}

void need_flat(const Array& a, const char* name) {
    if (a.ndim() != 1 || (a.shape(0) > 1 && a.stride(0) != 1))
        throw std::invalid_argument(std::string(name) + " must be one-dimensional and contiguous");
}

Matrix csr(const Array& data, const Array& indices, const Array& indptr, std::size_t columns) {
    need_flat(data, "data");
    need_flat(indices, "indices");
    need_flat(indptr, "indptr");
    if (indptr.shape(0) < 1)
        throw std::invalid_argument("indptr must have one entry more than there are rows");
    return {.values = data.data(),
            .value_type = value_type(data, "data"),
            .indices = indices.data(),
            .index_type = index_type(indices, "indices"),
            .indptr = indptr.data(),
            .indptr_type = index_type(indptr, "indptr"),
            .rows = indptr.shape(0) - 1,
            .columns = columns,
            .entries = std::min(data.shape(0), indices.shape(0))};
}

/// Rows without the columns from `limit` on, as (data, indices, indptr); None when there are none of those.
template <class Value, class Index, class Pointer>
nb::object narrowed(const Matrix& m, std::size_t limit) {
    const auto* values = static_cast<const Value*>(m.values);
    const auto* indices = static_cast<const Index*>(m.indices);
    const auto* indptr = static_cast<const Pointer*>(m.indptr);
    const auto known = [&](std::size_t j) { return static_cast<std::uint64_t>(indices[j]) < limit; };
    bool all = true;
    for (std::size_t j = 0; j < m.entries; ++j) all &= known(j);
    if (all) return nb::none();
    std::vector<Value> kept_values;
    std::vector<Index> kept_indices;
    std::int64_t* ends;
    const auto kept_indptr = new_array<nb::memview>(ends, m.rows + 1);
    ends[0] = 0;
    for (std::size_t row = 0; row < m.rows; ++row) {
        // Another thread may be writing: what is read here is checked here.
        const auto first = static_cast<std::size_t>(indptr[row]),
                   last = static_cast<std::size_t>(indptr[row + 1]);
        if (first > last || last > m.entries) throw std::invalid_argument("indptr leaves the arrays");
        for (std::size_t j = first; j < last; ++j) {
            const Index index = indices[j];
            if (static_cast<std::uint64_t>(index) >= limit) continue;
            kept_indices.push_back(index);
            kept_values.push_back(values[j]);
        }
        ends[row + 1] = static_cast<std::int64_t>(kept_indices.size());
    }
    Value* out_values;
    Index* out_indices;
    const auto new_values = new_array<nb::memview>(out_values, kept_values.size());
    const auto new_indices = new_array<nb::memview>(out_indices, kept_indices.size());
    std::copy(kept_values.begin(), kept_values.end(), out_values);
    std::copy(kept_indices.begin(), kept_indices.end(), out_indices);
    return nb::make_tuple(new_values, new_indices, kept_indptr);
}

nb::object narrowed(const Matrix& m, std::size_t limit) {
    const auto with_value = [&]<class Value>() {
        const auto with_index = [&]<class Index>() {
            return m.indptr_type == IndexType::i32 ? narrowed<Value, Index, std::int32_t>(m, limit)
                                                   : narrowed<Value, Index, std::int64_t>(m, limit);
        };
        return m.index_type == IndexType::i32 ? with_index.template operator()<std::int32_t>()
                                              : with_index.template operator()<std::int64_t>();
    };
    return m.value_type == ValueType::f32 ? with_value.template operator()<float>()
                                          : with_value.template operator()<double>();
}

Matrix dense(const Array& x) {
    if (x.ndim() != 2) throw std::invalid_argument("X must have two dimensions");
    return {.values = x.data(),
            .value_type = value_type(x, "X"),
            .rows = x.shape(0),
            .columns = x.shape(1),
            .row_stride = x.stride(0),
            .column_stride = x.stride(1)};
}

template <class T>
const T* flat(const std::optional<Array>& a, const char* name, std::size_t size) {
    if (!a) return nullptr;
    need_flat(*a, name);
    if (a->dtype() != nb::dtype<T>()) throw std::invalid_argument(std::string(name) + " has the wrong dtype");
    if (a->shape(0) != size) throw std::invalid_argument(std::string(name) + " has the wrong length");
    return static_cast<const T*>(a->data());
}

std::size_t bytes(const Matrix& m) {
    const std::size_t value = m.value_type == ValueType::f32 ? 4 : 8,
                      index = m.index_type == IndexType::i32 ? 4 : 8;
    return m.sparse() ? m.entries * (value + index) : m.rows * m.columns * value;
}

/// Faults of the input, as against steps that would overflow, before which the rows stay learned.
bool is_input_fault(Fault fault) {
    return fault != Fault::none && fault != Fault::margin_overflow && fault != Fault::step_overflow &&
           fault != Fault::variance_overflow;
}

nb::tuple refused(const Refusal& r) { return nb::make_tuple(static_cast<int>(r.fault), r.row, r.column); }

/// A learner as Python holds it: calls from several threads take turns, readers together.
struct Handle {
    using Answer = task::Answer;

    std::unique_ptr<RowLearner> learner;
    Answer wants = Answer::labels;
    bool single_prototype = false;
    FeatureMap features;
    mutable Turn turn;

    nb::tuple report(const Report& r) const {
        return nb::make_tuple(r.learned, r.mistakes, r.updates, r.cost, static_cast<int>(r.refusal.fault),
                              r.refusal.row, r.refusal.column);
    }

    nb::tuple learn(const Matrix& matrix, const std::optional<Array>& labels,
                    const std::optional<Array>& sample_weight, const std::optional<Array>& class_weight,
                    bool balanced, const std::optional<Array>& order, bool calibrate, bool checked,
                    const std::optional<nb::ndarray<double, nb::c_contig, nb::device::cpu>>& scores,
                    const std::optional<Array>& label_lists) {
        // Another thread may be about to make the learner larger: sizes are compared when it is our turn.
        const auto lock = own_turn(turn);
        Lesson lesson;
        const std::size_t examples =
            label_lists ? std::max<std::size_t>(label_lists->size(), 1) - 1 : matrix.rows;
        if (label_lists) {
            read_lists(labels, *label_lists, lesson);
            if (single_prototype) lesson.candidates = examples ? matrix.rows / examples : 0;
            if (matrix.rows != examples * std::max<std::size_t>(lesson.candidates, 1))
                throw std::invalid_argument("label_lists has the wrong length");
        } else if (labels && labels->dtype() == nb::dtype<std::int32_t>()) {
            lesson.labels = flat<std::int32_t>(labels, "labels", examples);
        } else {
            lesson.targets = flat<double>(labels, "targets", examples);
        }
        if (!(label_lists      ? wants == Answer::lists
              : lesson.labels  ? wants == Answer::labels
              : lesson.targets ? wants == Answer::targets
                               : wants == Answer::nothing))
            throw std::invalid_argument("these are not the answers this task learns from");
        lesson.sample_weight = flat<double>(sample_weight, "sample_weight", examples);
        if (class_weight) lesson.class_weight = flat<double>(class_weight, "class_weight", class_count());
        lesson.balanced = balanced;
        lesson.calibrate = calibrate;
        lesson.count = examples;
        if (order) {
            lesson.order = flat<std::int64_t>(order, "order", order->shape(0));
            lesson.count = order->shape(0);
            for (std::size_t i = 0; i < lesson.count; ++i)
                if (static_cast<std::uint64_t>(lesson.order[i]) >= examples)
                    throw std::invalid_argument("order holds a row that does not exist");
        }
        if (scores) {
            if (scores->size() != lesson.count * (lesson.candidates ? lesson.candidates : learner->blocks()))
                throw std::invalid_argument("scores has the wrong size");
            lesson.scores = scores->data();
        }
        if (matrix.columns > learner->features())
            throw std::invalid_argument("the rows have " + std::to_string(matrix.columns) +
                                        " columns, the learner " + std::to_string(learner->features()));
        Report out;
        std::unique_ptr<RowLearner> before;
        {
            nb::gil_scoped_release release;
            if (checked) {
                out = learner->learn(matrix, lesson);
            } else if (bytes(matrix) > 4 * learner->bytes()) {
                // A refused call has learned nothing. Remembering a small state is cheaper than reading the
                // data twice.
                before = learner->copy();
                out = learner->learn(matrix, lesson);
            } else {
                out.refusal = inspect(matrix, learner->single_precision());
                if (!out.refusal) out = learner->learn(matrix, lesson);
            }
            settle(matrix);
        }
        // With the interpreter's lock: those who have it may be looking at the learner.
        if (before && is_input_fault(out.refusal.fault)) learner = std::move(before);
        return report(out);
    }

    /// A process that put huge pages off has learned so much by now that they will pay.
    void settle(const Matrix& matrix) noexcept {
        constexpr std::size_t kWorthwhile = std::size_t{1} << 25;
        if (!memory::huge_pages_put_off()) return;
        worked_ += matrix.indptr == nullptr ? matrix.rows * matrix.columns : matrix.entries;
        if (worked_ < kWorthwhile) return;
        memory::put_off_huge_pages(false);
        learner->settle();
    }

    /// Copies of what learning changes while the interpreter's lock is released.
    Counters counters() const {
        const auto lock = shared_turn(turn);
        return learner->counters;
    }
    Calibration calibration() const {
        const auto lock = shared_turn(turn);
        return learner->calibration;
    }

    std::size_t class_count() const { return std::max<std::size_t>(learner->blocks(), 2); }

    nb::object read(Matrix matrix, Reading what, std::size_t threads) const {
        const auto lock = shared_turn(turn);
        fit_columns(matrix);
        double* data;
        const auto out =
            new_array(data, matrix.rows, what == Reading::margin_variance ? 1 : learner->blocks());
        Refusal refusal;
        {
            nb::gil_scoped_release release;
            refusal = learner->read(matrix, what, data, threads);
        }
        if (refusal) return refused(refusal);
        return nb::cast(out);
    }

    /// The place in `order`, a list of classes, of the one each row is predicted as: the best score, the
    /// first of equals, but the second of two. The scores of several classes are read piece by piece, so that
    /// they stay in the cache; those of all rows would be written and read again.
    ///
    /// Classes that are not there (yet, or any more: another thread may bring one, or take it back) are never
    /// the best.
    nb::object best(Matrix matrix, const std::vector<std::size_t>& order, std::size_t threads) const {
        const auto lock = shared_turn(turn);
        fit_columns(matrix);
        const std::size_t n = matrix.rows, k = learner->blocks();
        const auto there = [&](std::size_t number) { return number < class_count(); };
        const bool all = std::all_of(order.begin(), order.end(), there);
        std::vector<std::size_t> known;
        std::vector<std::int64_t> places;
        for (std::size_t place = 0; !all && place < order.size(); ++place) {
            if (!there(order[place])) continue;
            known.push_back(order[place]);
            places.push_back(static_cast<std::int64_t>(place));
        }
        const std::vector<std::size_t>& among = all ? order : known;
        if (among.empty() || (k == 1 && among.size() > 2))
            throw std::invalid_argument("order must name classes, each once");
        std::int64_t* data;
        const auto out = new_array<nb::memview>(data, n);
        Refusal refusal;
        {
            nb::gil_scoped_release release;
            // A single block is read at once: what a belief lays out for the sake of many rows is laid out
            // once.
            const std::size_t piece =
                k == 1 ? std::max<std::size_t>(n, 1) : std::size_t{1} << (threads > 1 ? 16 : 10);
            const auto scores = std::make_unique_for_overwrite<double[]>(std::min(piece, n) * k);
            for (std::size_t first = 0; first < n && !refusal; first += piece) {
                const std::size_t rows = std::min(piece, n - first);
                refusal = learner->read(matrix.part(first, rows), Reading::scores, scores.get(), threads);
                if (refusal) refusal.row += first;
                if (!refusal) choose(scores.get(), rows, k, among, data + first);
            }
            if (!all && !refusal)
                for (std::size_t i = 0; i < n; ++i) data[i] = places[static_cast<std::size_t>(data[i])];
        }
        if (refusal) return refused(refusal);
        return nb::cast(out);
    }

    /// Leaves out columns of sparse rows that nothing is known of; dense rows must not have them.
    void fit_columns(Matrix& matrix) const {
        if (matrix.columns <= learner->features()) return;
        if (!matrix.sparse()) throw std::invalid_argument("X has too many columns");
        matrix.columns = learner->features();
    }

    static void choose(const double* scores, std::size_t rows, std::size_t blocks,
                       const std::vector<std::size_t>& order, std::int64_t* out) {
        if (order.size() == 1) {
            std::fill_n(out, rows, 0);
        } else if (order.size() == 2 && blocks == 1) {  // the score of class 1 against class 0
            const double sign = order[1] == 1 ? 1.0 : -1.0;
            for (std::size_t i = 0; i < rows; ++i) out[i] = sign * scores[i] >= 0;
        } else if (order.size() == 2) {
            const double *one = scores + order[0], *other = scores + order[1];
            for (std::size_t i = 0; i < rows; ++i) out[i] = other[i * blocks] >= one[i * blocks];
        } else {
            for (std::size_t i = 0; i < rows; ++i) {
                const double* row = scores + i * blocks;
                out[i] = static_cast<std::int64_t>(
                    first_largest(order.size(), [&](std::size_t c) { return row[order[c]]; }));
            }
        }
    }

    /// Learns one dict; what is refused, or has no weight, leaves no feature and no word behind.
    Refusal learn_one(nb::handle dict, const Lesson& lesson) {
        const std::size_t known = learner->features();
        const bool weightless = *lesson.sample_weight == 0;
        Refusal refusal = learner->check(lesson);
        if (refusal) return refusal;
        const Matrix matrix = from_dict(dict, !weightless, refusal);
        if (refusal || weightless) return refusal;
        refusal = learner->learn(matrix, lesson).refusal;
        if (refusal)
            learner->shrink(known);
        else
            features.commit();
        return refusal;
    }

    /// Learns one dict the short way: false, with nothing changed, where there is anything else to do or to
    /// say.
    bool learn_known(nb::handle dict, std::int32_t label, double weight) {
        // The items of another mapping may be there for one reading only.
        if (wants != Answer::labels || single_prototype || !(weight > 0) || !PyDict_Check(dict.ptr()))
            return false;
        features.read(dict, true, learner->place(), learner->pitch());
        if (features.needed() > learner->features() || !features.fresh.empty() ||
            features.inspect(learner->single_precision()))
            return false;
        const Lesson lesson{.labels = &label, .sample_weight = &weight, .count = 1};
        if (learner->learn(row_matrix(), lesson).refusal) return false;
        features.commit();
        return true;
    }

    /// A dict as a matrix of one row; a bad one is refused before anything grows for its sake.
    Matrix from_dict(nb::handle dict, bool learning, Refusal& refusal) {
        features.read(dict, learning, learner->place(), learner->pitch());
        refusal = features.inspect(learner->single_precision());
        if (refusal) return {};
        const std::size_t needed = features.needed();
        if (needed > learner->features()) {
            if (learning)
                learner->grow(std::max(needed, hashed_size()), learner->blocks());
            else
                drop_unknown();
        }
        return row_matrix();
    }

private:
    /// The dict last read.
    Matrix row_matrix() {
        indptr_[1] = static_cast<std::int64_t>(features.index.size());
        return {.values = features.value.data(),
                .value_type = ValueType::f64,
                .indices = features.index.data(),
                .index_type = IndexType::i64,
                .indptr = indptr_,
                .indptr_type = IndexType::i64,
                .rows = 1,
                .columns = learner->features(),
                .entries = features.index.size()};
    }

    /// A CSR of labels; nothing in it is trusted.
    static void read_lists(const std::optional<Array>& labels, const Array& lists, Lesson& lesson) {
        if (!labels) throw std::invalid_argument("label_lists needs labels");
        lesson.labels = flat<std::int32_t>(labels, "labels", labels->size());
        lesson.label_lists = flat<std::int64_t>(lists, "label_lists", lists.size());
        std::int64_t before = 0;
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (lesson.label_lists[i] < before ||
                static_cast<std::size_t>(lesson.label_lists[i]) > labels->size())
                throw std::invalid_argument("label_lists must rise within the labels");
            before = lesson.label_lists[i];
        }
    }

    std::size_t hashed_size() const {
        return features.columns.empty() && features.bits > 0 && used_hash() ? std::size_t{1} << features.bits
                                                                            : 0;
    }
    bool used_hash() const { return features.hashed || features.has_words(); }

    /// A feature never learned has no weight: it says nothing about a prediction.
    void drop_unknown() {
        std::size_t out = 0;
        for (std::size_t j = 0; j < features.index.size(); ++j)
            if (static_cast<std::size_t>(features.index[j]) < learner->features()) {
                features.index[out] = features.index[j];
                features.value[out++] = features.value[j];
            }
        features.index.resize(out);
        features.value.resize(out);
    }

    std::int64_t indptr_[2] = {0, 0};
    std::size_t worked_ = 0;  // entries learned while huge pages were put off
};

}  // namespace

/// The arrays take over the numbers: a large model is not copied once more.
namespace {

/// The numbers of an entry, which it gives away.
template <class Framework>
nb::object to_array(StateEntry& entry) {
    const auto put = [&]<class T>(std::vector<T>& values) {
        auto* kept = new std::vector<T>(std::move(values));
        nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
        return nb::cast(nb::ndarray<Framework, T>(kept->data(), {entry.shape[0], entry.shape[1]}, owner));
    };
    return entry.f32.empty() ? put(entry.f64) : put(entry.f32);
}

}  // namespace

nb::dict to_dict(std::vector<StateEntry> entries) {
    nb::dict out;
    for (StateEntry& entry : entries) {
        if (entry.shape.empty()) {
            out[entry.name.c_str()] = entry.scalar;
            continue;
        }
        out[entry.name.c_str()] = to_array<nb::numpy>(entry);
    }
    return out;
}

/// The calibration and the counts, which every learner has.
void add_counts(nb::dict& out, const RowLearner& learner) {
    const Calibration& c = learner.calibration;
    out["calibration"] = std::vector<double>{
        c.scale, c.offset, c.h_ss, c.h_so, c.h_oo, static_cast<double>(c.rounds), c.square, c.centre};
    const Counters& n = learner.counters;
    out["counters"] = std::vector<double>{n.seen, n.mistakes, n.updates, n.cost};
    out["class_counts"] = learner.class_counts;
}

HeldState from_dict(const nb::dict& state) {
    HeldState held;
    for (auto [key, value] : state) {
        GivenEntry entry{.name = nb::cast<std::string>(key), .shape = {}, .scalar = 0, .f32 = {}, .f64 = {}};
        double number = 0;
        if (nb::try_cast<double>(value, number)) {
            entry.scalar = number;
        } else {
            const auto& array =
                held.arrays.emplace_back(nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(value));
            if (array.ndim() != 2)
                throw std::invalid_argument("state '" + entry.name + "' must have two dimensions");
            entry.shape = {array.shape(0), array.shape(1)};
            if (array.dtype() == nb::dtype<float>()) {
                entry.f32 = {static_cast<const float*>(array.data()), array.size()};
            } else if (array.dtype() == nb::dtype<double>()) {
                entry.f64 = {static_cast<const double*>(array.data()), array.size()};
            } else {
                throw std::invalid_argument("state '" + entry.name + "' must be float32 or float64");
            }
        }
        held.entries.push_back(std::move(entry));
    }
    return held;
}

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

namespace {

Touched to_touched(
    const nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& bits,
    std::size_t slots, std::size_t blocks, const nb::dict& start) {
    Touched out{.slots = slots, .blocks = blocks, .bits = {}, .start = {}};
    if (blocks == 0 || slots == 0 || slots > SIZE_MAX / 64 / blocks)
        throw std::invalid_argument("the touched weights are of no possible state");
    const std::size_t words = Touched::words(slots, blocks), beyond = slots * blocks % 64;
    if (bits.size() != words * sizeof(std::uint64_t))
        throw std::invalid_argument("the touched weights do not fit the state");
    out.bits.resize(words);
    std::memcpy(out.bits.data(), bits.data(), bits.size());
    if (beyond != 0 && out.bits.back() >> beyond != 0)
        throw std::invalid_argument("weights are touched that do not exist");
    for (auto [name, value] : start)
        out.start.emplace_back(nb::cast<std::string>(name), nb::cast<double>(value));
    return out;
}

void bind_touched(nb::module_& m) {
    nb::class_<Touched>(m, "Touched", "Which weights learning has touched, and what all others are.")
        .def(
            "__init__",
            [](Touched* self,
               const nb::ndarray<nb::ro, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>&
                   bits,
               std::size_t slots, std::size_t blocks,
               const nb::dict& start) { new (self) Touched(to_touched(bits, slots, blocks, start)); },
            nb::arg("bits"), nb::arg("slots"), nb::arg("blocks"), nb::arg("start"))
        .def_ro("slots", &Touched::slots)
        .def_ro("blocks", &Touched::blocks)
        .def_prop_ro("count", [](const Touched& self) { return self.count(); })
        .def_prop_ro(
            "bits",
            [](Touched& self) {
                return nb::ndarray<nb::memview, const std::uint8_t>(
                    self.bits.data(), {self.bits.size() * sizeof(std::uint64_t)}, nb::find(&self));
            },
            "A bit for each weight, that of (slot, block) at slot * blocks + block, lowest first.")
        .def_prop_ro("start", [](const Touched& self) {
            nb::dict start;
            for (const auto& [name, value] : self.start) start[name.c_str()] = value;
            return start;
        });
}

}  // namespace

bool learn_known(nb::handle learner, nb::handle features, nb::handle classes, nb::handle label,
                 double weight) {
    if (!nb::isinstance<Handle>(learner) || !PyDict_Check(classes.ptr())) return false;
    PyObject* const number = PyDict_GetItemWithError(classes.ptr(), label.ptr());
    if (!number) {
        if (PyErr_Occurred()) throw nb::python_error();
        return false;
    }
    Handle& self = *nb::inst_ptr<Handle>(learner);
    const auto lock = own_turn(self.turn);
    return self.learn_known(features, nb::cast<std::int32_t>(nb::handle(number)), weight);
}

void bind_learner(nb::module_& m) {
    bind_touched(m);
    m.def(
        "put_off_huge_pages", [] { memory::put_off_huge_pages(true); },
        "Let large arrays begin on small pages; learners move to huge ones when they have learned a lot.");
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
        .value("bad_cost", Fault::bad_cost);

    m.def(
        "check_dict",
        [](nb::handle features, bool single_precision, std::size_t max_features) {
            FeatureMap map;
            map.bits = 20;
            map.max_features = max_features;
            map.read(features, false);
            return refused(map.inspect(single_precision));
        },
        nb::arg("features").none(), nb::arg("single_precision"), nb::arg("max_features"),
        "Look for a value of a dict that would be refused.");
    m.def(
        "inspect_csr",
        [](const Array& data, const Array& indices, const Array& indptr, std::size_t columns,
           bool single_precision) {
            const Matrix matrix = csr(data, indices, indptr, columns);
            nb::gil_scoped_release release;
            const Refusal refusal = inspect(matrix, single_precision);
            nb::gil_scoped_acquire acquire;
            return refused(refusal);
        },
        nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"),
        nb::arg("single_precision"), "Look for a row that would be refused.");
    m.def(
        "narrow_csr",
        [](const Array& data, const Array& indices, const Array& indptr, std::size_t limit) {
            return narrowed(csr(data, indices, indptr, limit), limit);
        },
        nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("limit"),
        nb::sig("def narrow_csr(data: typing.Any, indices: typing.Any, indptr: typing.Any, limit: int) -> "
                "tuple[memoryview, memoryview, memoryview] | None"),
        "Rows without the columns from `limit` on; None when there are none of those.");
    m.def(
        "inspect_dense",
        [](const Array& x, bool single_precision) {
            const Matrix matrix = dense(x);
            nb::gil_scoped_release release;
            const Refusal refusal = inspect(matrix, single_precision);
            nb::gil_scoped_acquire acquire;
            return refused(refusal);
        },
        nb::arg("x"), nb::arg("single_precision"), "Look for a row that would be refused.");

    m.def("kernel_level", &simd_level, "The instruction set chosen for the wide loops.");

    nb::class_<Handle>(m, "Learner", "A task, a rule and a belief at work.")
        .def(
            "__init__",
            [](Handle* self, nb::handle task, nb::handle rule, nb::handle belief, bool single_precision,
               std::size_t n_features, std::size_t n_classes, bool fit_intercept) {
                TaskSpec spec = to_task(task);
                const BeliefSpec known = to_belief(belief);
                set_classes(spec, n_classes);
                std::optional<rule::AnyRule> chosen;
                if (!(rule.is_none() && has_own_rule(spec))) chosen = to_rule(rule);
                auto learner = make_learner(spec, chosen, known, single_precision, n_features, fit_intercept);
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
               const std::optional<Array>& label_lists) {
                return self.learn(csr(data, indices, indptr, columns), labels, sample_weight, class_weight,
                                  balanced, order, calibrate, checked, scores, label_lists);
            },
            nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"),
            nb::arg("labels").none(), nb::arg("sample_weight") = nb::none(),
            nb::arg("class_weight") = nb::none(), nb::arg("balanced") = false, nb::arg("order") = nb::none(),
            nb::arg("calibrate") = true, nb::arg("checked") = false, nb::arg("scores") = nb::none(),
            nb::arg("label_lists") = nb::none())
        .def(
            "learn_dense",
            [](Handle& self, const Array& x, const std::optional<Array>& labels,
               const std::optional<Array>& sample_weight, const std::optional<Array>& class_weight,
               bool balanced, const std::optional<Array>& order, bool calibrate, bool checked,
               const std::optional<nb::ndarray<double, nb::c_contig, nb::device::cpu>>& scores,
               const std::optional<Array>& label_lists) {
                return self.learn(dense(x), labels, sample_weight, class_weight, balanced, order, calibrate,
                                  checked, scores, label_lists);
            },
            nb::arg("x"), nb::arg("labels").none(), nb::arg("sample_weight") = nb::none(),
            nb::arg("class_weight") = nb::none(), nb::arg("balanced") = false, nb::arg("order") = nb::none(),
            nb::arg("calibrate") = true, nb::arg("checked") = false, nb::arg("scores") = nb::none(),
            nb::arg("label_lists") = nb::none())
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
            "learn_dict",
            [](Handle& self, nb::handle features, std::int32_t label, double target, double weight,
               nb::object class_weight, bool balanced, nb::handle relevant) {
                const auto lock = own_turn(self.turn);
                if (self.single_prototype)
                    throw std::invalid_argument("a dict holds one row, this task learns from several");
                const double total = weight * (class_weight.is_none() ? 1.0 : nb::cast<double>(class_weight));
                Lesson lesson{.labels = &label,
                              .targets = &target,
                              .sample_weight = &total,
                              .balanced = balanced,
                              .count = 1};
                std::vector<std::int32_t> labels;
                if (!relevant.is_none()) labels = nb::cast<std::vector<std::int32_t>>(relevant);
                const std::int64_t lists[2] = {0, static_cast<std::int64_t>(labels.size())};
                if (self.wants == Handle::Answer::lists) {
                    lesson.labels = labels.data();
                    lesson.label_lists = lists;
                }
                return refused(self.learn_one(features, lesson));
            },
            nb::arg("features").none(), nb::arg("label"), nb::arg("target"), nb::arg("weight"),
            nb::arg("class_weight").none(), nb::arg("balanced"), nb::arg("relevant") = nb::none())
        .def(
            "read_dict",
            [](Handle& self, nb::handle features, bool variances) -> nb::object {
                const auto lock = own_turn(self.turn);
                Refusal refusal;
                const Matrix matrix = self.from_dict(features, false, refusal);
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
                Refusal refusal;
                self.from_dict(features, false, refusal);
                return nb::make_tuple(self.features.index, self.features.value);
            },
            nb::arg("features").none(), "The columns and values a dict stands for.")
        .def(
            "use_hashing",
            [](Handle& self, int bits) {
                const auto lock = own_turn(self.turn);
                self.features.bits = bits;
            },
            nb::arg("bits"))
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
                self.features.columns.clear();
                for (std::size_t i = 0; i < names.size(); ++i)
                    self.features.columns.emplace(names[i], static_cast<std::uint32_t>(i));
            },
            nb::arg("names"))
        .def_prop_ro("fresh_names",
                     [](const Handle& self) {
                         const auto lock = shared_turn(self.turn);
                         return self.features.fresh;
                     })
        .def(
            "words",
            [](Handle& self) {
                const auto lock = own_turn(self.turn);
                nb::dict out;
                self.features.words().each([&](std::uint32_t column, std::string_view word) {
                    out[nb::int_(column)] = nb::str(word.data(), word.size());
                });
                return out;
            },
            "Hashed columns and the first word seen for each.")
        .def(
            "remember_words",
            [](Handle& self, const nb::dict& words) {
                const auto lock = own_turn(self.turn);
                for (auto [column, word] : words)
                    self.features.remember(nb::cast<std::string>(word), nb::cast<std::uint32_t>(column));
            },
            nb::arg("words"))
        .def(
            "grow",
            [](Handle& self, std::size_t features, std::size_t classes) {
                const auto lock = own_turn(self.turn);
                if (features >= self.features.max_features + 1)
                    throw std::invalid_argument("more than max_features (" +
                                                std::to_string(self.features.max_features) +
                                                ") features; hash them to fewer, or raise max_features");
                self.learner->grow(std::max(features, self.learner->features()), classes);
            },
            nb::arg("features"), nb::arg("classes"))
        .def(
            "expect_classes",
            [](Handle& self, std::size_t classes) {
                const auto lock = own_turn(self.turn);
                self.learner->expect(std::min<std::size_t>(classes, 1 << 16));
            },
            nb::arg("classes"), "Make room for so many classes at the next growth.")
        .def(
            "shrink",
            [](Handle& self, std::size_t features, std::size_t classes) {
                const auto lock = own_turn(self.turn);
                if (classes < 2 || self.learner->blocks() < 2)
                    throw std::invalid_argument("two classes or more must stay");
                return self.learner->shrink_classes(features, classes);
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
                        data[2 * i] = map.probability(scores.data()[i]) == 1.0 ? 0.0 : 1 - data[2 * i + 1];
                    } else {
                        map.probabilities(scores.data() + i * k, k, data + i * k);
                    }
                }
                return out;
            },
            nb::arg("scores"))
        .def(
            "state_shapes",
            [](const Handle& self) {
                const auto lock = shared_turn(self.turn);
                const StatePart none;
                std::vector<std::tuple<std::string, std::size_t, std::size_t>> out;
                for (const StateEntry& entry : self.learner->state(&none))
                    if (!entry.shape.empty()) out.emplace_back(entry.name, entry.shape[0], entry.shape[1]);
                return out;
            },
            "Names and shapes of the arrays of `state`.")
        .def(
            "state_part",
            [](const Handle& self, const std::string& name, std::pair<std::size_t, std::size_t> rows,
               std::pair<std::size_t, std::size_t> columns) {
                const auto lock = shared_turn(self.turn);
                const StatePart part{name, {rows.first, rows.second}, {columns.first, columns.second}};
                for (StateEntry& entry : self.learner->state(&part))
                    if (entry.name == name && !entry.shape.empty()) return to_array<nb::memview>(entry);
                throw nb::key_error(name.c_str());
            },
            nb::arg("name"), nb::arg("rows"), nb::arg("columns"),
            "The numbers of one array of `state` in a range of rows and one of columns, as a memoryview.")
        .def(
            "touched",
            [](const Handle& self) {
                const auto lock = shared_turn(self.turn);
                return self.learner->touched();
            },
            "The weights learning has touched; None where the state is more than numbers for each weight.")
        .def(
            "touched_part",
            [](const Handle& self, const std::string& name, const Touched& touched,
               std::pair<std::size_t, std::size_t> columns) {
                const auto lock = shared_turn(self.turn);
                if (touched.slots != self.learner->features() + 1 || touched.blocks != self.learner->blocks())
                    throw std::invalid_argument("the touched weights are not those of this state");
                const StatePart part{name, {}, {columns.first, columns.second}, &touched};
                for (StateEntry& entry : self.learner->state(&part))
                    if (entry.name == name && !entry.shape.empty()) return to_array<nb::memview>(entry);
                throw nb::key_error(name.c_str());
            },
            nb::arg("name"), nb::arg("touched"), nb::arg("columns"),
            "The numbers of one array of `state` for the touched weights in a range of columns, as a "
            "memoryview.")
        .def(
            "state_numbers",
            [](const Handle& self) {
                const auto lock = shared_turn(self.turn);
                const StatePart none;
                std::vector<StateEntry> entries = self.learner->state(&none);
                std::erase_if(entries, [](const StateEntry& entry) { return !entry.shape.empty(); });
                nb::dict out = to_dict(std::move(entries));
                add_counts(out, *self.learner);
                return out;
            },
            "What `state` holds besides arrays.")
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
        .def("state",
             [](const Handle& self) {
                 const auto lock = shared_turn(self.turn);
                 nb::dict out = to_dict(self.learner->state());
                 add_counts(out, *self.learner);
                 return out;
             })
        .def(
            "load_state",
            [](Handle& self, const nb::dict& state, const Touched* touched) {
                const auto lock = own_turn(self.turn);
                nb::dict arrays;
                std::vector<double> calibration, counters, counts;
                for (auto [key, value] : state) {
                    const auto name = nb::cast<std::string>(key);
                    if (name == "calibration")
                        calibration = nb::cast<std::vector<double>>(value);
                    else if (name == "counters")
                        counters = nb::cast<std::vector<double>>(value);
                    else if (name == "class_counts")
                        counts = nb::cast<std::vector<double>>(value);
                    else
                        arrays[key] = value;
                }
                if (calibration.size() == 7)
                    calibration.push_back(0.0);  // files of before scores were centred
                if (calibration.size() != 8 || counters.size() != 4)
                    throw std::invalid_argument("state lacks its counters or its calibration");
                for (const std::vector<double>* numbers : {&calibration, &counters, &counts})
                    for (const double v : *numbers)
                        if (!std::isfinite(v))
                            throw std::invalid_argument("state holds a number that is not finite");
                for (const double v : counters)
                    if (v < 0) throw std::invalid_argument("state holds a negative count");
                const HeldState held = from_dict(arrays);
                self.learner->load(held.given(touched));
                self.learner->calibration = {};
                Calibration& c = self.learner->calibration;
                c.scale = calibration[0];
                c.offset = calibration[1];
                c.h_ss = calibration[2];
                c.h_so = calibration[3];
                c.h_oo = calibration[4];
                c.rounds = static_cast<std::uint64_t>(std::clamp(calibration[5], 0.0, 9e15));
                c.square = calibration[6];
                c.centre = calibration[7];
                if (!c.possible())
                    throw std::invalid_argument("state holds a calibration that no learning makes");
                self.learner->counters = {.seen = counters[0],
                                          .mistakes = counters[1],
                                          .updates = counters[2],
                                          .cost = counters[3]};
                self.learner->class_counts = counts;
            },
            nb::arg("state"), nb::arg("touched") = nb::none(),
            "Take a state, or one whose arrays hold the numbers of the touched weights alone. Where it is "
            "refused, this object is good for nothing any more.")
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
}

}  // namespace onlinear::bindings
