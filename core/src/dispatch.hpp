#pragma once
#include <string_view>

#include "onlinear/kernels.hpp"

/// Tables of functions compiled once per instruction set: ONLINEAR_TABLE declares one under the namespace of
/// each, and `ONLINEAR_CHOSEN` is the one for this machine.
#if defined(ONLINEAR_X86_DISPATCH)
#define ONLINEAR_TABLE(Type, name) \
    namespace base {               \
    extern const Type name;        \
    }                              \
    namespace avx2 {               \
    extern const Type name;        \
    }                              \
    namespace avx512 {             \
    extern const Type name;        \
    }
#define ONLINEAR_CHOSEN(name)                                    \
    (kernel_level() == std::string_view("avx512") ? avx512::name \
     : kernel_level() == std::string_view("avx2") ? avx2::name   \
                                                  : base::name)
#else
#define ONLINEAR_TABLE(Type, name) \
    namespace base {               \
    extern const Type name;        \
    }
#define ONLINEAR_CHOSEN(name) base::name
#endif
