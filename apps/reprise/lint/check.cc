#include "apps/reprise/lint/check.h"

#include <iterator>
#include <optional>
#include <utility>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {
namespace {

constexpr int kMostRounds = 8;

// The worst alone: what else is wrong may look otherwise when that is mended.
std::vector<Edit> edits_of(const std::vector<Finding>& findings, const std::string& file) {
  std::optional<Severity> worst;
  for (const Finding& each : findings)
    if (each.file == file && !each.mend.empty() && (!worst || each.severity < *worst)) worst = each.severity;
  std::vector<Edit> edits;
  for (const Finding& each : findings)
    if (each.file == file && each.severity == worst) edits.insert(edits.end(), each.mend.begin(), each.mend.end());
  return edits;
}

}  // namespace

std::vector<Finding> check_files(const std::vector<File>& files) {
  std::vector<Finding> findings;
  std::vector<Manifest> all;
  for (const File& file : files) {
    Manifests read = read_manifests(file.name, file.text);
    for (SyntaxProblem& problem : read.problems)
      findings.push_back({.severity = Severity::Error,
                          .rule = "yaml",
                          .file = file.name,
                          .at = problem.at,
                          .object = {},
                          .field = {},
                          .message = std::move(problem.message)});
    std::move(read.objects.begin(), read.objects.end(), std::back_inserter(all));
  }
  std::vector<Finding> more = check(all);
  std::move(more.begin(), more.end(), std::back_inserter(findings));
  return findings;
}

std::vector<File> mended(std::vector<File> files) {
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<Finding> findings = check_files(files);
    bool changed = false;
    for (File& file : files) {
      std::string text = applied(SourceText(file.text), edits_of(findings, file.name));
      changed = changed || text != file.text;
      file.text = std::move(text);
    }
    if (!changed) break;
  }
  return files;
}

}  // namespace reprise::apps::lint
