#pragma once
#include <nanobind/nanobind.h>

#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <system_error>

/// Taking turns at an object that several threads share, by those who hold the interpreter's lock.
namespace onlinear::bindings {

namespace nb = nanobind;

/// Waits without the interpreter: whoever has the turn may need it to come to an end.
template <class Lock, class Mutex>
Lock wait_for(Mutex& turn) {
    Lock lock(turn, std::try_to_lock);
    if (!lock.owns_lock()) {
        const nb::gil_scoped_release release;
        try {
            lock.lock();
        } catch (const std::system_error&) {  // this thread has the turn, and would wait for itself
            throw std::runtime_error(
                "the model is at work in this thread: what it calls (a cost, a value of a dict) must not use "
                "it");
        }
    }
    return lock;
}

/// A turn of its own, and one together with others who only read.
template <class Mutex>
auto own_turn(Mutex& turn) {
    return wait_for<std::unique_lock<Mutex>>(turn);
}
inline auto shared_turn(std::shared_mutex& turn) {
    return wait_for<std::shared_lock<std::shared_mutex>>(turn);
}

}  // namespace onlinear::bindings
