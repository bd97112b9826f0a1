#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "onlinear/text/batch.hpp"

namespace onlinear::text {

/// Rows of a stream in another order, with no more of them in memory than the buffer has places.
///
/// A row that comes takes a place at random, and the row that had it goes out; at the end those that are left
/// go out at random. The order follows from the rows, their number and the seed alone, not from how they were
/// batched, so who reads the stream again meets it again.
class Shuffle {
public:
    struct Row {
        std::span<const std::int32_t> indices;
        std::span<const float> values;
        std::span<const double> labels;
        std::span<const std::int32_t> label_ids;
        double weight = 1;
        std::int64_t line = 0;
        std::int64_t place = 0;   ///< in the stream
        std::int32_t source = 0;  ///< the file it was read from
    };

    /// Rows that went out, and where they stood before.
    struct Out {
        ParsedRows rows;
        std::vector<std::int64_t> places;
        std::vector<std::int32_t> sources;
    };

    Shuffle(std::size_t rows, std::uint64_t seed) : size_(rows), state_(seed) {
        if (rows == 0 || rows > (std::size_t{1} << 31))
            throw std::invalid_argument("rows must be in 1 to 2^31");
    }

    void add(const Row& row, Out& out) {
        if (kept_.size() < size_) {
            kept_.emplace_back();
            kept_.back().take(row);
            return;
        }
        Kept& chosen = kept_[below(size_)];
        chosen.give(out);
        chosen.take(row);
    }

    /// Lets rows that are left go, up to so many rows and entries; false when none is left.
    bool drain(Out& out, std::int64_t most_rows, std::int64_t most_entries) {
        while (!kept_.empty() && out.rows.rows() < most_rows && out.rows.entries() < most_entries) {
            Kept& chosen = kept_[below(kept_.size())];
            chosen.give(out);
            std::swap(chosen, kept_.back());
            kept_.pop_back();
        }
        return !kept_.empty();
    }

private:
    struct Kept {
        std::vector<std::int32_t> indices, label_ids;
        std::vector<float> values;
        std::vector<double> labels;
        double weight = 1;
        std::int64_t line = 0, place = 0;
        std::int32_t source = 0;

        void take(const Row& row) {
            indices.assign(row.indices.begin(), row.indices.end());
            values.assign(row.values.begin(), row.values.end());
            labels.assign(row.labels.begin(), row.labels.end());
            label_ids.assign(row.label_ids.begin(), row.label_ids.end());
            weight = row.weight;
            line = row.line;
            place = row.place;
            source = row.source;
        }

        void give(Out& out) const {
            ParsedRows& rows = out.rows;
            rows.indices.insert(rows.indices.end(), indices.begin(), indices.end());
            rows.values.insert(rows.values.end(), values.begin(), values.end());
            rows.labels.insert(rows.labels.end(), labels.begin(), labels.end());
            rows.label_ids.insert(rows.label_ids.end(), label_ids.begin(), label_ids.end());
            for (const std::int32_t id : label_ids) rows.any_text_label = rows.any_text_label || id >= 0;
            rows.set_weight(weight);
            rows.close_row(line, rows.entries());
            out.places.push_back(place);
            out.sources.push_back(source);
        }
    };

    /// A whole number below `n`, all alike but for one part in 2^32 / n.
    std::size_t below(std::size_t n) noexcept {
        // splitmix64: Steele, Lea, Flood. OOPSLA 2014.
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        return static_cast<std::size_t>(((z >> 32) * n) >> 32);
    }

    std::size_t size_;
    std::uint64_t state_;
    std::vector<Kept> kept_;
};

}  // namespace onlinear::text
