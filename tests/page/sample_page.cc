// Writes the report pages of hand-made reports for the test in a browser: sample_page sample|hostile|huge|empty >FILE
#include <cstdio>
#include <string>
#include <vector>

#include "apps/common/flags.h"
#include "rehearsal/report/report_page.h"
#include "rehearsal/report/testing/sample_report.h"

namespace {

namespace flags = reprise::apps::flags;
namespace rehearsal = reprise::rehearsal;

using MakeReport = rehearsal::RunReport (*)();

MakeReport report_named(const std::vector<std::string>& arguments) {
  flags::po::options_description known;
  known.add_options()("report", flags::one());
  const auto given = flags::parse(known, arguments, {"report"});
  const auto make = flags::one_of<MakeReport>(given, "report",
                                              {{"sample", [] { return rehearsal::testing::sample_report(); }},
                                               {"hostile", [] { return rehearsal::testing::hostile_report(); }},
                                               {"huge", [] { return rehearsal::testing::huge_report(20'000); }},
                                               {"empty", [] { return rehearsal::RunReport{}; }}});
  if (!make) throw flags::Wrong{"which report is missing"};
  return *make;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string page = rehearsal::report_page(report_named({argv + 1, argv + argc})());
    return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
  } catch (const flags::Wrong& wrong) {
    std::fprintf(stderr, "sample_page: %s\nusage: sample_page sample|hostile|huge|empty\n", wrong.text.c_str());
    return 2;
  }
}
