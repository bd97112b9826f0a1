#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace onlinear::text {

/// The reverse dictionary: which name a hashed column came from, so that a model can speak in words.
///
/// Keeps the first name seen of each column, up to a number of names and bytes; later columns stay
/// nameless. Remembers when another name shared the column. Open addressing, linear probing.
class NameTable {
public:
    static constexpr std::size_t kMaxNames = std::size_t{1} << 26;  // keeps offsets within 32 bits

    /// Keeps up to `max_names` names; 0 keeps none.
    explicit NameTable(std::size_t max_names = 0) : max_names_(std::min(max_names, kMaxNames)) {}

    bool wanted() const noexcept { return max_names_ != 0; }

    /// Notes that `name`, whose full hash is `hash`, fell on `column`, where it counts with a minus if
    /// `negative`.
    void add(std::int32_t column, std::uint32_t hash, std::string_view name, bool negative = false);

    struct Entry {
        std::int32_t column;
        bool shared;    ///< some other name fell on the column too
        bool negative;  ///< the name counts with a minus there
        std::string_view name;
    };

    std::size_t size() {
        settle();
        return count_;
    }
    /// Some name was not kept for want of room.
    bool full() {
        settle();
        return full_;
    }
    /// All of them by rising column. Views into this table, valid until the next `add`.
    std::vector<Entry> entries();

private:
    static constexpr std::size_t kShort = 48, kWaiting = 16;

    struct Slot {
        std::int32_t column = -1;
        std::uint32_t hash = 0;
        std::uint32_t offset = 0;
        std::uint32_t size : 30 = 0;
        std::uint32_t shared : 1 = 0;
        std::uint32_t negative : 1 = 0;
    };

    /// A name on its way into the table: its bucket is prefetched some names before it is looked up.
    struct Waiting {
        std::int32_t column;
        std::uint32_t hash;
        bool negative;
        std::uint8_t size;
        char name[kShort];
    };

    std::size_t home(std::int32_t column) const noexcept;
    Slot& find(std::int32_t column) noexcept;
    void grow();
    void insert(std::int32_t column, std::uint32_t hash, std::string_view name, bool negative);
    void insert_first_waiting();
    void settle();

    std::size_t max_names_;
    std::size_t count_ = 0;
    std::array<Waiting, kWaiting> waiting_;
    std::size_t first_waiting_ = 0, waiting_count_ = 0;
    bool full_ = false;
    std::vector<Slot> slots_;
    std::vector<char> bytes_;
};

}  // namespace onlinear::text
