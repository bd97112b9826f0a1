#pragma once
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>

// Python 3.12 and later are built against the stable ABI, which does not show how a dict is made.
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX < 0x030C0000 && __has_include(<internal/pycore_dict.h>)
#define Py_BUILD_CORE 1
#include <internal/pycore_dict.h>
#undef Py_BUILD_CORE
#define ONLINEAR_OPEN_DICTS 1
#endif

namespace onlinear::bindings {

/// Calls f(key, value, whether the key is a string) for the items of a dict, in their order, until it says
/// false. It must not run code that could change the dict. Returns whether all were taken.
///
/// A dict's keys and values lie all over memory. Where its table can be seen they are prefetched some items
/// ahead, and no call is made for each. Measured by `python -m benchmarks --only one-example` on Python 3.11,
/// in turns: 2.70 us a call instead of 2.85 (AROW) and 2.49 instead of 2.70 (PA-I), 5 and 8 per cent; with
/// words that are in no cache 2.0 instead of 2.2. Prefetching what PyDict_Next gives some items ahead gains
/// nothing.
template <class F>
[[gnu::always_inline]] inline bool each_item(PyObject* dict, F&& f) {
#if defined(ONLINEAR_OPEN_DICTS)
    const auto* const open = reinterpret_cast<const PyDictObject*>(dict);
    if (PyDictKeysObject* const keys = open->ma_keys; !open->ma_values && DK_IS_UNICODE(keys)) {
        constexpr std::ptrdiff_t kAhead = 24;
        const PyDictUnicodeEntry* const items = DK_UNICODE_ENTRIES(keys);
        const std::ptrdiff_t size = keys->dk_nentries;
        const auto prefetch = [&](std::ptrdiff_t i) {
            const auto* const key = reinterpret_cast<const char*>(items[i].me_key);
            __builtin_prefetch(key + 32);  // the length and the bytes of a short string, behind its head
            __builtin_prefetch(items[i].me_value);
        };
        for (std::ptrdiff_t i = 0; i < std::min(kAhead, size); ++i) prefetch(i);
        for (std::ptrdiff_t i = 0; i < size; ++i) {
            if (i + kAhead < size) prefetch(i + kAhead);
            if (items[i].me_value && !f(items[i].me_key, items[i].me_value, true)) return false;
        }
        return true;
    }
#endif
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, &value))
        if (!f(key, value, static_cast<bool>(PyUnicode_CheckExact(key)))) return false;
    return true;
}

}  // namespace onlinear::bindings
