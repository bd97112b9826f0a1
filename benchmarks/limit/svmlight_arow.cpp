// From a text file to a model: tokenize svmlight (1-based ids) and learn diagonal AROW, float32, "drop".
//   svmlight_arow TRAIN.svm TRAIN.csr TEST.csr PASSES
// Numbers are digits with an optional point and every line ends in a newline; nothing is checked.
// The file is mapped anew in every pass.

#include "common.hpp"

using namespace limit;

namespace {

constexpr float kR = 0.1f;
constexpr float kTenth[] = {1.f, 1e-1f, 1e-2f, 1e-3f, 1e-4f, 1e-5f, 1e-6f, 1e-7f, 1e-8f, 1e-9f};

class Cursor {
public:
    Cursor(const char* begin, const char* end) : at_(begin), end_(end) {}

    bool done() const { return at_ >= end_; }
    char peek() const { return *at_; }
    void skip() { ++at_; }
    void skip_spaces() {
        while (*at_ == ' ') ++at_;
    }

    std::uint32_t integer() {
        std::uint32_t value = 0;
        digits(value);
        return value;
    }

    float number() {
        const bool negative = *at_ == '-';
        at_ += negative || *at_ == '+';
        std::uint32_t mantissa = 0;
        digits(mantissa);
        int decimals = 0;
        if (*at_ == '.') {
            ++at_;
            decimals = digits(mantissa);
        }
        const float value = static_cast<float>(mantissa) * kTenth[decimals];
        return negative ? -value : value;
    }

private:
    int digits(std::uint32_t& value) {
        const char* begin = at_;
        for (unsigned digit; (digit = static_cast<unsigned char>(*at_) - unsigned{'0'}) < 10; ++at_)
            value = value * 10 + digit;
        return static_cast<int>(at_ - begin);
    }

    const char* at_;
    const char* end_;
};

/// One tokenized row, kept while the next is read so that its features' prefetches have time to arrive.
struct Example {
    float sign = 0;
    std::vector<std::uint32_t> indices;
    std::vector<float> values;

    void read(Cursor& text, const Gaussian* weights) {
        indices.clear();
        values.clear();
        sign = text.number() > 0 ? 1.0f : -1.0f;
        for (text.skip_spaces(); text.peek() != '\n'; text.skip_spaces()) {
            indices.push_back(text.integer() - 1);
            text.skip();
            values.push_back(text.number());
            prefetch(weights + indices.back());
        }
        text.skip();
    }
};

bool learn(const Example& example, Gaussian* weights) {
    float margin = 0, variance = 0;
    for (std::size_t j = 0; j < example.indices.size(); ++j) {
        const Gaussian weight = weights[example.indices[j]];
        margin += weight.mean * example.values[j];
        variance += weight.variance * example.values[j] * example.values[j];
    }
    margin *= example.sign;
    if (margin < 1) {
        const float beta = 1 / (variance + kR), alpha = (1 - margin) * beta * example.sign;
        for (std::size_t j = 0; j < example.indices.size(); ++j) {
            Gaussian& weight = weights[example.indices[j]];
            const float z = weight.variance * example.values[j];
            weight.mean += alpha * z;
            weight.variance -= beta * z * z;
        }
    }
    return margin <= 0;
}

std::size_t learn_file(const char* path, Gaussian* weights) {
    const int file = open(path, O_RDONLY);
    struct stat info;
    fstat(file, &info);
    const auto size = static_cast<std::size_t>(info.st_size);
    auto* text = static_cast<char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0));
    Cursor cursor(text, text + size);
    Example current, next;
    std::size_t mistakes = 0;
    current.read(cursor, weights);
    while (!cursor.done()) {
        next.read(cursor, weights);
        mistakes += learn(current, weights);
        std::swap(current, next);
    }
    mistakes += learn(current, weights);
    munmap(text, size);
    close(file);
    return mistakes;
}

}  // namespace

int main(int, char** argv) {
    const Csr train = read_csr(argv[2]), test = read_csr(argv[3]);
    HugeArray<Gaussian> weights(train.features);
    Stopwatch watch(argv[4]);
    watch.run([&] { weights.fill({0, 1}); }, [&] { return learn_file(argv[1], weights.data()); });
    const auto score = [&](const Csr::Row& row) {
        float sum = 0;
        for (std::size_t j = 0; j < row.size; ++j) sum += weights[row.indices[j]].mean * row.values[j];
        return sum;
    };
    watch.report(train.rows, train.nonzeros, held_out_error(test, score));
}
