#pragma once
#include <nanobind/ndarray.h>

#include <algorithm>
#include <string>

#include "onlinear/belief/points.hpp"

namespace onlinear::bindings {

namespace nb = nanobind;

/// A kernel written in Python: a function of two matrices that gives K of every pair of rows.
class PythonKernel final : public belief::CustomKernel {
public:
    explicit PythonKernel(nb::object function) : function_(std::move(function)) {}
    ~PythonKernel() override {
        nb::gil_scoped_acquire gil;
        function_.reset();
    }
    const nb::object& function() const noexcept { return function_; }

    void evaluate(const double* a, std::size_t n_a, const double* b, std::size_t n_b, std::size_t dimensions,
                  double* out) const override {
        nb::gil_scoped_acquire gil;
        const nb::object answer = function_(rows(a, n_a, dimensions), rows(b, n_b, dimensions));
        const auto wanted = nb::module_::import_("numpy").attr("ascontiguousarray")(answer, "float64");
        const auto values = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(wanted);
        if (values.size() != n_a * n_b)
            throw std::invalid_argument("the kernel must give one number for every pair of rows, " +
                                        std::to_string(n_a) + " by " + std::to_string(n_b));
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values.data()[i]))
                throw std::invalid_argument("the kernel gave a number that is not finite");
        std::copy_n(values.data(), values.size(), out);
    }

private:
    /// A copy without the intercept's column: a function may keep what it is given.
    static nb::object rows(const double* x, std::size_t n, std::size_t dimensions) {
        const std::size_t features = dimensions - 1;
        auto* data = new double[std::max<std::size_t>(n * features, 1)];
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        for (std::size_t i = 0; i < n; ++i)
            std::copy_n(x + i * dimensions + 1, features, data + i * features);
        return nb::cast(nb::ndarray<nb::numpy, double>(data, {n, features}, owner));
    }

    nb::object function_;
};

}  // namespace onlinear::bindings
