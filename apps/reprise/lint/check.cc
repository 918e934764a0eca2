#include "apps/reprise/lint/check.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {
namespace {

// Properties of a text that a mend must leave as they are, or better.
struct Soundness {
  std::size_t problems = 0, objects = 0;
  bool is_json = false;
};

Soundness soundness_of(const std::string& name, const std::string& text) {
  const Manifests read = read_manifests(name, text);
  return {read.problems.size(), read.objects.size(), SourceText(text).is_json()};
}

bool is_worse(const Soundness& after, const Soundness& before) {
  if (before.is_json && !after.is_json) return true;
  return after.problems > before.problems || after.objects < before.objects;
}

bool same_matter(const Finding& a, const Finding& b) {
  return a.file == b.file && a.object == b.object && a.field == b.field && a.rule == b.rule;
}

// Only the worst findings: the others may look otherwise when these are mended.
std::vector<Finding> worst_of(const std::vector<Finding>& findings, const std::string& file,
                              const std::vector<Finding>& refused) {
  std::optional<Severity> worst;
  std::vector<Finding> chosen;
  for (const Finding& each : findings) {
    const bool known = std::ranges::any_of(refused, [&](const Finding& other) { return same_matter(each, other); });
    if (each.file != file || each.mend.empty() || known || (worst && each.severity > *worst)) continue;
    if (!worst || each.severity < *worst) chosen.clear();
    worst = each.severity;
    chosen.push_back(each);
  }
  return chosen;
}

std::string with_mends(const std::string& text, const std::vector<Finding>& findings) {
  std::vector<Mend> mends;
  for (const Finding& each : findings) mends.push_back(each.mend);
  return applied(SourceText(text), mends);
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

ObjectCounts count_objects(const std::vector<File>& files) {
  ObjectCounts counts;
  for (const File& file : files)
    for (const Manifest& manifest : read_manifests(file.name, file.text).objects)
      ++(is_checked(manifest) ? counts.checked : counts.others);
  return counts;
}

std::string mended_text(const File& file, const std::vector<Finding>& findings, std::vector<Finding>& refused) {
  const Soundness before = soundness_of(file.name, file.text);
  std::string whole = with_mends(file.text, findings);
  if (!is_worse(soundness_of(file.name, whole), before)) return whole;
  std::vector<Finding> sound;
  for (const Finding& each : findings) {
    sound.push_back(each);
    if (!is_worse(soundness_of(file.name, with_mends(file.text, sound)), before)) continue;
    sound.pop_back();
    // A mend that is wrong only beside the others has its turn in the next round.
    if (sound.empty() || is_worse(soundness_of(file.name, with_mends(file.text, {each})), before))
      refused.push_back(each);
  }
  return with_mends(file.text, sound);
}

bool mend_once(Mending& mending) {
  const std::vector<Finding> findings = check_files(mending.files);
  bool changed = false;
  for (File& file : mending.files) {
    std::string text = mended_text(file, worst_of(findings, file.name, mending.refused), mending.refused);
    changed = changed || text != file.text;
    file.text = std::move(text);
  }
  return changed;
}

Mending mended(std::vector<File> files) {
  Mending mending{.files = std::move(files)};
  for (int round = 0; round < kMostRounds && mend_once(mending); ++round) {
  }
  return mending;
}

}  // namespace reprise::apps::lint
