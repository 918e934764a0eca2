// What a run left to read: report.html, report.json and report.txt in one directory.
#pragma once

#include <filesystem>

#include "runtime/base/error.h"
#include "simulator/report/story.h"

namespace reprise::apps {

// Makes the directory. Returns the path of the page, absolute.
[[nodiscard]] runtime::Result<std::filesystem::path> write_report(const simulator::Story& story,
                                                                  const std::filesystem::path& directory);

}  // namespace reprise::apps
