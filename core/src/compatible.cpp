#include "onlinear/compatible.hpp"

#include <stdexcept>
#include <string>
#include <vector>

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

/// The names of all alternatives of a closed list that `fits`, which is called with each by its defaults.
template <class Variant, std::size_t I = 0, class F>
void collect(const char* axis, F&& fits, std::vector<std::string>& names) {
    if constexpr (I < std::variant_size_v<Variant>) {
        using Alternative = std::variant_alternative_t<I, Variant>;
        if (fits(Alternative{})) names.push_back(std::string(axis) + Alternative::name);
        collect<Variant, I + 1>(axis, fits, names);
    }
}
template <class F>
std::string beliefs(F&& fits) {
    std::vector<std::string> names;
    collect<BeliefSpec>("belief.", fits, names);
    return joined(names);
}
template <class F>
std::string rules(F&& fits) {
    std::vector<std::string> names;
    collect<rule::AnyRule>("rule.", fits, names);
    return joined(names);
}

/// A rule or task by its name, with those of its choices that are not the default.
template <class Declared>
std::string named(const char* axis, const Declared& declared) {
    std::string choices;
    const Declared usual{};
    const auto add = [&](const auto& parameter) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(declared.*(parameter.member))>, int>) {
            const int value = declared.*(parameter.member);
            if (value == usual.*(parameter.member)) return;
            choices += (choices.empty() ? "" : ", ") + std::string(parameter.name) + "='" +
                       parameter.choices[static_cast<std::size_t>(value)] + "'";
        }
    };
    std::apply([&](const auto&... parameter) { (add(parameter), ...); }, Declared::parameters());
    return std::string(axis) + Declared::name + (choices.empty() ? "" : "(" + choices + ")");
}

template <class Options>
std::string belief_name() {
    return std::string("belief.") + Options::name;
}

/// What a belief with its parameters takes.
template <class Options>
Parts takes(const Options& options) {
    if constexpr (belief::TakesByParameters<Options>)
        return options.takes_now();
    else
        return Options::takes;
}

/// What a belief needs a rule to use.
template <class Options>
Parts needs() {
    if constexpr (belief::NeedsParts<Options>) return Options::needs;
    return {};
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
template <class Rule, class Options>
std::string against(const Rule& rule, const Options& options) {
    if (std::string why = against_metric("rule", Rule::metric, Options::metric); !why.empty()) return why;
    if (std::string why = against_parts("rule", rule::uses(rule), takes(options)); !why.empty()) return why;
    if (const Part* part = untaken(needs<Options>(), rule::uses(rule)))
        return std::string("the belief ") + part->words + ", which the rule does not";
    return {};
}

/// Why a task is not defined on a belief; empty where it is.
template <class Task, class Options>
std::string against_task(const Task& task, const Options& options) {
    if constexpr (task::OwnRule<Task>) {
        if (std::string why = against_metric("task", task.metric(), Options::metric); !why.empty())
            return why;
    }
    if (std::string why = against_parts("task", task::needs<Task>(), takes(options)); !why.empty())
        return why;
    return against_parts("task", task::uses(task), takes(options));
}

template <class Who, class Options, class Against>
void refuse(const char* axis, const Who& who, const Options&, const std::string& why, Against&& against) {
    if (why.empty()) return;
    throw std::invalid_argument(named(axis, who) + " is not defined on " + belief_name<Options>() + ": " +
                                why + ". It is defined on " +
                                beliefs([&](const auto& other) { return against(who, other).empty(); }));
}

template <class Rule, class Options>
void check_projection([[maybe_unused]] const Options& options) {
    if constexpr (belief::Projects<Options>) {
        if (options.projection == Options::kExact && !(rule::HasExactStep<Rule> || rule::ExactAlready<Rule>))
            throw std::invalid_argument(std::string("rule.") + Rule::name +
                                        " has no exact diagonal form; use projection='kl' or 'drop'");
        if (options.projection != Options::kDrop && rule::DropOnly<Rule>)
            throw std::invalid_argument(std::string("rule.") + Rule::name +
                                        " is defined on a diagonal only with projection='drop'");
    }
}

template <class Rule, class Options>
void check(const Rule& rule, const Options& options) {
    refuse("rule.", rule, options, against(rule, options),
           [](const auto& r, const auto& o) { return against(r, o); });
    check_projection<Rule>(options);
}

/// What a task asks of a rule.
template <class Task, class Rule>
void check_rule([[maybe_unused]] const Task& task, const Rule& rule) {
    const auto only = [&](const std::string& others) {
        throw std::invalid_argument(named("task.", task) + " is not defined for " + named("rule.", rule) +
                                    "; it is for " + others);
    };
    if constexpr (task::needs<Task>().targets) {
        if constexpr (rule::LearnsRegression<Rule>) {
            if (const char* why = rule.refuses_regression(task.epsilon)) throw std::invalid_argument(why);
        } else {
            only(rules([]<class R>(const R&) { return rule::LearnsRegression<R>; }));
        }
    }
    if constexpr (task::Centre<Task> && !rule::FindsCentre<Rule>)
        only(rules([]<class R>(const R&) { return rule::FindsCentre<R>; }));
}

template <class Task, class Options>
void check_centre([[maybe_unused]] const Options& options, [[maybe_unused]] bool intercept) {
    if constexpr (task::Centre<Task>) {
        const std::string task = std::string("task.") + Task::name;
        if constexpr (belief::Averages<Options>) {
            if (options.average)
                throw std::invalid_argument(task + " does not average its centre; use " +
                                            belief_name<Options>() + "()");
        }
        if (intercept) throw std::invalid_argument(task + " has no intercept; use fit_intercept=False");
    }
}

}  // namespace

void check_pair(const rule::AnyRule& rule, const BeliefSpec& belief) {
    std::visit([](const auto& r, const auto& options) { check(r, options); }, rule, belief);
}

void check_task(const TaskSpec& task, const std::optional<rule::AnyRule>& rule, const BeliefSpec& belief,
                bool intercept) {
    std::visit(
        [&]<class Task, class Options>(const Task& t, const Options& options) {
            if constexpr (task::OwnRule<Task>) {
                if (rule)
                    throw std::invalid_argument(std::string("task.") + Task::name +
                                                " is its own rule; leave rule out");
            } else {
                if (!rule) throw std::invalid_argument(std::string("task.") + Task::name + " needs a rule");
                check_pair(*rule, belief);
                std::visit([&](const auto& r) { check_rule(t, r); }, *rule);
            }
            refuse("task.", t, options, against_task(t, options),
                   [](const auto& a, const auto& o) { return against_task(a, o); });
            if constexpr (task::OwnRule<Task> && belief::Projects<Options>) {
                if (options.projection == Options::kExact)
                    throw std::invalid_argument(std::string("task.") + Task::name +
                                                " has no exact diagonal form; use projection='kl' or 'drop'");
            }
            check_centre<Task>(options, intercept);
        },
        task, belief);
}

void check_sequences(const rule::AnyRule& rule, const BeliefSpec& belief) {
    check_pair(rule, belief);
    constexpr Parts uses{.sentences = true};
    std::visit(
        [&]<class Options>(const Options& options) {
            if (untaken(uses, takes(options)))
                throw std::invalid_argument(
                    "sequences are learned on " +
                    beliefs([&](const auto& other) { return !untaken(uses, takes(other)); }) + "; " +
                    belief_name<Options>() + " as given has no scores that are sums over tokens");
        },
        belief);
}

}  // namespace onlinear
