#pragma once
#include <array>
#include <cstddef>
#include <span>

/// The record of rounds: what each was, for those who ask. Bounds and curves of error stand on it.
namespace onlinear {

/// What a record holds of a round, a number each; what a round has not is NaN, a class it has not is -1.
enum RoundField : std::size_t {
    kScore,      // what a prediction would have said before it: see Recorder::oriented
    kPredicted,  // the class that would have been predicted before it
    kMargin,     // m = mu . delta
    kRequired,   // E, the margin the task asked for
    kLoss,       // max(0, E - m)
    kVariance,   // v = delta' Sigma delta before the step
    kStep,       // alpha
    kGain,       // gamma
    kNorm,       // |x| as it was learned
    kWeight,     // of the example, that of its class included; 0: no round
    kCost,       // of the prediction, by the task's own measure
    kRival,      // the class the right one was compared with
    kMistake,    // as they are counted
    kUpdated,    // as they are counted
    kRoundFields
};

inline constexpr std::array<const char*, kRoundFields> kRoundFieldNames{
    "score", "predicted", "margin", "required", "loss",  "variance", "step",
    "gain",  "norm",      "weight", "cost",     "rival", "mistake",  "updated"};

/// Where a record goes, and how much is asked.
struct RecordTo {
    double* rows = nullptr;                     // kRoundFields numbers for each example; null: no record
    bool asks = false;                          // whether rows are scored as predictions score them
    std::span<const std::size_t> ranking = {};  // the classes there are, sorted as people sort them
};

}  // namespace onlinear
