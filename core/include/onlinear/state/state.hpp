#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/state/touched.hpp"

/// A belief's state as named arrays, on its way out and in.
namespace onlinear {

/// One named piece of state as Python sees it.
struct StateEntry {
    std::string name;
    std::vector<std::size_t> shape;  // empty: a scalar
    double scalar = 0.0;
    std::vector<float> f32;
    std::vector<double> f64;
};

/// One named piece of state as it is given: views of the caller's numbers.
struct GivenEntry {
    std::string name;
    std::vector<std::size_t> shape;  // empty: a scalar
    double scalar = 0.0;
    std::span<const float> f32;
    std::span<const double> f64;
};

/// A state to load. With touched weights given, its planes hold just theirs.
struct GivenState {
    std::vector<GivenEntry> entries;
    const Touched* touched = nullptr;
};

/// Some of the rows or columns of an array.
struct Bounds {
    std::size_t first = 0;
    std::size_t last = std::numeric_limits<std::size_t>::max();

    Bounds within(std::size_t count) const {
        const std::size_t end = std::min(last, count);
        return {std::min(first, end), end};
    }
    std::size_t size() const { return last - first; }
};

/// A part of one array of a state. A large model is copied out in parts, so that it is not in memory twice.
struct StatePart {
    std::string name;
    Bounds rows, columns;
    const Touched* touched = nullptr;  // of a plane's columns these weights alone, one after the other
};

/// Copies a belief's state out; with a part given, only that part's numbers.
template <class T>
struct StateWriter final : belief::StateVisitor<T> {
    const StatePart* part;
    std::vector<StateEntry> entries;
    explicit StateWriter(const StatePart* only = nullptr) : part(only) {}
    bool wanted(const char* name) const { return part == nullptr || part->name == name; }
    Bounds rows(std::size_t count) const { return (part ? part->rows : Bounds{}).within(count); }
    Bounds columns(std::size_t count) const { return (part ? part->columns : Bounds{}).within(count); }
    static std::vector<T>& values(StateEntry& entry) {
        if constexpr (sizeof(T) == 4) {
            return entry.f32;
        } else {
            return entry.f64;
        }
    }
    void scalar(const char* name, double& value) override { entries.push_back({name, {}, value, {}, {}}); }
    void plane(const char* name, Planes<T>& planes, std::size_t plane) override {
        entries.push_back({name, {planes.blocks(), planes.slots()}, 0, {}, {}});
        if (!wanted(name)) return;
        const Bounds r = rows(planes.blocks()), c = columns(planes.slots());
        std::vector<T>& out = values(entries.back());
        if (part != nullptr && part->touched != nullptr) {
            out = part->touched->read(planes, plane, c.first, c.last);
            entries.back().shape = {1, out.size()};
            return;
        }
        entries.back().shape = {r.size(), c.size()};
        out.resize(r.size() * c.size());
        planes.read(plane, out.data(), r.first, r.last, c.first, c.last);
    }
    void column(const char* name, Planes<T>& planes) override {
        const Bounds c = columns(planes.slots());
        entries.push_back({name, {1, planes.slots()}, 0, {}, {}});
        if (!wanted(name)) return;
        entries.back().shape = {1, c.size()};
        values(entries.back()).resize(c.size());
        planes.read(0, values(entries.back()).data(), 0, 1, c.first, c.last);
    }
    void matrix(const char* name, BigArray<T>& array, std::size_t rows_given, std::size_t columns) override {
        entries.push_back({name, {rows_given, columns}, 0, {}, {}});
        if (wanted(name)) copy(array.begin(), rows_given, columns, values(entries.back()));
    }
    void table(const char* name, std::vector<double>& given, std::size_t columns) override {
        entries.push_back({name, {given.size() / columns, columns}, 0, {}, {}});
        if (wanted(name)) copy(given.begin(), given.size() / columns, columns, entries.back().f64);
    }
    bool loading() const noexcept override { return false; }

private:
    template <class Iterator, class Value>
    void copy(Iterator from, std::size_t row_count, std::size_t column_count, std::vector<Value>& out) {
        const Bounds r = rows(row_count), c = columns(column_count);
        entries.back().shape = {r.size(), c.size()};
        out.reserve(r.size() * c.size());
        for (std::size_t row = r.first; row < r.last; ++row) {
            const auto at = from + static_cast<std::ptrdiff_t>(row * column_count);
            out.insert(out.end(), at + static_cast<std::ptrdiff_t>(c.first),
                       at + static_cast<std::ptrdiff_t>(c.last));
        }
    }
};

/// Copies a state in; refuses shapes and numbers that cannot be.
template <class T>
struct StateReader final : belief::StateVisitor<T> {
    const GivenState& given;
    explicit StateReader(const GivenState& state) : given(state) {}

