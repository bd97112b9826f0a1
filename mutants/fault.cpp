#include <cstdlib>

/// Read once, when the library is loaded; 0 is none.
const int onlinear_fault_chosen = [] {
    const char* const number = std::getenv("ONLINEAR_FAULT");
    return number ? std::atoi(number) : 0;
}();
