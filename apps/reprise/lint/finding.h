// What a rule has found, and the mend.
#pragma once

#include <string>
#include <vector>

#include "apps/reprise/lint/source.h"

namespace reprise::apps::lint {

// Error: it is rejected, or does not work. Warning: it works and does harm. Advice: it could be better.
enum class Severity { Error, Warning, Advice };

// What stands between the two places becomes `text`.
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
  std::string message;  // what was found, what is allowed, what to do
  Mend mend = {};
};

}  // namespace reprise::apps::lint
