#include <cstdio>
#include <iostream>
#include <string>

#include "onlinear/declaration.hpp"
#include "onlinear/learn/loop.hpp"

/// Runs a rule of the closed list: what it declares, single steps, and a stream through the loop. Compiled by
/// tests/test_contributing.py with the rules that CONTRIBUTING.md shows.
///
/// usage: contributing RULE [parameter=value ...] declare | step MARGIN VARIANCE | learn < rows of "label x
/// x"
namespace {

using namespace onlinear;

template <class Belief>
void learn(const rule::AnyRule& rule) {
    std::size_t rows = 0, columns = 0;
    std::cin >> rows >> columns;
    std::vector<double> x(rows * columns), weight(rows);
    std::vector<std::int32_t> label(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        std::cin >> label[i] >> weight[i];
        for (std::size_t j = 0; j < columns; ++j) std::cin >> x[i * columns + j];
    }
    TaskLearner<task::Binary, Belief> learner(task::Binary{}, Belief({}, columns + 1, 1));
    learner.set_rule(rule);
    learner.intercept = false;
    learner.prepare();
    const Matrix matrix{.values = x.data(),
                        .rows = rows,
                        .columns = columns,
                        .row_stride = static_cast<std::ptrdiff_t>(columns)};
    const Report report =
        learner.learn(matrix, {.labels = label.data(), .sample_weight = weight.data(), .count = rows});
    std::printf("%zu %zu\n", report.learned, report.updates);
    for (std::uint32_t slot = 1; slot <= columns; ++slot)
        std::printf("%.17g %.17g\n", learner.belief().mean_at(slot, 0),
                    learner.belief().variance_at(slot, 0));
}

template <class R>
int run(int count, char** word) {
    R rule;
    const Declaration& declaration = declaration_of<R>();
    int at = 2;
    for (; at < count && std::string(word[at]).find('=') != std::string::npos; ++at) {
        const std::string given = word[at];
        for (const DeclaredParameter& each : declaration.parameters)
            if (given.rfind(std::string(each.name) + "=", 0) == 0)
                each.template of<double>(static_cast<void*>(&rule)) =
                    std::stod(given.substr(given.find('=') + 1));
    }
    rule::validate(rule);
    const std::string what = at < count ? word[at] : "";
    if (what == "declare") {
        for (const DeclaredParameter& each : declaration.parameters)
            std::printf("%s|%s|%.17g|%s|%s\n", each.name, kKinds[static_cast<std::size_t>(each.kind)],
                        each.template of<double>(declaration.defaults.get()),
                        rule::describe(each.range).c_str(), each.doc);
    } else if (what == "step") {
        const Evidence e{.margin = std::stod(word[at + 1]), .variance = std::stod(word[at + 2])};
        const Step step = rule::decide(rule::AnyRule(rule), e, Clock{});
        std::printf("%.17g %.17g %.17g %.17g\n", step.mean, step.precision, step.keep, step.spread);
    } else if (R::metric == rule::Metric::mean) {
        learn<belief::Mean<double>>(rule);
    } else {
        learn<belief::Diagonal<double>>(rule);
    }
    return 0;
}

}  // namespace

int main(int count, char** word) {
    int code = 2;
    each_of<rule::Rules>([&]<class R>() {
        if (count > 2 && R::name == std::string(word[1])) code = run<R>(count, word);
    });
    return code;
}
