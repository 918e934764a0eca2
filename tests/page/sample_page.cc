// Writes the report pages of hand-made reports for the test in a browser: sample_page sample|hostile|huge|empty >FILE
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "rehearsal/report/report_page.h"
#include "rehearsal/report/testing/sample_report.h"

namespace {

namespace simulator = reprise::simulator;

std::optional<simulator::RunReport> report_named(std::string_view name) {
  constexpr std::size_t kHuge = 20'000;
  if (name == "sample") return simulator::testing::sample_report();
  if (name == "hostile") return simulator::testing::hostile_report();
  if (name == "huge") return simulator::testing::huge_report(kHuge);
  if (name == "empty") return simulator::RunReport{};
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto report = report_named(argc == 2 ? argv[1] : "");
  if (!report) {
    std::fputs("usage: sample_page sample|hostile|huge|empty\n", stderr);
    return 2;
  }
  const std::string page = simulator::report_page(*report);
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
