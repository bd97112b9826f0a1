#pragma once
#include <numeric>

#include "onlinear/learn/with_belief.hpp"
#include "onlinear/numeric/normal.hpp"
#include "onlinear/sequence/learner.hpp"

/// The loop over sentences.
namespace onlinear::sequence {

template <class Belief>
class Labeler final : public WithBelief<SentenceLearner, Belief> {
    using Base = WithBelief<SentenceLearner, Belief>;
    using Base::belief_;
    using Base::rule_;

public:
    using SentenceLearner::counters;
    using SentenceLearner::label_counts;
    using SentenceLearner::layout;
    using typename Base::T;
    using typename Base::Weights;

    explicit Labeler(Belief&& belief) : Base(std::move(belief)) {}

    Report learn(Sentences& batch, const SentenceLesson& lesson) override {
        make_room(batch);
        task_.cost = lesson.cost;
        task_.delta.reserve(2 * (batch.fullest() + batch.longest()));
        const auto index = [&](std::size_t i) {
            return lesson.order ? static_cast<std::size_t>(lesson.order[i]) : i;
        };
        Report report;
        std::size_t in_play = std::min(lesson.known, layout.labels());
        Sentence<T> sentence, next;
        if (lesson.count > 0) next = batch.at<T>(index(0));
        for (std::size_t i = 0; i < lesson.count; ++i) {
            sentence = next;
            const bool more = i + 1 < lesson.count;
            if (more) next = batch.at<T>(index(i + 1));
            if (i + 2 < lesson.count) prefetch(batch.at<T>(index(i + 2)));
            double weight = lesson.weight ? lesson.weight[index(i)] : 1.0;
            if (weight > 0 && sentence.size > 0) weight *= label_weight(sentence, lesson);
            for (std::size_t t = 0; t < sentence.size; ++t)
                in_play = std::max(in_play, static_cast<std::size_t>(sentence.label[t]) + 1);
            task_.lattice.use(in_play);
            if (weight > 0) {
                const Round round = task_.round(belief_, rule_, layout, sentence, more ? &next : nullptr,
                                                weight, Moment{this->clock()});
                if (round.fault != Fault::none) {
                    report.refusal = {round.fault, index(i), -1};
                    return report;
                }
                belief_.tick();
                if (lesson.balanced) count_labels(sentence);
                count(round, sentence.size, report);
            }
            ++report.learned;
        }
        return report;
    }

    void tag(Sentences& batch, std::size_t first, std::size_t last, std::int32_t* labels,
             double* confidence) override {
        make_room(batch);
        const Blend blend = belief_.blend();
        Sentence<T> sentence, next;
        if (first < last) next = batch.at<T>(first);
        for (std::size_t i = first; i < last; ++i) {
            sentence = next;
            const bool more = i + 1 < last;
            if (more) next = batch.at<T>(i + 1);
            task_.lattice.decode(belief_.planes(), blend, layout.label, sentence, more ? &next : nullptr);
            std::copy_n(task_.lattice.path(), sentence.size, labels);
            if (confidence) {
                measure_confidence(sentence, confidence);
                confidence += sentence.size;
            }
            labels += sentence.size;
        }
    }

    std::unique_ptr<SentenceLearner> copy() const override {
        auto twin = std::make_unique<Labeler>(Contents<Belief>::copied(belief_));
        twin->adopt(*this);
        twin->layout = layout;
        twin->label_counts = label_counts;
        return twin;
    }

    void fit_layout() override {
        check_layout();
        belief_.grow(layout.slots(), blocks());
    }

    void check_layout() const override {
        if (layout.slots() * (blocks() + 16) * belief_.planes().planes() >
            std::numeric_limits<std::uint32_t>::max())
            throw std::length_error(
                "features times labels exceed 2^32 weights; use fewer features or labels");
    }

    void weights(Weights which, double* out) const override {
        for_each_weight([&](std::uint32_t slot, std::size_t block) {
            *out++ = Contents<Belief>::weight(belief_, which, slot, block);
        });
    }

    bool covariance(double* out) const override {
        if constexpr (belief::ShowsCovariance<Belief>) {
            std::vector<std::size_t> place;
            for_each_weight([&](std::uint32_t slot, std::size_t block) {
                place.push_back(block * belief_.planes().slots() + slot);
            });
            const std::vector<double> sigma = belief_.sigma();
            for (const std::size_t i : place)
                for (const std::size_t j : place) *out++ = sigma[i * belief_.side() + j];
            return true;
        }
        (void)out;
        return false;
    }

