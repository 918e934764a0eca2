// The heap of a program whose scenarios must not depend on it: each block lies at a random place among its neighbours
// and holds garbage. Code that depends on addresses (a map of pointers, a hash of one) or on memory that nobody has set
// then behaves differently each time, and two runs of one scenario differ.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <sys/random.h>

namespace {

// xorshift64*: no allocation, and another beginning in each process.
class Chance {
 public:
  std::uint64_t next() {
    if (state_ == 0 && (getrandom(&state_, sizeof(state_), 0) != sizeof(state_) || state_ == 0)) state_ = 1;
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545F4914F6CDD1DU;
  }

 private:
  std::uint64_t state_ = 0;
};

constexpr std::size_t kStep = 16, kLargest = 4096, kDrawer = 16;

thread_local Chance chance;
// Blocks of one size that nobody has yet: one of them is given away at random, and a new one takes its place.
thread_local std::array<std::array<void*, kDrawer>, kLargest / kStep> drawers;

// Takes a block from a drawer up to twice as large, so that blocks of different types lie among each other as well.
void* from_drawer(std::size_t size) {
  const std::size_t steps = (size - 1) / kStep + 1;
  const std::size_t wide = std::min(steps + chance.next() % (steps + 1), drawers.size());
  auto& drawer = drawers[wide - 1];
  void*& drawn = drawer[chance.next() % kDrawer];
  if (drawn == nullptr) {
    for (void*& each : drawer)
      if (each == nullptr) each = std::malloc(wide * kStep);
  }
  return std::exchange(drawn, std::malloc(wide * kStep));
}

// Too large to keep some: one of two.
void* one_of_two(std::size_t size) {
  void* taken = std::malloc(size);
  void* left = std::malloc(size);
  if (chance.next() % 2 == 0) std::swap(taken, left);
  std::free(left);
  return taken;
}

}  // namespace

void* operator new(std::size_t size) {
  if (size == 0) size = 1;
  void* const block = size <= kLargest ? from_drawer(size) : one_of_two(size);
  if (block == nullptr) std::abort();
  std::memset(block, static_cast<int>(chance.next() & 0xFFU), size);
  return block;
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
