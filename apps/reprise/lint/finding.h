// A finding of a rule, and its mend.
#pragma once

#include <string>
#include <vector>

#include "apps/reprise/lint/source.h"

namespace reprise::apps::lint {

// Error: the object is rejected, or does not work. Warning: it works and does harm. Advice: it could be better.
enum class Severity { Error, Warning, Advice };

// Replaces the text between the two places by `text`.
struct Edit {
  Position begin, end;
  std::string text;
  friend bool operator==(const Edit&, const Edit&) = default;
};

// Edits of one text that belong together: all of them are made, or none.
using Mend = std::vector<Edit>;

struct Finding {
  Severity severity = Severity::Error;
  std::string rule;  // "schema", "node-pool-version"
  std::string file;
  Position at;
  std::string object;   // "GpuPool t4"
  std::string field;    // "spec.sharing.mode"
  std::string message;  // the finding, the allowed values, and the remedy
  Mend mend = {};
};

}  // namespace reprise::apps::lint
