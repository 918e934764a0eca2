// A hash table of slot numbers. The caller decides what a slot holds, and when two of them are equal; so several tables
// can find one set of objects by different names at eight bytes an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace reprise::runtime {

using Slot = std::uint32_t;
inline constexpr Slot no_slot = ~Slot{0};

// Not synchronised.
class SlotTable {
 public:
  // The slot under `hash` for which `matches(slot)` is true, or no_slot.
  template <class Matches>
  [[nodiscard]] Slot find(std::size_t hash, const Matches& matches) const {
    if (cells_.empty()) return no_slot;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = tag & mask();; at = (at + 1) & mask()) {
      const Cell& cell = cells_[at];
      if (cell.slot == no_slot) return no_slot;
      if (cell.tag == tag && matches(cell.slot)) return cell.slot;
    }
  }
  // `slot` is not in the table.
  void insert(std::size_t hash, Slot slot) {
    if ((used_ + 1) * 8 > cells_.size() * 7) grow();
    place({tag_of(hash), slot});
    ++used_;
  }
  // `slot` is in the table under that hash.
  void erase(std::size_t hash, Slot slot) {
    std::size_t hole = tag_of(hash) & mask();
    while (cells_[hole].slot != slot) hole = (hole + 1) & mask();
    // Linear probing without tombstones: what could have stood in the hole moves up.
    for (std::size_t at = (hole + 1) & mask(); cells_[at].slot != no_slot; at = (at + 1) & mask()) {
      const std::size_t home = cells_[at].tag & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      cells_[hole] = cells_[at];
      hole = at;
    }
    cells_[hole] = Cell{};
    --used_;
  }
  [[nodiscard]] std::size_t bytes() const { return cells_.capacity() * sizeof(Cell); }

 private:
  struct Cell {
    std::uint32_t tag = 0;
    Slot slot = no_slot;
  };
  // Spreads the bits: the low ones choose the cell.
  static std::uint32_t tag_of(std::size_t hash) {
    return static_cast<std::uint32_t>((hash * 0x9E3779B97F4A7C15U) >> 32U);
  }
  [[nodiscard]] std::size_t mask() const { return cells_.size() - 1; }
  void place(Cell cell) {
    std::size_t at = cell.tag & mask();
    while (cells_[at].slot != no_slot) at = (at + 1) & mask();
    cells_[at] = cell;
  }
  void grow() {
    const auto old = std::exchange(cells_, std::vector<Cell>(cells_.empty() ? 8 : cells_.size() * 2));
    for (const Cell& cell : old) {
      if (cell.slot != no_slot) place(cell);
    }
  }

  std::vector<Cell> cells_;  // a power of two, at most seven eighths in use
  std::size_t used_ = 0;
};

}  // namespace reprise::runtime
