#pragma once
#include "arrays.hpp"
#include "dict_reader.hpp"
#include "onlinear/learner.hpp"
#include "turn.hpp"

namespace onlinear::bindings {

/// Where to write a record of rounds, if one is asked for.
using Recorded = std::optional<nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

/// A learner as Python holds it: calls from several threads take turns, readers together.
struct Handle {
    std::unique_ptr<RowLearner> learner;
    task::Answer wants = task::Answer::labels;
    bool single_prototype = false;
    FeatureMap features;
    mutable Turn turn;

    nb::tuple learn(const Matrix& matrix, const std::optional<Array>& labels,
                    const std::optional<Array>& sample_weight, const std::optional<Array>& class_weight,
                    bool balanced, const std::optional<Array>& order, bool calibrate, bool checked,
                    const std::optional<nb::ndarray<double, nb::c_contig, nb::device::cpu>>& scores,
                    const std::optional<Array>& label_lists, bool late, const Recorded& record,
                    const std::vector<std::size_t>& ranking, bool asks);

    nb::object read(Matrix matrix, Reading what, std::size_t threads) const;

    /// See measure_scores.
    void measure(Matrix matrix);

    /// See shift_map.
    void shift_map(Matrix matrix, const Array& labels, const std::optional<Array>& weights);

    /// See best_classes.
    nb::object best(Matrix matrix, const std::vector<std::size_t>& order, std::size_t threads) const;

    /// Reads a dict, to be learned or only scored.
    void read_features(nb::handle dict, bool learning) {
        read_dict(features, dict, learning, learner->place(), learner->pitch());
    }

    /// Says what the keys of dicts mean.
    void know(const text::Known& columns, const text::TextSettings& settings, bool of_texts) {
        const auto lock = own_turn(turn);
        features.known.know(columns, settings, of_texts);
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

private:
    /// Leaves out columns of sparse rows that nothing is known of; dense rows must not have them.
    void fit_columns(Matrix& matrix) const;
};

/// The methods of the learner's class by duty.
void bind_dicts(nb::module_& m, nb::class_<Handle>& learner);
void bind_state(nb::module_& m, nb::class_<Handle>& learner);

}  // namespace onlinear::bindings
