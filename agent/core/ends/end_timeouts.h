// How long the last steps of an agent may take: between a stop request and the kubelet's kill the last look at the
// volume and the record share what is left; with nobody killing, a volume that hangs is not waited for for ever.
// Pure: whoever calls says what is left.
#pragma once

#include <chrono>

namespace reprise::agent {

struct TimeLeft {
  bool stop_requested = false;
  // Time until the kubelet kills; the whole grace where nobody has requested a stop. Negative when it is over.
  std::chrono::milliseconds grace{};
};

// The time until the trainer's output is passed on: its reader may be slow. A quarter of the time that is left.
[[nodiscard]] std::chrono::milliseconds output_timeout(const TimeLeft& left);

// The look after the trainer's end: half of what is left, the record needs the rest.
[[nodiscard]] std::chrono::milliseconds last_look_timeout(const TimeLeft& left);

// The one look of an agent that has started no trainer, at least a second and at most five.
[[nodiscard]] std::chrono::milliseconds only_look_timeout(const TimeLeft& left);

// The record: all that is left, at least five seconds; at most thirty where nobody has requested a stop. A heartbeat
// without a record beside it is one that every later attempt has to watch until it is still: on a volume whose calls
// take seconds a record takes half a minute, which a stop request leaves time for.
[[nodiscard]] std::chrono::milliseconds record_timeout(const TimeLeft& left);

}  // namespace reprise::agent
