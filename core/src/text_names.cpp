#include <algorithm>
#include <utility>

#include "onlinear/text/names.hpp"

namespace onlinear::text {

namespace {

constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMaxNameBytes = 32;  // on average, of the names kept

}  // namespace

NameTable::Slot& NameTable::find(std::int32_t column) noexcept {
    const std::size_t mask = slots_.size() - 1;
    // Columns are hashes already, but svmlight indices are not: one multiplication spreads both.
    std::size_t at = (static_cast<std::uint32_t>(column) * 0x9e3779b1u >> 7) & mask;
    while (slots_[at].column != column && slots_[at].column != -1) at = (at + 1) & mask;
    return slots_[at];
}

void NameTable::grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, slots_.size() * 2));
    std::swap(old, slots_);
    for (const Slot& slot : old) {
        if (slot.column != -1) find(slot.column) = slot;
    }
}

void NameTable::add(std::int32_t column, std::uint32_t hash, std::string_view name, bool negative) {
    if (!wanted()) return;
    if (slots_.size() < 2 * (count_ + 1)) grow();
    Slot& slot = find(column);
    if (slot.column == column) {
        if (slot.hash != hash) slot.shared = 1;
        return;
    }
    if (count_ >= max_names_ || name.size() > kLongestName ||
        bytes_.size() + name.size() > kMaxNameBytes * std::max<std::size_t>(max_names_, kLongestName)) {
        full_ = true;
        return;
    }
    slot.column = column;
    slot.hash = hash;
    slot.offset = static_cast<std::uint32_t>(bytes_.size());
    slot.size = static_cast<std::uint32_t>(name.size()) & 0x3fffffffu;
    slot.negative = negative;
    bytes_.insert(bytes_.end(), name.begin(), name.end());
    ++count_;
}

std::vector<NameTable::Entry> NameTable::entries() const {
    std::vector<Entry> all;
    all.reserve(count_);
    for (const Slot& slot : slots_) {
        if (slot.column != -1) {
            const std::string_view name(bytes_.data() + slot.offset, slot.size);
            all.push_back({slot.column, slot.shared != 0, slot.negative != 0, name});
        }
    }
    std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return all;
}

}  // namespace onlinear::text
