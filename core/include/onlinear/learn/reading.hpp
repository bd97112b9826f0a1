#pragma once
#include "onlinear/learner.hpp"
#include "onlinear/rows/stage.hpp"

namespace onlinear {

/// Whether scores are sums over the row itself, so that the intercept can be added last and the caller's
/// values need no copy.
template <class Task, class Belief>
inline constexpr bool kReadDirectly = task::Plain<Task> && belief::DirectScores<Belief>;

/// Reads scores and variances of rows; many threads may read one belief. It knows neither task nor rule, so
/// it is compiled once for each belief, in src/learner_reading.cpp, and not anew when a rule changes.
template <class Belief>
class RowReader {
public:
    using T = typename Belief::Scalar;
    /// What a model says of a row, where that is not the belief's scores.
    using Predict = void (*)(const Belief& belief, const Row<T>& row, double* out);

    /// Reads for a task; it may be one that reads directly, or that says something else of a row.
    template <class Task>
    static RowReader of(const Belief& belief, bool intercept) noexcept {
        RowReader reader{belief, intercept, kReadDirectly<Task, Belief>};
        if constexpr (task::Predicts<Task, Belief>)
            reader.predict_ = [](const Belief& known, const Row<T>& row, double* out) {
                Task::predict(known, row, out);
            };
        return reader;
    }

    Refusal read(const Matrix& matrix, Reading what, double* out, std::size_t threads) const;

private:
    RowReader(const Belief& belief, bool intercept, bool direct) noexcept
        : belief_(belief), intercept_(intercept), direct_(direct) {}

    Refusal read_scores(const Matrix& matrix, double* out, std::size_t first, std::size_t last) const
        requires belief::DirectScores<Belief>;
    std::size_t read_direct(const Stager<T>& stage, const Matrix& matrix, double base, double* out,
                            std::size_t first, std::size_t last) const
        requires belief::DirectScores<Belief>;
    std::size_t read_direct(const Stager<T>& stage, const std::vector<double>& base, double* out,
                            std::size_t first, std::size_t last) const
        requires belief::DirectScores<Belief>;
    Refusal read_blocks(const Stager<T>& stage, bool variances, double* out, std::size_t first,
                        std::size_t last) const
        requires belief::LooksAhead<Belief>;
    Refusal read_rows(const Matrix& matrix, Reading what, double* out, std::size_t first,
                      std::size_t last) const;
    bool scaled() const noexcept;
    bool only_divided() const noexcept;
    void scale(Stage<T>& stage) const noexcept;
    double margin_variance(const Row<T>& row, double* values, double* scratch) const;
    void predict(const Row<T>& row, double* out, double* scratch) const;
    std::size_t blocks() const noexcept { return belief_.planes().blocks(); }

    const Belief& belief_;
    const bool intercept_, direct_;
    Predict predict_ = nullptr;
};

}  // namespace onlinear
