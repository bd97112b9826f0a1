#pragma once

/// Included before everything in the build that holds the faults: which of them is to happen.
extern const int onlinear_fault_chosen;

[[gnu::always_inline]] inline bool onlinear_fault(int number) noexcept {
    return number == onlinear_fault_chosen;
}
