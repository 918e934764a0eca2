// Remembers, by their former names, the entries that restores have put aside until now: a restore that was killed right
// after a move has left the links and trackers that lead there as they were.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/run/volume.h"

namespace reprise::agent {

class PutAsideBefore {
 public:
  // `names`: of entries below .reprise, without the number of the attempt.
  PutAsideBefore(std::set<std::string> names, bool was_cut_off) : names_(std::move(names)), was_cut_off_(was_cut_off) {}

  // True if an entry of that path was put aside. It may be there again since.
  [[nodiscard]] bool holds(const std::string& path) const;
  // The former path of an entry within .reprise; empty: nothing was put aside there.
  [[nodiscard]] std::optional<std::string> was(std::string_view path) const;
  // True if a restore has put something aside and was killed before it had put right the links and trackers that lead
  // there.
  [[nodiscard]] bool was_cut_off() const { return was_cut_off_; }
  // The former paths of all entries, as far as the names tell.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  std::set<std::string> names_;
  bool was_cut_off_;
};

[[nodiscard]] runtime::Result<PutAsideBefore> read_put_aside_before(const Volume& volume);

}  // namespace reprise::agent
