// The block of memory behind a Text or List beyond its own few bytes; several values may share it. A shared block is
// not changed any more, so that copies may be read and dropped in any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace reprise::kube::detail {

class SharedBlock {
 public:
  // Makes a block with room for `bytes` behind it.
  [[nodiscard]] static SharedBlock* make(std::size_t count, std::size_t bytes) {
    return new (::operator new(sizeof(SharedBlock) + bytes)) SharedBlock(count);
  }
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;
  ~SharedBlock() = default;

  [[nodiscard]] void* data() { return this + 1; }
  [[nodiscard]] const void* data() const { return this + 1; }
  [[nodiscard]] std::size_t count() const { return count_; }

  void share() { references_.fetch_add(1, std::memory_order_relaxed); }
  // True for the last holder, which destroys the content and calls free().
  [[nodiscard]] bool drop() { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  static void free(SharedBlock* block) { ::operator delete(block); }
  [[nodiscard]] bool is_shared() const { return references_.load(std::memory_order_acquire) != 1; }

  // A pool holds it and accounts for its memory; see interning_pool.h. Set before other threads know of the block.
  [[nodiscard]] bool pooled() const { return pooled_ != 0; }
  void set_pooled() { pooled_ = 1; }

 private:
  explicit SharedBlock(std::size_t count) : count_(static_cast<std::uint32_t>(count) & 0x7FFFFFFFU) {}

  std::atomic<std::uint32_t> references_{1};
  std::uint32_t count_ : 31;  // number of items
  std::uint32_t pooled_ : 1 = 0;
};
static_assert(sizeof(SharedBlock) == 8);

}  // namespace reprise::kube::detail
