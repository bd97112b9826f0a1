#pragma once
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/sequence/batch.hpp"

/// The best label sequence by dynamic programming, all labels side by side in vector lanes.
///
/// score(x, y) = sum_i E[y_i] . x_i + sum_{i >= 2} T[y_{i-1}, y_i]. Ties go to the smallest label.
namespace onlinear::sequence {

using belief::Blend;

/// The room Viterbi needs, kept from sentence to sentence.
template <class T>
class Lattice {
public:
    void reserve(std::size_t length, std::size_t labels, std::size_t lanes) {
        labels_ = labels;
        if (lanes != lanes_ || length > length_) {
            length_ = std::max(length, length_);
            lanes_ = lanes;
            emission_ = BigArray<T>(length_ * lanes);
            score_ = BigArray<T>(length_ * lanes);
            back_ = BigArray<std::int32_t>(length_ * lanes);
            other_ = BigArray<T>(lanes);
            path_.resize(length_);
        }
        if (transition_.size() < labels * lanes) transition_ = BigArray<T>(labels * lanes);
    }

    /// Only the first `labels` may be answered: a label not met yet must not win because it has no weights.
    void use(std::size_t labels) noexcept { labels_ = labels; }

    /// Finds the best sequence of `sentence` under w; meanwhile it prefetches the weights of `next`.
    void decode(const Planes<T>& w, const Blend& blend, const std::vector<std::uint32_t>& label_slots,
                const Sentence<T>& sentence, const Sentence<T>* next) {
        read_transitions(w, blend, label_slots);
        const Simd<T>& kernel = simd<T>();
        for (std::size_t i = 0; i < sentence.size; ++i) {
            if (i + kAhead < sentence.size)
                prefetch(w, sentence, i + kAhead);
            else if (next && i + kAhead - sentence.size < next->size)
                prefetch(w, *next, i + kAhead - sentence.size);
            T* here = emission_.data() + i * lanes_;
            emit(kernel, w, blend, sentence, i, here);
            if (i == 0)
                std::copy_n(here, lanes_, score_.data());
            else
                kernel.viterbi(score_.data() + (i - 1) * lanes_, transition_.data(), labels_, lanes_, here,
                               score_.data() + i * lanes_, back_.data() + i * lanes_);
        }
        trace(sentence.size);
    }

    const std::int32_t* path() const noexcept { return path_.data(); }
    /// The score of the best sequence.
    double best() const noexcept { return best_; }
    double emission(std::size_t i, std::int32_t label) const noexcept {
        return static_cast<double>(emission_[i * lanes_ + static_cast<std::size_t>(label)]);
    }
    double transition(std::int32_t from, std::int32_t to) const noexcept {
        return static_cast<double>(
            transition_[static_cast<std::size_t>(from) * lanes_ + static_cast<std::size_t>(to)]);
    }

    /// How far each token's label is ahead of the best sequence that labels it otherwise, and with which
    /// label that is.
    ///
    /// The best sequence through (i, k) is worth forward + backward; call it after `decode`.
    void rivals(std::size_t length, double* margin, std::int32_t* rival) {
        std::vector<double> after(labels_, 0.0), before(labels_);
        for (std::size_t i = length; i-- > 0;) {
            const auto here = static_cast<std::size_t>(path_[i]);
            const auto through = [&](std::size_t k) {
                return static_cast<double>(score_[i * lanes_ + k]) + after[k];
            };
            rival[i] = -1;
            for (std::size_t k = 0; k < labels_; ++k)
                if (k != here && (rival[i] < 0 || through(k) > through(static_cast<std::size_t>(rival[i]))))
                    rival[i] = static_cast<std::int32_t>(k);
            margin[i] = rival[i] < 0
                            ? 0.0
                            : std::max(0.0, through(here) - through(static_cast<std::size_t>(rival[i])));
            if (i == 0) break;
            for (std::size_t from = 0; from < labels_; ++from) {
                double top = -std::numeric_limits<double>::infinity();
                for (std::size_t to = 0; to < labels_; ++to)
                    top = std::max(top, static_cast<double>(transition_[from * lanes_ + to]) +
                                            static_cast<double>(emission_[i * lanes_ + to]) + after[to]);
                before[from] = top;
            }
            after.swap(before);
        }
    }

private:
    // Tokens between prefetching a token's weights and using them; a token's twenty features take about
    // 100 ns.
    static constexpr std::size_t kAhead = 3;

