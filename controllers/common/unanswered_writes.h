// Statuses whose writing got no answer: the API server may have stored one of them all the same. Events and counts of
// such a status are told when the cache shows that it was stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace reprise::controllers {

// `Told`: what is to be told. One thread.
template <class Status, class Told>
class UnansweredWrites {
 public:
  struct Write {
    Status before, wanted;
    Told told;
  };

  // An error that leaves open whether `write` was stored.
  void remember(Write write) {
    if (!writes_.empty() && writes_.front().before != write.before) writes_.clear();
    if (writes_.size() == kMost) writes_.erase(writes_.begin());
    writes_.push_back(std::move(write));
  }

  // The write that was stored, once, when the object shows it. Empty: none was, or the cache is as old as they are.
  [[nodiscard]] std::optional<Write> stored(const Status& shown) {
    if (writes_.empty() || shown == writes_.front().before) return std::nullopt;
    const auto found = std::ranges::find(writes_, shown, &Write::wanted);
    std::optional<Write> write;
    if (found != writes_.end()) write = std::move(*found);
    writes_.clear();
    return write;
  }

  // A later write was answered, so that none of these was.
  void clear() { writes_.clear(); }
  [[nodiscard]] bool empty() const { return writes_.empty(); }

 private:
  static constexpr std::size_t kMost = 4;  // each pass while the API server is silent wants much the same
  std::vector<Write> writes_;              // against one status
};

}  // namespace reprise::controllers
