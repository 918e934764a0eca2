// The causes as docs/troubleshooting.md shows them.
#include <fmt/format.h>

#include <iterator>

#include "apps/kubectl-reprise/why/cause.h"

namespace reprise::plugin::why {

std::string_view heading_of(Place place) {
  switch (place) {
    case Place::Operator:
      return "The operator";
    case Place::Job:
      return "The job";
    case Place::Creation:
      return "What the job creates";
    case Place::Pod:
      return "A pod";
    case Place::Volume:
      return "A volume of a pod that has no node";
    case Place::Scheduler:
      return "A pod that has no node";
    case Place::NodeClaim:
      return "A machine that is to come (NodeClaim)";
    case Place::NodePool:
      return "Where machines come from (NodePool)";
    case Place::Pool:
      return "The pool";
  }
  return {};
}

std::string troubleshooting_tables() {
  std::string text;
  const Place* open = nullptr;
  for (const CauseText& row : all_causes()) {
    if (open == nullptr || *open != row.place) {
      fmt::format_to(std::back_inserter(text), "{}## {}\n\n| Cause | What it means | What to do |\n|---|---|---|\n",
                     open == nullptr ? "" : "\n", heading_of(row.place));
      open = &row.place;
    }
    fmt::format_to(std::back_inserter(text), "| `{}`{} | {} | {} |\n", row.name,
                   row.weight == Weight::Passes ? " (passes)" : "", row.means, row.to_do);
  }
  return text;
}

}  // namespace reprise::plugin::why