    /// Always inlined: GCC takes a function that only prefetches for one without effect, and drops the call.
    [[gnu::always_inline]] void prefetch(const Planes<T>& w, const Sentence<T>& sentence,
                                         std::size_t i) const noexcept {
        const std::uint32_t* feature = sentence.features(i);
        const std::size_t count = sentence.count(i), width = w.width(), bytes = lanes_ * sizeof(T);
        for (std::size_t j = 0; j < count; ++j) {
            const char* p = reinterpret_cast<const char*>(w.data() + feature[j] * width);
            for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(p + line);
        }
    }

    void emit(const Simd<T>& kernel, const Planes<T>& w, const Blend& blend, const Sentence<T>& sentence,
              std::size_t i, T* out) noexcept {
        const auto sum = [&](std::size_t plane, T* to) {
            kernel.token(w.data() + plane * w.stride(), sentence.features(i), sentence.values(i),
                         sentence.count(i), w.width(), lanes_, to);
        };
        if (blend.shift > 0)
            emit_shifted(w, static_cast<T>(blend.shift), sentence, i, out);
        else
            sum(0, out);
        if (blend.second != 0) {
            sum(blend.other, other_.data());
            mix(blend, out, other_.data(), out);
        } else if (blend.first != 1) {
            mix({blend.first, 0, 0}, out, out, out);
        }
    }

    /// Every weight loses its shift on its way into the sum.
    void emit_shifted(const Planes<T>& w, T shift, const Sentence<T>& sentence, std::size_t i,
                      T* out) const noexcept {
        std::fill_n(out, lanes_, T{0});
        const std::uint32_t* feature = sentence.features(i);
        const T* value = sentence.values(i);
        for (std::size_t j = 0; j < sentence.count(i); ++j) {
            const T* row = w.data() + feature[j] * w.width();
            const T x = value ? value[j] : T{1};
            for (std::size_t k = 0; k < lanes_; ++k) out[k] += x * belief::without_shift(row[k], shift);
        }
    }

    void mix(const Blend& blend, const T* first, const T* second, T* out) const noexcept {
        for (std::size_t k = 0; k < lanes_; ++k)
            out[k] = static_cast<T>(blend.first * static_cast<double>(first[k]) +
                                    blend.second * static_cast<double>(second[k]));
    }

    /// Copies the transitions together: a few hundred bytes, against a gather in every step.
    void read_transitions(const Planes<T>& w, const Blend& blend,
                          const std::vector<std::uint32_t>& slots) noexcept {
        for (std::size_t from = 0; from < labels_; ++from) {
            const T* row = w.data() + slots[from] * w.width();
            T* out = transition_.data() + from * lanes_;
            if (blend.shift > 0)
                for (std::size_t k = 0; k < lanes_; ++k)
                    out[k] = belief::without_shift(row[k], static_cast<T>(blend.shift));
            else
                std::copy_n(row, lanes_, out);
            if (blend.first != 1 || blend.second != 0) mix(blend, out, row + blend.other * w.stride(), out);
        }
    }

    void trace(std::size_t length) noexcept {
        const T* last = score_.data() + (length - 1) * lanes_;
        std::int32_t label = 0;
        for (std::size_t k = 1; k < labels_; ++k)
            if (last[k] > last[label]) label = static_cast<std::int32_t>(k);
        best_ = static_cast<double>(last[label]);
        for (std::size_t i = length; i-- > 0;) {
            path_[i] = label;
            label = back_[i * lanes_ +
                          static_cast<std::size_t>(label)];  // row 0 is zero: there is nothing before it
        }
    }

    std::size_t length_ = 0, lanes_ = 0, labels_ = 0;
    BigArray<T> emission_, score_, transition_, other_;
    BigArray<std::int32_t> back_;
    std::vector<std::int32_t> path_;
    double best_ = 0.0;
};

}  // namespace onlinear::sequence