    void load(const GivenState& given) override {
        fit_layout();
        Base::load(given);
    }

private:
    /// One block alone would be laid out for a single row of weights; two make room for labels.
    std::size_t blocks() const noexcept { return std::max<std::size_t>(layout.labels(), 2); }

    void make_room(Sentences& batch) {
        fit_layout();
        batch.prepare<T>();
        task_.lattice.reserve(batch.longest(), layout.labels(), belief_.planes().lanes());
    }

    /// Prefetches a sentence's own arrays: in a shuffled order the hardware cannot.
    [[gnu::always_inline]] static void prefetch(const Sentence<T>& sentence) noexcept {
        for (std::size_t at = sentence.token[0]; at < sentence.token[sentence.size]; at += 16)
            __builtin_prefetch(sentence.feature + at);
    }

    /// The mean, over the tokens of a sentence, of their labels' weights.
    double label_weight(const Sentence<T>& sentence, const SentenceLesson& lesson) {
        if (!lesson.label_weight && !lesson.balanced) return 1.0;
        double sum = 0;
        if (lesson.balanced) {
            // n / (labels * count of this label), over the tokens so far, those of this sentence included.
            counted_ = label_counts;
            add_labels(sentence, counted_);
            double total = 0, labels = 0;
            for (const double count : counted_) {
                total += count;
                labels += count > 0;
            }
            for (std::size_t t = 0; t < sentence.size; ++t)
                sum += total / (labels * counted_[static_cast<std::size_t>(sentence.label[t])]);
        } else {
            for (std::size_t t = 0; t < sentence.size; ++t) sum += lesson.label_weight[sentence.label[t]];
        }
        return sum / static_cast<double>(sentence.size);
    }

    void count_labels(const Sentence<T>& sentence) { add_labels(sentence, label_counts); }

    static void add_labels(const Sentence<T>& sentence, std::vector<double>& counts) {
        for (std::size_t t = 0; t < sentence.size; ++t) {
            const auto label = static_cast<std::size_t>(sentence.label[t]);
            if (counts.size() <= label) counts.resize(label + 1, 0.0);
            counts[label] += 1;
        }
    }

    void count(const Round& round, std::size_t tokens, Report& report) noexcept {
        ++report.seen;
        report.mistakes += round.mistake;
        report.updates += round.updated;
        report.tokens += tokens;
        report.wrong_tokens += task_.wrong;
        counters.seen += 1;
        counters.mistakes += round.mistake;
        counters.updates += round.updated;
        counters.tokens += static_cast<double>(tokens);
        counters.wrong_tokens += static_cast<double>(task_.wrong);
    }

    /// Phi(margin / sqrt(variance)) of each token: the margin over the best sequence that labels it
    /// otherwise, the variance that of the token's own two scores.
    void measure_confidence(const Sentence<T>& sentence, double* out) {
        margin_.resize(sentence.size);
        rival_.resize(sentence.size);
        spread_.resize(belief_.planes().lanes() + belief_.planes().blocks());
        task_.lattice.rivals(sentence.size, margin_.data(), rival_.data());
        for (std::size_t i = 0; i < sentence.size; ++i) {
            if (rival_[i] < 0) {  // one label only: nothing to be unsure of
                out[i] = 1.0;
                continue;
            }
            belief_.variances(token_row(sentence, i), spread_.data());
            const double v = spread_[static_cast<std::size_t>(task_.lattice.path()[i])] +
                             spread_[static_cast<std::size_t>(rival_[i])];
            out[i] = v > 0 ? numeric::normal_cdf(margin_[i] / std::sqrt(v)) : 0.5;
        }
    }

    Row<T> token_row(const Sentence<T>& sentence, std::size_t i) {
        const std::size_t n = sentence.count(i);
        if (ones_.size() < n) ones_.assign(n, T{1});
        const T* value = sentence.value ? sentence.values(i) : ones_.data();
        double norm2 = 0;
        for (std::size_t j = 0; j < n; ++j)
            norm2 += static_cast<double>(value[j]) * static_cast<double>(value[j]);
        return {.size = static_cast<std::uint32_t>(n),
                .at = sentence.features(i),
                .value = value,
                .norm2 = norm2,
                .dense = false,
                .flat = false};
    }

    template <class F>
    void for_each_weight(F&& f) const {
        for (std::size_t k = 0; k < layout.labels(); ++k)
            for (const std::uint32_t slot : layout.column) f(slot, k);
        for (const std::uint32_t slot : layout.label)
            for (std::size_t k = 0; k < layout.labels(); ++k) f(slot, k);
    }

    task::Sequence<T> task_;
    std::vector<double> margin_, spread_, counted_;
    std::vector<std::int32_t> rival_;
    std::vector<T> ones_;
};

}  // namespace onlinear::sequence
