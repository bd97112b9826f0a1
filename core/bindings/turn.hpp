#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <system_error>

/// Taking turns at an object that several threads share, by those who hold the interpreter's lock.
namespace onlinear::bindings {

namespace nb = nanobind;

/// How many forks led to this process, since the module was loaded.
inline std::atomic<std::uint32_t> forks{0};

/// A lock for one who writes or many who read, that survives a fork.
///
/// A process that is forked has the locks of its parent, held as they were, and none of the threads that
/// hold them. At the first use in the new process a lock that readers held is made anew; one that a writer
/// held stays lost, because what it guards is half written.
class Turn {
public:
    /// To be called, with the interpreter's lock held, before any of the others.
    void settle() {
        if (forks_.load(std::memory_order_relaxed) != forks.load(std::memory_order_relaxed)) [[unlikely]]
            after_fork();
    }

    void lock() { mutex_.lock(); }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }
    void lock_shared() { mutex_.lock_shared(); }
    bool try_lock_shared() { return mutex_.try_lock_shared(); }
    void unlock_shared() { mutex_.unlock_shared(); }

private:
    void after_fork() {
        if (mutex_.try_lock()) {
            mutex_.unlock();
        } else if (mutex_.try_lock_shared()) {
            new (&mutex_) std::shared_mutex;
        } else {
            throw std::runtime_error(
                "the model was learning in another thread when this process was forked, so this copy of it "
                "is "
                "unfinished. Fork while nothing learns, start processes with multiprocessing's 'spawn' or "
                "'forkserver', or load the model from a file");
        }
        forks_.store(forks.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }

    std::shared_mutex mutex_;
    std::atomic<std::uint32_t> forks_{forks.load(std::memory_order_relaxed)};
};

/// Waits without the interpreter's lock: the thread that has the turn may need it to finish.
template <class Lock>
Lock wait_for(Turn& turn) {
    turn.settle();
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

/// An exclusive turn, to write, and a shared one, to read.
inline auto own_turn(Turn& turn) { return wait_for<std::unique_lock<Turn>>(turn); }
inline auto shared_turn(Turn& turn) { return wait_for<std::shared_lock<Turn>>(turn); }

}  // namespace onlinear::bindings
