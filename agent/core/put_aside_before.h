// What restores have put aside until now, by the names that it had: whoever was killed right after a move has left what
// leads there as it was.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/volume.h"

namespace reprise::agent {

class PutAsideBefore {
 public:
  // `names`: of entries below .reprise, without the number of the attempt.
  explicit PutAsideBefore(std::set<std::string> names) : names_(std::move(names)) {}

  // Whether something of that path was put aside. It may be there again since.
  [[nodiscard]] bool holds(const std::string& path) const;
  // Where what lies at a path within .reprise came from; nothing: nothing was put aside there.
  [[nodiscard]] std::optional<std::string> was(std::string_view path) const;
  [[nodiscard]] bool is_empty() const { return names_.empty(); }
  // Where they came from, as far as the names tell.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  std::set<std::string> names_;
};

[[nodiscard]] runtime::Result<PutAsideBefore> read_put_aside_before(const Volume& volume);

}  // namespace reprise::agent
