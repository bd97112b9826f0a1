#include "onlinear/compatible.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "onlinear/declaration.hpp"
#include "onlinear/rule/all.hpp"

namespace onlinear {

namespace {

using rule::Metric;

/// "a", "a or b", "a, b or c".
std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return out;
}

// What rules, beliefs and tasks declare is first written down without their types, so that a comparison is
// compiled once and not for every pair.

/// A rule or task by its name, with those of its choices that are not the default.
template <class Declared>
std::string named(const char* axis, const Declared& declared) {
    std::string choices;
    const Declaration& known = declaration_of<Declared>();
    for (const DeclaredParameter& parameter : known.parameters) {
        if (parameter.kind != Kind::choice) continue;
        const int value = parameter.of<int>(static_cast<const void*>(&declared));
        if (value == parameter.of<int>(known.defaults.get())) continue;
        choices += (choices.empty() ? "" : ", ") + std::string(parameter.name) + "='" +
                   parameter.choices[static_cast<std::size_t>(value)] + "'";
    }
    return std::string(axis) + Declared::name + (choices.empty() ? "" : "(" + choices + ")");
}

/// What a rule with its parameters says of itself.
struct SaidRule {
    std::string name, full_name;  // without and with the parameters that are not the default
    Metric metric;
    Parts uses;
    bool exact, drop_only, regression, centre;
    const char* against_regression = nullptr;  // why its parameters forbid it, at the width asked about
};
template <class R>
SaidRule said_by(const R& rule, double epsilon) {
    SaidRule said{.name = std::string("rule.") + R::name,
                  .full_name = named("rule.", rule),
                  .metric = R::metric,
                  .uses = rule::uses(rule),
                  .exact = rule::HasExactStep<R> || rule::ExactAlready<R>,
                  .drop_only = rule::DropOnly<R>,
                  .regression = rule::LearnsRegression<R>,
                  .centre = rule::FindsCentre<R>};
    if constexpr (rule::LearnsRegression<R>) said.against_regression = rule.refuses_regression(epsilon);
    return said;
}
SaidRule said_by(const rule::AnyRule& rule, double epsilon = 0) {
    return rule::dispatch(rule, [&](const auto& r) { return said_by(r, epsilon); });
}

/// What a belief with its parameters says of itself.
struct SaidBelief {
    std::string name;
    Metric metric;
    Parts takes, needs;  // of a rule
    bool averages = false, scales = false, centres = false, exact = false, drop = true;
};
template <class Options>
SaidBelief said_by(const Options& options) {
    SaidBelief said{.name = std::string("belief.") + Options::name,
                    .metric = Options::metric,
                    .takes = Options::takes,
                    .needs = {}};
    if constexpr (belief::TakesByParameters<Options>) said.takes = options.takes_now();
    if constexpr (belief::NeedsParts<Options>) said.needs = Options::needs;
    if constexpr (belief::Averages<Options>) said.averages = options.average;
    if constexpr (belief::ScalesFeatures<Options>) said.scales = options.scale != 0;
    if constexpr (belief::CentresFeatures<Options>) said.centres = options.center;
    if constexpr (belief::Projects<Options>) {
        said.exact = options.projection == Options::kExact;
        said.drop = options.projection == Options::kDrop;
    }
    return said;
}
SaidBelief said_by(const BeliefSpec& belief) {
    return std::visit([](const auto& options) { return said_by(options); }, belief);
}

/// What a task with its parameters says of itself.
struct SaidTask {
    std::string name, full_name;
    Parts needs, uses;
    std::optional<Metric> own_rule;  // the metric of a task that is its own rule
    bool centre;
    bool groups = false;  // an example is a row for each label
    double epsilon = 0;
};
SaidTask said_by(const TaskSpec& task) {
    return std::visit(
        []<class Task>(const Task& t) {
            SaidTask said{.name = std::string("task.") + Task::name,
                          .full_name = named("task.", t),
                          .needs = task::needs<Task>(),
                          .uses = task::uses(t),
                          .own_rule = {},
                          .centre = task::Centre<Task>};
            if constexpr (task::OwnRule<Task>) said.own_rule = t.metric();
            if constexpr (task::MaybeSingle<Task>) said.groups = t.single();
            if constexpr (task::needs<Task>().targets) said.epsilon = t.epsilon;
            return said;
        },
        task);
}

/// The names of all beliefs, or rules, of the closed list that `fits`, which is called with what each says
/// by its defaults.
template <class F>
std::string beliefs(F&& fits) {
    std::vector<std::string> names;
    each_of<BeliefSpec>([&]<class Options>() {
        if (const SaidBelief said = said_by(Options{}); fits(said)) names.push_back(said.name);
    });
    return joined(names);
}
template <class F>
std::string rules(F&& fits) {
    std::vector<std::string> names;
    each_of<rule::Rules>([&]<class R>() {
        if (const SaidRule said = said_by(R{}, 0.0); fits(said)) names.push_back(said.name);
    });
    return joined(names);
}

/// Why mathematics written in one metric cannot be learned on a belief of another; `who` is "rule" or "task".
std::string against_metric(const std::string& who, Metric uses, Metric belief) {
    if (meet(uses, belief)) return {};
    if (uses == Metric::dual) return "the " + who + " sums gradients, and the belief keeps no such sums";
    if (belief == Metric::dual)
        return "the belief is made of sums of gradients, which the " + who + " does not give";
    if (uses == Metric::gaussian) return "the " + who + " learns a covariance, and the belief has none";
    return "the " + who + " knows no covariance, and the belief learns one";
}

std::string against_parts(const std::string& who, const Parts& uses, const Parts& takes) {
    if (const Part* part = untaken(uses, takes))
        return "the " + who + " " + part->words + ", which the belief cannot";
    return {};
}

/// Why a rule is not defined on a belief, whatever its parameters say about projection; empty where it is.
std::string against(const SaidRule& rule, const SaidBelief& belief) {
    if (std::string why = against_metric("rule", rule.metric, belief.metric); !why.empty()) return why;
    if (std::string why = against_parts("rule", rule.uses, belief.takes); !why.empty()) return why;
    if (const Part* part = untaken(belief.needs, rule.uses))
        return std::string("the belief ") + part->words + ", which the rule does not";
    return {};
}

/// Why a task is not defined on a belief; empty where it is.
std::string against(const SaidTask& task, const SaidBelief& belief) {
    if (task.own_rule) {
        if (std::string why = against_metric("task", *task.own_rule, belief.metric); !why.empty()) return why;
    }
    if (std::string why = against_parts("task", task.needs, belief.takes); !why.empty()) return why;
    return against_parts("task", task.uses, belief.takes);
}

/// Throws where something is against `who`, a rule or a task, on a belief.
template <class Who>
void refuse(const Who& who, const SaidBelief& belief) {
    const std::string why = against(who, belief);
    if (why.empty()) return;
    throw std::invalid_argument(
        who.full_name + " is not defined on " + belief.name + ": " + why + ". It is defined on " +
        beliefs([&](const SaidBelief& other) { return against(who, other).empty(); }));
}

void check(const SaidRule& rule, const SaidBelief& belief) {
    refuse(rule, belief);
    if (belief.exact && !rule.exact)
        throw std::invalid_argument(rule.name + " has no exact diagonal form; use projection='kl' or 'drop'");
    if (!belief.drop && rule.drop_only)
        throw std::invalid_argument(rule.name + " is defined on a diagonal only with projection='drop'");
}

/// What a task asks of a rule.
void check_rule(const SaidTask& task, const SaidRule& rule) {
    const auto only = [&](const std::string& others) {
        throw std::invalid_argument(task.full_name + " is not defined for " + rule.full_name +
                                    "; it is for " + others);
    };
    if (task.needs.targets) {
        if (!rule.regression) only(rules([](const SaidRule& other) { return other.regression; }));
        if (rule.against_regression) throw std::invalid_argument(rule.against_regression);
    }
    if (task.centre && !rule.centre) only(rules([](const SaidRule& other) { return other.centre; }));
}

void check_centre(const SaidTask& task, const SaidBelief& belief, bool intercept) {
    if (!task.centre) return;
    if (belief.averages)
        throw std::invalid_argument(task.name + " does not average its centre; use " + belief.name + "()");
    if (belief.scales)
        throw std::invalid_argument(task.name +
                                    " measures distances, which are in the units its rows have; divide them "
                                    "beforehand and use scale='none'");
    if (belief.centres)
        throw std::invalid_argument(task.name + " learns where its rows lie; use center=False");
    if (intercept) throw std::invalid_argument(task.name + " has no intercept; use fit_intercept=False");
}

}  // namespace

