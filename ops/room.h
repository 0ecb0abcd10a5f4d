#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <lanewise/tensor/storage.h>

namespace lanewise::ops {

/// Room for n items that nobody initialises, from the cache that tensors live in: the page faults of fresh
/// memory cost more than sorting in it.
template <class Item>
class Room {
  static_assert(std::is_trivially_destructible_v<Item> && alignof(Item) <= 64);

 public:
  explicit Room(std::int64_t n) : storage_(StorageImpl::create(static_cast<std::size_t>(n) * sizeof(Item))) {}
  Item* get() const noexcept { return static_cast<Item*>(storage_.data()); }
  Item& operator[](std::int64_t i) const noexcept { return get()[i]; }

 private:
  Storage storage_;
};

}  // namespace lanewise::ops
