// What the saves of a look show of each other: which of them were over, and which files and parts come and go. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "agent/core/generations/halves/changing_files.h"
#include "agent/core/generations/halves/saves_by_share.h"

namespace reprise::agent {

class ShownBySaves {
 public:
  explicit ShownBySaves(const Saves& saves);  // refers to them

  // The attempt that made it has saved again since: no end of a trainer has kept anything of it from being written.
  [[nodiscard]] bool is_over(std::size_t at, const std::string& share) const;

  // Whether the save `at` may be whole with fewer of these files in, or beside, its share. What ranks write has to be
  // there each time.
  [[nodiscard]] bool may_lack_files(std::size_t at, const std::string& share, const StateFiles& files);

  // Whether a save may be whole without `other`, which is no part of another rank: `said` by a word for a state.
  [[nodiscard]] bool may_lack_part(const std::string& share, const std::string& other, SaidToBe said);

 private:
  using OfFiles = std::tuple<std::string, std::string, std::int64_t, std::int64_t, bool>;

  const Saves& saves_;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> last_of_attempt_;  // by shares and attempts
  std::map<OfFiles, bool> files_;  // by shares and kinds, how many, the size of the gang, whether any are there
  std::map<std::tuple<std::string, std::string, SaidToBe>, bool> parts_;
};

}  // namespace reprise::agent