void check_pair(const rule::AnyRule& rule, const BeliefSpec& belief) {
    check(said_by(rule), said_by(belief));
}

void check_task(const TaskSpec& task, const rule::AnyRule* rule, const BeliefSpec& belief, bool intercept) {
    const SaidTask asks = said_by(task);
    const SaidBelief knows = said_by(belief);
    if (asks.own_rule) {
        if (rule) throw std::invalid_argument(asks.name + " is its own rule; leave rule out");
    } else {
        if (!rule) throw std::invalid_argument(asks.name + " needs a rule");
        const SaidRule answers = said_by(*rule, asks.epsilon);
        check(answers, knows);
        check_rule(asks, answers);
    }
    refuse(asks, knows);
    if (asks.own_rule && knows.exact)
        throw std::invalid_argument(asks.name + " has no exact diagonal form; use projection='kl' or 'drop'");
    check_centre(asks, knows, intercept);
    if (asks.groups && knows.centres)
        throw std::invalid_argument(asks.full_name +
                                    " learns differences of rows, which have no mean of the features in "
                                    "common; use center=False");
}

void check_sequences(const rule::AnyRule& rule, const BeliefSpec& belief) {
    check_pair(rule, belief);
    constexpr Parts uses{.sentences = true};
    const SaidBelief knows = said_by(belief);
    if (untaken(uses, knows.takes))
        throw std::invalid_argument("sequences are learned on " + beliefs([&](const SaidBelief& other) {
                                        return !untaken(uses, other.takes);
                                    }) +
                                    "; " + knows.name + " as given has no scores that are sums over tokens");
    if (knows.centres)
        throw std::invalid_argument(
            "sequences are not centred as they come: their features say whether something is there; use "
            "center=False");
    if (knows.scales)
        throw std::invalid_argument(
            "sequences are not scaled as they come: their features say whether something is there, and all "
            "are "
            "1; use scale='none'");
}

}  // namespace onlinear
