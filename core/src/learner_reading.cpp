#include <array>
#include <bit>
#include <memory>
#include <thread>
#include <vector>

#include "onlinear/learn/reading.hpp"

namespace onlinear {

template <class B>
Refusal RowReader<B>::read(const Matrix& matrix, Reading what, double* out, std::size_t threads) const {
    threads = std::max<std::size_t>(1, std::min(threads, matrix.rows / 64 + 1));
    if constexpr (belief::MaybeSerial<B>) {
        if (belief_.serial()) threads = 1;
    }
    if (threads == 1) return read_rows(matrix, what, out, 0, matrix.rows);
    std::vector<Refusal> refusals(threads);
    const auto part = [&](std::size_t index) {
        const std::size_t first = matrix.rows * index / threads, last = matrix.rows * (index + 1) / threads;
        refusals[index] = read_rows(matrix, what, out, first, last);
    };
    std::vector<std::thread> team;
    for (std::size_t index = 1; index < threads; ++index) team.emplace_back(part, index);
    part(0);
    for (std::thread& member : team) member.join();
    for (const Refusal& refusal : refusals)
        if (refusal) return refusal;
    return {};
}

/// Scores linear in the row: the intercept is added last, and values are read where they lie, for one
/// that is not finite shows in the score. What is not sorted is staged.
template <class B>
Refusal RowReader<B>::read_scores(const Matrix& matrix, double* out, std::size_t first,
                                  std::size_t last) const
    requires belief::DirectScores<B>
{
    std::vector<double> base(blocks(), 0.0);
    if (intercept_)
        for (std::size_t b = 0; b < blocks(); ++b) base[b] = belief_.average_at(0, b);
    const Stager<T> stage(matrix, false, belief_.planes());
    std::size_t next = first;
    if (stage.direct() && belief_.blend().second == 0 && (!scaled() || (only_divided() && stage.plain()))) {
        if (!belief_.planes().single())
            next = read_direct(stage, base, out, first, last);
        else if (belief_.planes().planes() <= 2)
            next = read_direct(stage, matrix, base[0], out, first, last);
    }
    if (next == last) return {};
    std::array<Stage<T>, 2> stages;
    std::vector<double> values(belief_.planes().lanes() + blocks()), scratch(values.size());
    const auto fetch = [&](std::size_t i) -> Refusal {
        if (scaled() || !stage.light(i, stages[i % 2]))
            if (const Refusal refusal = stage(i, stages[i % 2])) return refusal;
        scale(stages[i % 2]);
        stage.prefetch(stages[i % 2]);
        return {};
    };
    Refusal ahead = fetch(next);
    for (std::size_t i = next; i < last; ++i) {
        if (ahead) return ahead;
        const Row<T>& row = stages[i % 2].row;
        if (i + 1 < last) ahead = fetch(i + 1);
        belief_.predict(row, values.data(), scratch.data());
        for (std::size_t b = 0; b < blocks(); ++b) {
            const double score = out[i * blocks() + b] = values[b] + base[b];
            if (std::isfinite(score)) continue;
            const Refusal refusal = stage(i, stages[i % 2]);
            return refusal ? refusal : Refusal{Fault::margin_overflow, i, -1};
        }
    }
    return {};
}

/// Scores of one block without any staging; returns the first row it could not do.
template <class B>
std::size_t RowReader<B>::read_direct(const Stager<T>& stage, const Matrix& matrix, double base, double* out,
                                      std::size_t first, std::size_t last) const
    requires belief::DirectScores<B>
{
    const Planes<T>& w = belief_.planes();
    const T* weights = w.data() + w.offset(1, 0, 0);
    std::size_t step = w.planes();
    // Of pairs only half is wanted: where weights are read often, means copied together stay in the
    // cache.
    std::unique_ptr<T[]> means;
    const std::size_t entries = matrix.sparse() ? matrix.entries : matrix.rows * matrix.columns;
    std::uint32_t mask = 0;
    if (step > 1 && entries > 4 * w.slots()) {
        const std::size_t room = std::bit_ceil(w.slots() - 1);  // an index is kept inside by its bits alone
        means = std::make_unique_for_overwrite<T[]>(room + 1);
        w.read(0, means.get());
        std::fill(means.get() + w.slots(), means.get() + room + 1, T{0});
        weights = means.get() + 1;
        step = 1;
        mask = static_cast<std::uint32_t>(room - 1);
    }
    const double scale = belief_.mean_scale();
    const T* divisors = nullptr;
    if constexpr (belief::HasScales<B>) divisors = belief_.scales.divisors();
    const std::size_t done = stage.score(first, last, weights, step, mask, divisors, out);
    for (std::size_t i = first; i < done; ++i) {
        out[i] = scale * out[i] + base;
        if (!std::isfinite(out[i])) return i;
    }
    return done;
}

/// The same of several blocks.
template <class B>
std::size_t RowReader<B>::read_direct(const Stager<T>& stage, const std::vector<double>& base, double* out,
                                      std::size_t first, std::size_t last) const
    requires belief::DirectScores<B>
{
    const Planes<T>& w = belief_.planes();
    const T* weights = w.data() + w.offset(1, 0, 0);
    std::vector<double> sums(w.lanes());
    const double scale = belief_.mean_scale();
    for (std::size_t i = first; i < last; ++i) {
        if (!stage.score(i, weights, w.lanes(), sums.data())) return i;
        bool finite = true;
        for (std::size_t b = 0; b < base.size(); ++b) {
            const double score = out[i * base.size() + b] = scale * sums[b] + base[b];
            finite &= score - score == 0;
        }
        if (!finite) return i;
    }
    return last;
}

template <class B>
Refusal RowReader<B>::read_blocks(const Stager<T>& stage, bool variances, double* out, std::size_t first,
                                  std::size_t last) const
    requires belief::LooksAhead<B>
{
    Stage<T> scratch;
    auto block = belief_.block();
    for (std::size_t start = first; start < last; start += B::kAhead) {
        block.clear();
        for (std::size_t i = start; i < std::min(last, start + B::kAhead); ++i) {
            if (const Refusal refusal = stage(i, scratch)) return refusal;
            block.add(scratch.row);
        }
        belief_.read(block, variances, out + start * blocks());
        for (std::size_t k = start * blocks(); k < std::min(last, start + B::kAhead) * blocks(); ++k)
            if (!std::isfinite(out[k])) return {Fault::margin_overflow, k / blocks(), -1};
    }
    return {};
}

template <class B>
Refusal RowReader<B>::read_rows(const Matrix& matrix, Reading what, double* out, std::size_t first,
                                std::size_t last) const {
    if constexpr (belief::DirectScores<B>) {
        if (direct_ && what == Reading::scores) return read_scores(matrix, out, first, last);
    }
    const Stager<T> stage(matrix, intercept_, belief_.planes());
    if constexpr (belief::LooksAhead<B>) {
        if (what != Reading::margin_variance)
            return read_blocks(stage, what == Reading::variances, out, first, last);
    }
    std::array<Stage<T>, 2> stages;
    std::vector<double> values(belief_.planes().lanes() + blocks()), scratch(values.size());
    Refusal ahead;
    const auto fetch = [&](std::size_t i) {
        const Refusal refusal = stage(i, stages[i % 2]);
        if (!refusal) scale(stages[i % 2]);
        return refusal;
    };
    if (first < last) ahead = fetch(first);
    for (std::size_t i = first; i < last; ++i) {
        if (ahead) return ahead;
        const Row<T>& row = stages[i % 2].row;
        if (i + 1 < last) {
            ahead = fetch(i + 1);
            if (!ahead) stage.prefetch(stages[(i + 1) % 2]);
        }
        if (what == Reading::margin_variance) {
            out[i] = margin_variance(row, values.data(), scratch.data());
            if (!std::isfinite(out[i])) return {Fault::margin_overflow, i, -1};
            continue;
        }
        if (what == Reading::scores)
            predict(row, values.data(), scratch.data());
        else
            belief_.variances(row, values.data());
        for (std::size_t b = 0; b < blocks(); ++b)
            if (!std::isfinite(values[b])) return {Fault::margin_overflow, i, -1};
        std::copy_n(values.data(), blocks(), out + i * blocks());
    }
    return {};
}

/// Whether rows have to be divided by scales, or centred, before they are read.
template <class B>
bool RowReader<B>::scaled() const noexcept {
    if constexpr (belief::HasScales<B>) return belief_.scales.changes_rows();
    return false;
}
template <class B>
bool RowReader<B>::only_divided() const noexcept {
    if constexpr (belief::HasScales<B>) return belief_.scales.only_divide();
    return true;
}
template <class B>
void RowReader<B>::scale([[maybe_unused]] Stage<T>& stage) const noexcept {
    if constexpr (belief::HasScales<B>) belief_.scales.change(stage, belief_.planes());
}

template <class B>
double RowReader<B>::margin_variance(const Row<T>& row, double* values, double* scratch) const {
    if (blocks() == 1) {
        belief_.variances(row, values);
        return values[0];
    }
    belief_.predict(row, values, scratch);
    const auto best = static_cast<std::uint32_t>(std::max_element(values, values + blocks()) - values);
    const Term terms[2] = {{best, 1.0}, {task::best_rival(values, blocks(), best), -1.0}};
    return belief_.variance(row, Terms(terms, 2));
}

template <class B>
void RowReader<B>::predict(const Row<T>& row, double* out, double* scratch) const {
    if (predict_)
        predict_(belief_, row, out);
    else
        belief_.predict(row, out, scratch);
}

template class RowReader<belief::Mean<float>>;
template class RowReader<belief::Mean<double>>;
template class RowReader<belief::Diagonal<float>>;
template class RowReader<belief::Diagonal<double>>;
template class RowReader<belief::Full<float>>;
template class RowReader<belief::Full<double>>;
template class RowReader<belief::Information<float>>;
template class RowReader<belief::Information<double>>;
template class RowReader<belief::DualAveraging<float>>;
template class RowReader<belief::DualAveraging<double>>;
template class RowReader<belief::L1Ball<float>>;
template class RowReader<belief::L1Ball<double>>;
template class RowReader<belief::KernelExpansion<float>>;
template class RowReader<belief::KernelExpansion<double>>;

}  // namespace onlinear
