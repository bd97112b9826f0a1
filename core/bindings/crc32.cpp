#include "onlinear/crc32.hpp"

#include "bindings.hpp"

namespace onlinear::bindings {

namespace {

/// The bytes of an object that has any, for as long as this lives.
class Bytes {
public:
    explicit Bytes(nb::handle owner) {
        if (PyObject_GetBuffer(owner.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    }
    Bytes(const Bytes&) = delete;
    ~Bytes() { PyBuffer_Release(&view_); }

    const void* data() const noexcept { return view_.buf; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }

private:
    Py_buffer view_;
};

}  // namespace

void bind_crc32(nb::module_& m) {
    m.def(
        "crc32",
        [](nb::handle data, std::uint32_t before) {
            const Bytes bytes(data);
            const nb::gil_scoped_release release;
            return crc32(before, bytes.data(), bytes.size());
        },
        nb::arg("data"), nb::arg("before") = 0, "CRC-32 of some bytes, going on from that of those before.");
}

}  // namespace onlinear::bindings
