// Findings as text for people, JSON, annotations of GitHub Actions, and SARIF.
#pragma once

#include <string>
#include <vector>

#include "apps/reprise/lint/finding.h"

namespace reprise::apps::lint {

enum class Format { Text, Json, GitHub, Sarif };

struct Counts {
  int errors = 0, warnings = 0, advice = 0;
};

[[nodiscard]] Counts count(const std::vector<Finding>& findings);
[[nodiscard]] std::string show(const std::vector<Finding>& findings, Format format);

}  // namespace reprise::apps::lint
