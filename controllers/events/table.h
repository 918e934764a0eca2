// Every Event that the operator writes about a pool or a job: one table, from which docs/reference/events.md has its
// rows (tests/docs/events_page) and which the tests of both controllers hold against what is said.
#pragma once

#include <span>

namespace reprise::controllers::events {

enum class Object { ResumableJob, GpuPool };
// Either: a warning where it counts against the job, normal where it does not.
enum class Type { Normal, Warning, Either };
// Stalled: said once, when it begins, and shown by the condition as long as it lasts.
enum class Kind { Happened, Stalled };

struct Info {
  Object object;
  const char* reason;
  Type type;
  Kind kind;
  const char* when;
  const char* what_to_do;  // empty: nothing
};

[[nodiscard]] std::span<const Info> table();

}  // namespace reprise::controllers::events
