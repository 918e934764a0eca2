#include "apps/reprise/report_files.h"

#include <system_error>

#include "apps/reprise/text_file.h"
#include "rehearsal/report/report_json.h"
#include "rehearsal/report/report_page.h"
#include "rehearsal/report/report_text.h"

namespace reprise::apps {

runtime::Result<OutputLock> make_room(const std::filesystem::path& directory, std::string_view mark,
                                      std::initializer_list<std::string_view> own) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const bool ours = fs::exists(directory / mark, problem);
  if (!ours && fs::exists(directory, problem) && !fs::is_empty(directory, problem))
    return runtime::fail(runtime::ErrorClass::Invalid,
                         directory.string() + " holds something else; name an empty directory with --output-dir");
  fs::create_directories(directory, problem);
  if (problem)
    return runtime::fail(runtime::ErrorClass::Invalid, directory.string() + ": cannot be made: " + problem.message());
  auto lock = OutputLock::take(directory / mark);
  if (!lock || !ours) return lock;
  for (const std::string_view each : own) fs::remove_all(directory / each, problem);
  return lock;
}

runtime::Result<std::filesystem::path> write_report(const rehearsal::RunReport& report,
                                                    const std::filesystem::path& directory) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem)
    return runtime::fail(runtime::ErrorClass::Terminal, directory.string() + ": cannot be made: " + problem.message());
  const std::filesystem::path page = directory / "report.html";
  if (auto done = write_text_file(directory / "report.json", report_json(report)); !done)
    return std::unexpected(std::move(done).error());
  if (auto done = write_text_file(directory / "report.txt", report_text(report)); !done)
    return std::unexpected(std::move(done).error());
  if (auto done = write_text_file(page, report_page(report)); !done) return std::unexpected(std::move(done).error());
  const auto whole = std::filesystem::absolute(page, problem);
  return problem ? page : whole.lexically_normal();
}

}  // namespace reprise::apps
