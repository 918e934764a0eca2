// What a run of the embedded cluster has to tell, ready to be shown: as a page, as text, as JSON, live in a terminal.
// Filled by rehearsals and the demo; knows nothing of how it came about.
#pragma once

#include <cstdint>

#include <string>
#include <vector>

#include "runtime/base/clock.h"

namespace reprise::simulator {

// All times are since the begin of the run, in the cluster's (scaled) time.
struct StorySpan {
  enum class State { Waiting, Starting, Training, Saving, Interrupted, Stopped, Done, Failed, Available, Unavailable };
  runtime::Duration from{0}, to{0};
  State state = State::Waiting;
  std::string label = {};  // "attempt 3 on kwok-7, zone us-west-2a"
};

struct StoryMark {
  enum class Kind { Checkpoint, TornCheckpoint, Notice, Kill, Resume, Loss, End };
  runtime::Duration at{0};
  Kind kind = Kind::Checkpoint;
  std::string label = {};  // "step 400, 12.3 MB, durable"
};

// One row of the timeline picture.
struct StoryLane {
  enum class Kind { Zone, Node, Job, Rank };
  Kind kind = Kind::Job;
  std::string name;
  std::vector<StorySpan> spans = {};
  std::vector<StoryMark> marks = {};
};

struct StoryFact {
  std::string label, value;  // "Interruptions survived", "8 of 8"
  bool good = true;          // shown as a tick or a cross where it is a judgement
  bool judgement = false;
};

// One row of a table: an interruption.
struct StoryInterruption {
  std::string job;
  runtime::Duration at{0}, notice{0}, save_took{0}, resumed_after{0};
  bool saved = false;
  std::int64_t step_at_notice = 0, step_saved = 0, step_resumed = 0, steps_lost = 0;
};

struct Story {
  std::string title, subtitle;
  runtime::Duration length{0};
  double speed = 1;  // cluster seconds per real second
  std::vector<StoryLane> lanes = {};
  std::vector<StoryInterruption> interruptions = {};
  std::vector<StoryFact> facts = {};
  bool survived = true;
  std::vector<std::string> reasons = {};  // of a verdict that is not "survived", each with what to do
  std::vector<std::string> lines = {};    // the event log, readable
};

}  // namespace reprise::simulator
