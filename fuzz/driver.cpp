// Runs a libFuzzer target without libFuzzer: mutates the files of a corpus and what came of them.
//
//     fuzz_svmlight -runs=200000 -seed=1 corpus/svmlight [file ...]
//
// It knows nothing of coverage, so the corpus must already reach what is to be tested. A crash leaves
// the input in a file, <-artifact_prefix=>crash-input.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string current;
std::string kept = "crash-input";

void save_input(int signal) {
    if (std::FILE* const file = std::fopen(kept.c_str(), "wb")) {
        std::fwrite(current.data(), 1, current.size(), file);
        std::fclose(file);
    }
    std::fprintf(stderr, "signal %d; the input is in %s\n", signal, kept.c_str());
    std::_Exit(1);
}

struct Random {
    std::uint64_t state;

    std::uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
    std::size_t below(std::size_t n) { return n == 0 ? 0 : next() % n; }
};

const std::vector<std::string> kPieces = {" ",
                                          "\n",
                                          "\r\n",
                                          "\t",
                                          ":",
                                          "|",
                                          ",",
                                          ".",
                                          "-",
                                          "+",
                                          "e",
                                          "#",
                                          "'",
                                          "\"",
                                          "\"\"",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          "\\",
                                          "\\u",
                                          "\\ud83d\\ude00",
                                          "\\ud800",
                                          "0",
                                          "1",
                                          "9",
                                          "1:1 ",
                                          "0.5",
                                          "1e400",
                                          "1e-400",
                                          "nan",
                                          "inf",
                                          "qid:1",
                                          "268435457",
                                          "99999999999999999999",
                                          "12345678",
                                          "123456789012345678",
                                          "0.12345678901234567890",
                                          "\"label\":",
                                          "\"text\":",
                                          "\"features\":",
                                          "null",
                                          "true",
                                          "__label__",
                                          "\xef\xbb\xbf",
                                          "\xff\xfe",
                                          "\xc3\xa9",
                                          "\xf0\x9f\x98\x80",
                                          "\xce\xa3",
                                          "\xc4\xb0",
                                          "\xed\xa0\x80",
                                          std::string(1, '\0'),
                                          "label",
                                          "a,b,c\n"};

void mutate(std::string& input, const std::vector<std::string>& corpus, std::size_t longest, Random& random) {
    for (std::size_t times = 1 + random.below(6); times != 0; --times) {
        const std::size_t at = random.below(input.size() + 1);
        switch (random.below(8)) {
            case 0:
                if (at < input.size()) input[at] = static_cast<char>(random.next());
                break;
            case 1:
                if (at < input.size()) input[at] = static_cast<char>(input[at] ^ 1 << random.below(8));
                break;
            case 2:
                input.erase(at, 1 + random.below(8));
                break;
            case 3:
                input.insert(at, kPieces[random.below(kPieces.size())]);
                break;
            case 4:
                input.insert(at, 1, static_cast<char>(random.next()));
                break;
            case 5:
                input.insert(at, input.substr(random.below(input.size() + 1), random.below(24)));
                break;
            case 6: {
                const std::string& other = corpus[random.below(corpus.size())];
                input = input.substr(0, at) + other.substr(random.below(other.size() + 1));
                break;
            }
            default:
                input.insert(at, std::to_string(random.next() >> random.below(64)));
        }
    }
    if (input.size() > longest) input.resize(longest);
}

void load(const std::filesystem::path& path, std::vector<std::string>& corpus) {
    if (std::filesystem::is_directory(path)) {
        for (const auto& entry : std::filesystem::directory_iterator(path)) load(entry.path(), corpus);
        return;
    }
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

void run(const std::string& input) {
    current = input;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t runs = 200'000;
    std::size_t longest = 600;
    Random random{88172645463325252u};
    std::vector<std::string> corpus;
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "-runs=", 6) == 0) {
            runs = std::strtoull(argv[i] + 6, nullptr, 10);
        } else if (std::strncmp(argv[i], "-seed=", 6) == 0) {
            random.state ^= std::strtoull(argv[i] + 6, nullptr, 10) * 0x9e3779b97f4a7c15u;
        } else if (std::strncmp(argv[i], "-max_len=", 9) == 0) {
            longest = std::strtoull(argv[i] + 9, nullptr, 10);
        } else if (std::strncmp(argv[i], "-artifact_prefix=", 17) == 0) {
            kept = std::string(argv[i] + 17) + "crash-input";
        } else if (argv[i][0] != '-') {
            load(argv[i], corpus);
        }
    }
    if (corpus.empty()) corpus.emplace_back("  1 1:1\n");
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL}) std::signal(signal, save_input);
    std::uint64_t done = 0;
    for (const std::string& input : corpus) {
        run(input);
        ++done;
    }
    std::string input;
    for (; done < runs; ++done) {
        if (random.below(4) == 0 || input.empty()) input = corpus[random.below(corpus.size())];
        mutate(input, corpus, longest, random);
        run(input);
    }
    std::printf("Done %llu runs\n", static_cast<unsigned long long>(done));
}
