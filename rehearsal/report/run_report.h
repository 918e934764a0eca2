// The report of one run of the embedded cluster, ready to be shown: as a page, as text, as JSON, live in a terminal.
// Filled by rehearsals and the demo; knows nothing of how it came about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::rehearsal {

// All times are since the begin of the run, in the cluster's (scaled) time.
struct ReportSpan {
  enum class State { Waiting, Starting, Training, Saving, Interrupted, Stopped, Done, Failed, Available, Unavailable };
  runtime::Duration from{0}, to{0};
  State state = State::Waiting;
  std::string label = {};  // "attempt 3 on kwok-7, zone us-west-2a"
};

struct ReportMark {
  enum class Kind { Checkpoint, TornCheckpoint, Notice, Kill, Resume, Loss, End };
  runtime::Duration at{0};
  Kind kind = Kind::Checkpoint;
  std::string label = {};  // "step 400, 12.3 MB, durable"
  // The step of the training; negative: not known. For a Resume: the step it went on from. The marks of a job's lane
  // that have one are drawn as its progress.
  std::int64_t step = -1;
};

// One row of the timeline picture. Zones are drawn first, then nodes, then jobs; each rank follows its job in the list.
struct ReportLane {
  enum class Kind { Zone, Node, Job, Rank };
  Kind kind = Kind::Job;
  std::string name;
  std::vector<ReportSpan> spans = {};  // in order of time, not overlapping
  std::vector<ReportMark> marks = {};  // in order of time
};

// A fact that the report cannot derive from the rest: findings about the script, equality of weights, sizes.
// Interruptions survived, training lost, the way back and money are shown by the report itself, from `interruptions`
// and `cost`.
struct ReportFact {
  std::string label, value;  // "Torn checkpoints read", "none"
  bool good = true;          // shown as a tick or a cross where it is a judgement
  bool judgement = false;
  bool headline = false;  // one of the few that stand large at the top; its value must be short
};

// One row of a table: an interruption. Survived: the attempt after it went on from a step that is accepted, or the
// training ended by itself before its node was gone. Training again is not enough.
struct ReportInterruption {
  std::string job;
  runtime::Duration at{0}, notice{0}, save_took{0};
  std::optional<runtime::Duration> resumed_after = {};  // from the notice to training again; nothing: never
  bool survived = false;
  bool saved = false;
  std::int64_t step_at_notice = 0;
  std::optional<std::int64_t> step_saved = {}, step_resumed = {};  // empty: none
  std::optional<std::int64_t> steps_lost = {};                     // empty: not known
  runtime::Duration training_lost{0};                              // training that had to be done again
  std::string node = {};                                           // the node taken: "kwok-7, us-west-2a"
  std::vector<std::string> last_lines = {};                        // the end of the trainer's output
};

// USD for the whole run.
struct ReportCost {
  double spent = 0;      // for the nodes as they were rented
  double on_demand = 0;  // the training that was kept, on such nodes on demand, which nobody takes away
};

struct RunReport {
  std::string title, subtitle;
  runtime::Duration length{0};
  double speed = 1;             // cluster seconds per real second
  runtime::Duration played{0};  // real time; 0: as the speed has it
  std::vector<ReportLane> lanes = {};
  std::vector<ReportInterruption> interruptions = {};
  std::vector<ReportFact> facts = {};
  std::optional<ReportCost> cost = {};
  bool survived = true;
  bool shown = true;  // false: neither survived nor not, the run has shown nothing; `reasons` say why
  std::vector<std::string> reasons = {};  // reasons of a verdict that is not "survived", each with what to do
  std::vector<std::string> lines = {};    // the event log, readable
};

}  // namespace reprise::rehearsal
