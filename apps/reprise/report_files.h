// The report files of a run: report.html, report.json and report.txt in one directory.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "apps/reprise/output_lock.h"
#include "rehearsal/report/run_report.h"
#include "runtime/base/error.h"

namespace reprise::apps {

// Makes the directory and puts the file `mark` into it. Where the mark is there already, `own` of an earlier run are
// removed: their volumes would be resumed from. Without the mark, a directory that holds anything is rejected. While
// the lock lives the directory is this run's alone; Conflict: it is another's.
[[nodiscard]] runtime::Result<OutputLock> make_room(const std::filesystem::path& directory, std::string_view mark,
                                                    std::initializer_list<std::string_view> own);

// Makes the directory. Returns the path of the page, absolute.
[[nodiscard]] runtime::Result<std::filesystem::path> write_report(const rehearsal::RunReport& report,
                                                                  const std::filesystem::path& directory);

}  // namespace reprise::apps
