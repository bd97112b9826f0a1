#pragma once
// What every bare loop needs: the data as the harness dumps it, a model on huge pages, a clock, and the
// way to report. The loops themselves check nothing: they say what the machine allows, and no more.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace limit {

/// Rows in compressed form, as written by `benchmarks/data.py`: three int64 (rows, non-zeros, features),
/// then indptr (int64), indices (int32), values (float32) and labels (int32).
struct Csr {
    std::size_t rows, nonzeros, features;
    const std::int64_t* indptr;
    const std::int32_t* indices;
    const float* values;
    const std::int32_t* labels;

    struct Row {
        const std::int32_t* indices;
        const float* values;
        std::size_t size;
    };

    /// Past the end there are empty rows, so that a loop may look ahead without a test of its own.
    Row operator[](std::size_t row) const {
        const std::int64_t begin = indptr[std::min(row, rows)], end = indptr[std::min(row + 1, rows)];
        return {indices + begin, values + begin, static_cast<std::size_t>(end - begin)};
    }

    float sign(std::size_t row) const { return labels[row] > 0 ? 1.0f : -1.0f; }
};

/// A whole file in memory; read, not mapped, so that no page fault is counted against a loop.
inline std::span<const char> read_file(const char* path) {
    const int file = open(path, O_RDONLY);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0) {
        std::perror(path);
        std::exit(1);
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    auto* bytes = static_cast<char*>(std::malloc(size));
    std::size_t have = 0;
    for (ssize_t got; (got = read(file, bytes + have, size - have)) > 0;)
        have += static_cast<std::size_t>(got);
    close(file);
    return {bytes, have};
}

inline Csr read_csr(const char* path) {
    const char* bytes = read_file(path).data();
    const auto take = [&bytes]<class T>(T, std::size_t count) {
        return reinterpret_cast<const T*>(std::exchange(bytes, bytes + count * sizeof(T)));
    };
    const std::int64_t* header = take(std::int64_t{}, 3);
    Csr csr{};
    csr.rows = static_cast<std::size_t>(header[0]);
    csr.nonzeros = static_cast<std::size_t>(header[1]);
    csr.features = static_cast<std::size_t>(header[2]);
    csr.indptr = take(std::int64_t{}, csr.rows + 1);
    csr.indices = take(std::int32_t{}, csr.nonzeros);
    csr.values = take(float{}, csr.nonzeros);
    csr.labels = take(std::int32_t{}, csr.rows);
    return csr;
}

/// An array on 2 MB pages: a model of some megabytes is gathered from at random, and with 4 KB pages
/// the address translation alone costs a quarter of the time.
template <class T>
class HugeArray {
public:
    explicit HugeArray(std::size_t size) : size_(size) {
        const std::size_t bytes = (size * sizeof(T) + kPage - 1) / kPage * kPage;
        void* memory = std::aligned_alloc(kPage, bytes);
        madvise(memory, bytes, MADV_HUGEPAGE);
        data_ = static_cast<T*>(memory);
    }
    ~HugeArray() { std::free(data_); }
    HugeArray(const HugeArray&) = delete;
    HugeArray& operator=(const HugeArray&) = delete;

    void fill(const T& value) { std::fill_n(data_, size_, value); }
    T* data() { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }

private:
    static constexpr std::size_t kPage = std::size_t{2} << 20;
    std::size_t size_;
    T* data_;
};

/// One weight and what is known of it, side by side: one cache line a feature instead of two.
struct Gaussian {
    float mean, variance;
};

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* address) {
    __builtin_prefetch(address);
}

// Always inlined: GCC takes a function that only prefetches for one without an effect, and deletes the call.
template <class T>
[[gnu::always_inline]] inline void prefetch_features(const Csr::Row& row, const T* weights) {
    for (std::size_t j = 0; j < row.size; ++j) prefetch(weights + row.indices[j]);
}

inline double seconds(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Makes `passes` passes, each on a fresh model, and keeps the time of the best: the others were
/// disturbed by somebody else.
class Stopwatch {
public:
    explicit Stopwatch(const char* passes) : passes_(std::atoi(passes)) {}

    template <class Fresh, class Pass>
    void run(Fresh&& fresh, Pass&& pass) {
        for (int i = 0; i < passes_; ++i) {
            fresh();
            const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
            mistakes_ = pass();
            cpu_ = std::min(cpu_, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
            wall_ = std::min(wall_, seconds(CLOCK_MONOTONIC) - wall);
        }
    }

    /// Prints the one line of JSON that the harness reads, after learning ...
    void report(std::size_t rows, std::size_t nonzeros, double held_out) const {
        std::printf("{%s, \"progressive\": %.6f, \"held_out\": %.6f}\n", timing(rows, nonzeros).c_str(),
                    share(mistakes_, rows), held_out);
    }

    /// ... and after mere prediction.
    void report(std::size_t rows, std::size_t nonzeros) const {
        std::printf("{%s}\n", timing(rows, nonzeros).c_str());
    }

    static double share(std::size_t part, std::size_t whole) {
        return static_cast<double>(part) / static_cast<double>(whole);
    }

private:
    std::string timing(std::size_t rows, std::size_t nonzeros) const {
        char text[160];
        std::snprintf(text, sizeof text,
                      "\"cpu\": %.9f, \"wall\": %.9f, \"examples\": %zu, \"nonzeros\": %zu", cpu_, wall_,
                      rows, nonzeros);
        return text;
    }

    int passes_;
    double cpu_ = 1e9, wall_ = 1e9;
    std::size_t mistakes_ = 0;
};

/// Share of the rows whose label's sign `score(row)` misses.
template <class Score>
double held_out_error(const Csr& test, Score&& score) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < test.rows; ++i) wrong += (score(test[i]) > 0) != (test.labels[i] > 0);
    return Stopwatch::share(wrong, test.rows);
}

}  // namespace limit
