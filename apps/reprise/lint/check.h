// All files together: what is found in them, and their texts as mended.
#pragma once

#include <string>
#include <vector>

#include "apps/reprise/lint/finding.h"

namespace reprise::apps::lint {

struct File {
  std::string name, text;
};

[[nodiscard]] std::vector<Finding> check_files(const std::vector<File>& files);

struct ObjectCounts {
  int checked = 0;  // of the kinds that the rules look at
  int others = 0;   // left alone
};
[[nodiscard]] ObjectCounts count_objects(const std::vector<File>& files);

inline constexpr int kMostRounds = 8;

// A mend that would leave the YAML of its file with more problems, or with fewer objects, or JSON as none, is refused:
// the text stays.
struct Mending {
  std::vector<File> files;
  std::vector<Finding> refused = {};
};

// The text with the mends in it that leave it sound; the others are added to `refused`.
[[nodiscard]] std::string mended_text(const File& file, const std::vector<Finding>& findings,
                                      std::vector<Finding>& refused);
// One round: the worst of what is found and not refused. Says whether a file has changed.
bool mend_once(Mending& mending);
// Again and again, for a mend may show what else is wrong, up to kMostRounds.
[[nodiscard]] Mending mended(std::vector<File> files);

}  // namespace reprise::apps::lint
