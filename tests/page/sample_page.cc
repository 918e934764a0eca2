// Writes the report pages of hand-made reports for the test in a browser: sample_page sample|hostile|huge|empty >FILE
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "rehearsal/report/report_page.h"
#include "rehearsal/report/testing/sample_report.h"

namespace {

namespace rehearsal = reprise::rehearsal;

std::optional<rehearsal::RunReport> report_named(std::string_view name) {
  constexpr std::size_t kHuge = 20'000;
  if (name == "sample") return rehearsal::testing::sample_report();
  if (name == "hostile") return rehearsal::testing::hostile_report();
  if (name == "huge") return rehearsal::testing::huge_report(kHuge);
  if (name == "empty") return rehearsal::RunReport{};
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto report = report_named(argc == 2 ? argv[1] : "");
  if (!report) {
    std::fputs("usage: sample_page sample|hostile|huge|empty\n", stderr);
    return 2;
  }
  const std::string page = rehearsal::report_page(*report);
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
