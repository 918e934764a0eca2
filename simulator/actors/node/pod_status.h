// The status of a pod as its kubelet writes it.
#pragma once

#include "simulator/actors/node/pod_run.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

// Changes `pod`'s status to that of the run.
void write_pod_status(Value& pod, const PodRun& run, const EventLoop& loop);

// A pod whose containers are gone without a report: the machine lost power, or they were never started before the
// deletion. containerd says Unknown with 255 of a container that had run; the kubelet says ContainerStatusUnknown with
// 137 of one that it never saw (dev/README.md).
void write_lost_status(Value& pod, const EventLoop& loop);

// The kubelet's admission rejected the pod: phase, reason and message, and no container (Kubernetes 1.35, rejectPod).
void write_rejected_status(Value& pod, std::string_view reason, std::string_view message, const EventLoop& loop);

// True when the status shows that a container had been started.
[[nodiscard]] bool has_started(const Value& pod);

}  // namespace reprise::simulator
