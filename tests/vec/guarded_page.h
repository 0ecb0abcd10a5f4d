#pragma once

#include <cstddef>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace lanewise::test {

/// A page of memory with an inaccessible one behind it: whoever reads or writes past the end crashes.
class GuardedPage {
 public:
  GuardedPage() : size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* p = mmap(nullptr, 2 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(p);
    if (mprotect(begin_ + size_, size_, PROT_NONE) != 0) throw std::bad_alloc();
  }
  ~GuardedPage() { munmap(begin_, 2 * size_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  /// The last n elements of the page.
  template <class T>
  T* last(int n) {
    return reinterpret_cast<T*>(begin_ + size_) - n;
  }

 private:
  std::size_t size_;
  char* begin_;
};

}  // namespace lanewise::test
