#include <cstring>

#include "testing.hpp"

/// Runs the tests of the files whose names contain the argument; all of them without one.
int main(int argc, char** argv) {
    const char* wanted = argc > 1 ? argv[1] : "";
    int run = 0, failed = 0;
    for (const testing::Test& test : testing::all()) {
        if (std::strstr(test.file, wanted) == nullptr) continue;
        const int before = testing::failures();
        test.body();
        const bool good = testing::failures() == before;
        std::printf("%s  %s\n", good ? "ok    " : "FAILED", test.sentence);
        ++run;
        failed += !good;
    }
    std::printf("%d tests, %d failed\n", run, failed);
    return run == 0 || failed > 0;
}
