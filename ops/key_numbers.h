#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace lanewise::ops {

/// Numbers keys in the order in which they first appear, by open addressing; keeps the number of each beside
/// its key. Gives up where keys are so many that sorting them is faster.
template <class Key>
class KeyNumbers {
 public:
  static constexpr std::int32_t kMost = 1 << 14;

  KeyNumbers() : slots_(kFirstSlots), shift_(64 - std::countr_zero(kFirstSlots)) {}

  /// The number of a key, a new one if it was not seen before; -1 if it would be one too many.
  [[gnu::always_inline]] std::int32_t number(Key key) {
    Slot* const slots = slots_.data();
    for (std::size_t at = hash(key);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots[at];
      if (slot.number < 0) return insert(key, slot);
      if (slot.key == key) return slot.number;
    }
  }

  const std::vector<Key>& keys() const noexcept { return keys_; }

 private:
  static constexpr std::size_t kFirstSlots = 256;
  static constexpr bool kHasOwnSlot = sizeof(Key) == 1;  ///< so each key has one
  struct Slot {
    Key key = 0;
    std::int32_t number = -1;
  };

  std::size_t hash(Key key) const noexcept {
    if (kHasOwnSlot) return static_cast<std::size_t>(key);
    return static_cast<std::size_t>(static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15U >> shift_);
  }

  [[gnu::noinline]] std::int32_t insert(Key key, Slot& slot) {
    const auto number = static_cast<std::int32_t>(keys_.size());
    if (number == kMost) return -1;
    keys_.push_back(key);
    slot = {key, number};
    if (!kHasOwnSlot && keys_.size() * 4 > slots_.size()) grow();
    return number;
  }

  void grow() {
    slots_.assign(slots_.size() * 4, Slot{});
    shift_ -= 2;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::size_t at = hash(keys_[i]);
      while (slots_[at].number >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {keys_[i], static_cast<std::int32_t>(i)};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Key> keys_;  ///< by number
  int shift_;
};

}  // namespace lanewise::ops
