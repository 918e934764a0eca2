// Decides which signals ask the agent to stop. Pure.
//
// The kubelet has the container runtime send SIGTERM, or what the image (STOPSIGNAL) or the pod
// (lifecycle.stopSignal) says instead. The runtime is outside the container's PID namespace, and nothing else that
// sends signals to the agent is: the kernel shows a sender that the receiver cannot see as process 0. A signal from
// inside
// (`kubectl exec ... kill -INT 1`) is the trainer's.
#pragma once

namespace reprise::agent {

struct ReceivedSignal {
  int number = 0;
  bool from_outside = false;  // sent by a process outside the agent's PID namespace
};

[[nodiscard]] bool is_stop_request(const ReceivedSignal& signal);

// True if the signal ends an agent that has no trainer: a signal that would ask a trainer to end is the agent's own
// then.
[[nodiscard]] bool ends_without_trainer(const ReceivedSignal& signal);

}  // namespace reprise::agent
