#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "onlinear/belief/all.hpp"
#include "onlinear/rule/any.hpp"
#include "onlinear/task/all.hpp"

/// Rules, beliefs and tasks from Python.
namespace onlinear::bindings {

namespace nb = nanobind;

std::shared_ptr<const rule::AnyRule> to_rule(nb::handle rule);
BeliefSpec to_belief(nb::handle belief);
TaskSpec to_task(nb::handle task);

}  // namespace onlinear::bindings
