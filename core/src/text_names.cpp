#include <algorithm>
#include <utility>

#include "onlinear/text/names.hpp"

namespace onlinear::text {

namespace {

constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMaxNameBytes = 32;  // on average, of the names kept

}  // namespace

std::size_t NameTable::home(std::int32_t column) const noexcept {
    // Columns are hashes already, but svmlight indices are not: one multiplication spreads both.
    return (static_cast<std::uint32_t>(column) * 0x9e3779b1u >> 7) & (slots_.size() - 1);
}

NameTable::Slot& NameTable::find(std::int32_t column) noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = home(column);
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
    if (name.size() > kShort || slots_.empty()) {
        settle();
        insert(column, hash, name, negative);
        return;
    }
    if (waiting_count_ == kWaiting) insert_first_waiting();
    Waiting& last = waiting_[(first_waiting_ + waiting_count_++) % kWaiting];
    last.column = column;
    last.hash = hash;
    last.negative = negative;
    last.size = static_cast<std::uint8_t>(name.size());
    std::copy(name.begin(), name.end(), last.name);
    __builtin_prefetch(&slots_[home(column)]);
}

void NameTable::insert_first_waiting() {
    const Waiting& next = waiting_[first_waiting_];
    first_waiting_ = (first_waiting_ + 1) % kWaiting;
    --waiting_count_;
    insert(next.column, next.hash, {next.name, next.size}, next.negative);
}

void NameTable::settle() {
    while (waiting_count_ > 0) insert_first_waiting();
}

void NameTable::insert(std::int32_t column, std::uint32_t hash, std::string_view name, bool negative) {
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

std::vector<NameTable::Entry> NameTable::entries() {
    settle();
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