    const GivenEntry& find(const char* name, const std::vector<std::size_t>& shape) const {
        for (const GivenEntry& entry : given.entries) {
            if (entry.name != name) continue;
            if (entry.shape != shape)
                throw std::invalid_argument(std::string("state '") + name + "' has the wrong shape");
            return entry;
        }
        throw std::invalid_argument(std::string("state '") + name + "' is missing");
    }
    static void check(const char* name, double value, double low) {
        if (!std::isfinite(value) || value < low)
            throw std::invalid_argument(std::string("state '") + name +
                                        "' holds a value that is not possible");
    }
    /// The same for an array, without a branch for each number.
    template <class Values>
    static void check_all(const char* name, const Values& values, double low) {
        constexpr double high = std::numeric_limits<typename Values::value_type>::max();
        low = std::max(low, -high);
        bool good = true;
        for (const double v : values) good &= (v >= low) & (v <= high);
        if (!good) check(name, std::numeric_limits<double>::quiet_NaN(), low);
    }
    void scalar(const char* name, double& value) override {
        const double given = find(name, {}).scalar;
        check(name, given, -std::numeric_limits<double>::infinity());
        value = given;
    }
    void plane(const char* name, Planes<T>& planes, std::size_t plane) override {
        const std::string_view kind(name);
        const double low = kind == "variance" || kind == "precision" ? std::numeric_limits<double>::min()
                           : kind == "squares" ? 0.0
                                               : -std::numeric_limits<double>::infinity();
        if (given.touched != nullptr) {
            touched_plane(name, planes, plane, low);
            return;
        }
        whole_plane(name, planes, plane, low);
    }
    void column(const char* name, Planes<T>& planes) override { whole_plane(name, planes, 0, 0.0); }
    void matrix(const char* name, BigArray<T>& array, std::size_t rows, std::size_t columns) override {
        const GivenEntry& entry = find(name, {rows, columns});
        const auto put = [&](const auto& values) {
            if (values.size() != array.size())
                throw std::invalid_argument(std::string("state '") + name + "' has the wrong size");
            for (std::size_t i = 0; i < values.size(); ++i)
                check(name, static_cast<double>(values[i]),
                      i % (columns + 1) == 0 ? std::numeric_limits<double>::min()
                                             : -std::numeric_limits<double>::infinity());
            std::copy(values.begin(), values.end(), array.begin());
        };
        entry.f32.empty() ? put(entry.f64) : put(entry.f32);
    }
    void table(const char* name, std::vector<double>& table, std::size_t columns) override {
        for (const GivenEntry& entry : given.entries) {
            if (entry.name != name) continue;
            if (entry.shape.size() != 2 || (columns != 0 && entry.shape[1] != columns))
                throw std::invalid_argument(std::string("state '") + name + "' has the wrong shape");
            for (const double v : entry.f64) check(name, v, -std::numeric_limits<double>::infinity());
            table.assign(entry.f64.begin(), entry.f64.end());
            return;
        }
        throw std::invalid_argument(std::string("state '") + name + "' is missing");
    }
    bool loading() const noexcept override { return true; }

private:
    void whole_plane(const char* name, Planes<T>& planes, std::size_t plane, double low) {
        const GivenEntry& entry = find(name, {planes.blocks(), planes.slots()});
        const auto put = [&](const auto& values) {
            if (values.size() != planes.blocks() * planes.slots())
                throw std::invalid_argument(std::string("state '") + name + "' has the wrong size");
            check_all(name, values, low);
            planes.write(plane, values.data());
        };
        entry.f32.empty() ? put(entry.f64) : put(entry.f32);
    }
    void touched_plane(const char* name, Planes<T>& planes, std::size_t plane, double low) {
        const Touched& touched = *given.touched;
        if (touched.slots != planes.slots() || touched.blocks != planes.blocks())
            throw std::invalid_argument("the touched weights are not those of this state");
        const auto start = std::find_if(touched.start.begin(), touched.start.end(),
                                        [&](const auto& one) { return one.first == name; });
        if (start == touched.start.end())
            throw std::invalid_argument(std::string("state '") + name + "' does not say what it starts from");
        const std::size_t count = touched.count();
        const GivenEntry& entry = find(name, {1, count});
        const auto put = [&](const auto& values) {
            if (values.size() != count)
                throw std::invalid_argument(std::string("state '") + name + "' has the wrong size");
            check(name, static_cast<double>(static_cast<T>(start->second)), low);
            check_all(name, values, low);
            for (std::uint32_t s = 0; s < planes.slots(); ++s)
                std::fill_n(&planes.at(s, plane, 0), planes.blocks(), static_cast<T>(start->second));
            const auto* next = values.data();
            touched.each(planes, plane, [&](T& w) { w = static_cast<T>(*next++); });
        };
        entry.f32.empty() ? put(entry.f64) : put(entry.f32);
    }
};

}  // namespace onlinear
