// The saves of a look show this of each other: which of them were over, and which files and parts come and go. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agent/core/generations/halves/changing_files.h"
#include "agent/core/generations/halves/gangs/saves_by_share.h"

namespace reprise::agent {

// Saves with a share that lack something, one after the other: up to one of them, and all.
struct InARow {
  std::size_t up_to_it = 0, all = 0;
};

class ShownBySaves {
 public:
  explicit ShownBySaves(const Saves& saves);  // refers to them

  // The attempt that made it has saved again since: no end of a trainer has kept anything of it from being written.
  [[nodiscard]] bool is_over(std::size_t at, const std::string& share) const;

  // True if the save `at` may be whole with fewer of these files in, or beside, its share. Files that ranks write have
  // to be there each time.
  [[nodiscard]] bool may_lack_files(std::size_t at, const std::string& share, const StateFiles& files);

  // Kinds of the state that the last one of `before` has not: files that come with each second or third save, and are
  // overdue at the one `at`. `before`: whole saves with that share, the newest first.
  [[nodiscard]] StateKinds overdue_files(std::size_t at, const std::string& share,
                                         const std::deque<std::size_t>& before);
  struct OverduePart {
    std::size_t save = 0;  // save that has it
    std::string part;
  };
  [[nodiscard]] std::vector<OverduePart> overdue_parts(std::size_t at, const std::string& share,
                                                       const std::deque<std::size_t>& before);

  // True if the save may be whole without `other`, which is no part of another rank: `said` by a word for a state.
  [[nodiscard]] bool may_lack_part(std::size_t at, const std::string& share, const std::string& other, SaidToBe said);

 private:
  struct OfFiles {
    std::size_t in_a_row = 0;  // saves that may lack some
    bool vary = false;
  };
  using KindOfFiles = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;
  using HasAll = std::function<bool(const Save& save, const Share& share)>;

  [[nodiscard]] const OfFiles& habit_of(std::size_t at, const std::string& share, const StateFiles& files);
  [[nodiscard]] std::size_t habit_of_part(const std::string& share, const std::string& other, SaidToBe said);
  [[nodiscard]] InARow files_in_a_row(std::size_t at, const std::string& share, const StateFiles& files) const;
  [[nodiscard]] InARow parts_in_a_row(std::size_t at, const std::string& share, const std::string& other) const;
  [[nodiscard]] InARow in_a_row(std::size_t at, const std::string& share, const HasAll& has_all) const;

  const Saves& saves_;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> last_of_attempt_;  // by shares and attempts
  std::map<KindOfFiles, OfFiles> files_;  // by shares and kinds, how many, and the size of the gang
  std::map<std::tuple<std::string, std::string, SaidToBe>, std::size_t> parts_;
};

}  // namespace reprise::agent
