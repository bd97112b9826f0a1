#pragma once
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

/// A test is a sentence and a body; that is all the core's tests need, so nothing has to be installed.
namespace testing {

struct Test {
    const char* file;
    const char* sentence;
    void (*body)();
};

inline std::vector<Test>& all() {
    static std::vector<Test> tests;
    return tests;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registered {
    Registered(const char* file, const char* sentence, void (*body)()) {
        all().push_back({file, sentence, body});
    }
};

inline void check(bool good, const char* what, const char* file, int line) {
    if (good) return;
    ++failures();
    std::printf("    %s:%d: not true: %s\n", file, line, what);
}

inline void check_close(double got, double want, double tolerance, const char* what, const char* file,
                        int line) {
    if (std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want))) return;
    ++failures();
    std::printf("    %s:%d: %s is %.17g, should be %.17g\n", file, line, what, got, want);
}

}  // namespace testing

#define TESTING_JOIN_(a, b) a##b
#define TESTING_JOIN(a, b) TESTING_JOIN_(a, b)
#define TEST(sentence)                                                                                   \
    static void TESTING_JOIN(test_, __LINE__)();                                                         \
    static const testing::Registered TESTING_JOIN(registered_, __LINE__)(__FILE__, sentence,             \
                                                                         TESTING_JOIN(test_, __LINE__)); \
    static void TESTING_JOIN(test_, __LINE__)()
#define CHECK(...) testing::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_CLOSE(got, want, tolerance) testing::check_close(got, want, tolerance, #got, __FILE__, __LINE__)
