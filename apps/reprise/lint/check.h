// Checks all files together: their findings, and their mended texts.
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
  int checked = 0;  // objects of the kinds that the rules look at
  int others = 0;   // left alone
};
[[nodiscard]] ObjectCounts count_objects(const std::vector<File>& files);

inline constexpr int kMostRounds = 8;

// Refuses a mend that would leave the YAML of its file with more problems, or with fewer objects, or JSON as none: the
// text stays.
struct Mending {
  std::vector<File> files;
  std::vector<Finding> refused = {};
};

// The text with the mends in it that leave it sound; the others are added to `refused`.
[[nodiscard]] std::string mended_text(const File& file, const std::vector<Finding>& findings,
                                      std::vector<Finding>& refused);
// One round: mends the worst of the findings that are not refused. True: a file has changed.
bool mend_once(Mending& mending);
// Mends up to kMostRounds times, since a mend may show further mistakes.
[[nodiscard]] Mending mended(std::vector<File> files);

}  // namespace reprise::apps::lint
