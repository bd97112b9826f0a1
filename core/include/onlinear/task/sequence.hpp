#pragma once
#include <cmath>
#include <functional>
#include <span>

#include "onlinear/answer.hpp"
#include "onlinear/sequence/difference.hpp"
#include "onlinear/sequence/lattice.hpp"

namespace onlinear::task {

/// What it costs to answer q where y is right.
struct SequenceCost {
    enum Kind { hamming, mean_hamming, zero_one, custom };
    Kind kind = hamming;
    std::function<double(std::span<const std::int32_t>, std::span<const std::int32_t>)> call;  // for `custom`

    double operator()(std::span<const std::int32_t> y, std::span<const std::int32_t> q,
                      std::size_t differing) const {
        switch (kind) {
            case hamming:
                return static_cast<double>(differing);
            case mean_hamming:
                return static_cast<double>(differing) / static_cast<double>(y.size());
            case zero_one:
                return 1.0;
            default:
                return call(y, q);
        }
    }
};

/// A label for every token: delta = Phi(x, y) - Phi(x, q), q the best-scoring sequence.
///
/// Crammer et al. JMLR 7, 2006, section 9, prediction-based: the required margin is the root of the cost of
/// q, so that the squared loss bounds the cost. Passive when q = y.
template <class T>
struct Sequence {
    SequenceCost cost;
    sequence::Lattice<T> lattice;
    sequence::Difference<T> delta;
    std::size_t wrong = 0;  // tokens of the last sentence whose label was not found

    template <class Belief>
    Round round(Belief& belief, const rule::AnyRule& rule, const sequence::Layout& layout,
                const sequence::Sentence<T>& s, const sequence::Sentence<T>* next, double weight,
                const Moment& now) {
        lattice.decode(belief.planes(), held(belief), layout.label, s, next);
        wrong = 0;
        if (!std::isfinite(lattice.best())) return {.fault = Fault::margin_overflow};
        const std::int32_t* q = lattice.path();
        for (std::size_t i = 0; i < s.size; ++i) wrong += q[i] != s.label[i];
        if (wrong == 0) return {};
        const double price = cost({s.label, s.size}, {q, s.size}, wrong);
        if (!(price >= 0) || std::isinf(price)) return {.fault = Fault::bad_cost, .mistake = true};

        accumulate(belief.planes(), layout.label, s, q);
        const Row<T> row = delta.row();
        const Term whole{0, 1.0};
        Round out = answer(belief, rule, row, Terms(&whole, 1),
                           {.margin = margin(s, q),
                            .required = std::sqrt(price),
                            .variance = belief.variance(row, Terms(&whole, 1)),
                            .weight = weight},
                           now);
        out.mistake = true;
        return out;
    }

private:
    /// The weights as they are; a prediction may use their average.
    template <class Belief>
    static belief::Blend held(const Belief& belief) noexcept {
        if constexpr (belief::HoldsBlend<Belief>)
            return belief.held();
        else
            return {.first = belief.mean_scale()};
    }

    /// Only the places where y and q part; q is the best, so rounding must not put y ahead of it.
    double margin(const sequence::Sentence<T>& s, const std::int32_t* q) const noexcept {
        double sum = 0;
        const std::int32_t* y = s.label;
        for (std::size_t i = 0; i < s.size; ++i) {
            if (y[i] != q[i]) sum += lattice.emission(i, y[i]) - lattice.emission(i, q[i]);
            if (i > 0 && (y[i - 1] != q[i - 1] || y[i] != q[i]))
                sum += lattice.transition(y[i - 1], y[i]) - lattice.transition(q[i - 1], q[i]);
        }
        return std::min(sum, 0.0);
    }

    void accumulate(const Planes<T>& w, const std::vector<std::uint32_t>& label_slots,
                    const sequence::Sentence<T>& s, const std::int32_t* q) noexcept {
        const auto width = static_cast<std::uint32_t>(w.width());
        const auto transition = [&](std::int32_t from, std::int32_t to) {
            return label_slots[static_cast<std::size_t>(from)] * width + static_cast<std::uint32_t>(to);
        };
        const std::int32_t* y = s.label;
        std::size_t entries = 2 * s.size;
        for (std::size_t i = 0; i < s.size; ++i)
            if (y[i] != q[i]) entries += 2 * s.count(i);
        delta.clear(entries);
        for (std::size_t i = 0; i < s.size; ++i) {
            if (y[i] != q[i]) {
                const std::uint32_t* feature = s.features(i);
                const T* value = s.values(i);
                const auto right = static_cast<std::uint32_t>(y[i]), taken = static_cast<std::uint32_t>(q[i]);
                for (std::size_t j = 0; j < s.count(i); ++j) {
                    const T x = value ? value[j] : T{1};
                    delta.add(feature[j] * width + right, x);
                    delta.add(feature[j] * width + taken, -x);
                }
            }
            if (i > 0 && (y[i - 1] != q[i - 1] || y[i] != q[i])) {
                delta.add(transition(y[i - 1], y[i]), T{1});
                delta.add(transition(q[i - 1], q[i]), T{-1});
            }
        }
    }
};

}  // namespace onlinear::task
