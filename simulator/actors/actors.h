// The actors of an embedded cluster beside the operator, and what faults may do to them.
//
//   const auto actors = make_actors(cluster, market, {});
//   actors->interrupt("t4-spot-abcde", std::chrono::seconds(120));
//
// Annotations on pods say how their trainers behave: agent/training_plan.h. All runs in the cluster's loop; an idle
// cluster plans nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/actors/agent/agent_programs.h"
#include "simulator/actors/control/attach_detach.h"
#include "simulator/actors/control/node_lifecycle.h"
#include "simulator/actors/control/owner_gc.h"
#include "simulator/actors/control/pod_gc.h"
#include "simulator/actors/karpenter/disruption.h"
#include "simulator/actors/karpenter/interruption.h"
#include "simulator/actors/karpenter/node_claim_lifecycle.h"
#include "simulator/actors/karpenter/provisioner.h"
#include "simulator/actors/karpenter/termination.h"
#include "simulator/actors/node/kubelets.h"
#include "simulator/actors/scheduler/scheduler.h"
#include "simulator/actors/storage/claims.h"
#include "simulator/actors/storage/volume_attachments.h"

namespace reprise::simulator {

struct ActorSettings {
  CloudSettings cloud = {};
  Programs* programs = nullptr;  // runs in containers instead of AgentPrograms; outlives the actors
};

struct Actors {
  Actors(Cluster& cluster, const SpotMarket& market, ActorSettings settings);

  // ---- machines
  // Adds a machine that no Karpenter owns.
  void add_machine(MachineShape shape);
  // Ends processes without a report, and loses unsynced data with them. The cloud goes on charging.
  void power_loss(const std::string& node);
  // After a loss of power, or instead of one: a new boot of the same machine.
  void reboot(const std::string& node);
  // The kubelet cannot be reached; running pods go on. Undone with false.
  void silence(const std::string& node, bool silent = true);
  // Freezes the machine; undone with false, kubelet, agents and trainers go on as if nothing had been.
  void stand_still(const std::string& node, bool still = true);
  void restart_kubelet(const std::string& node, Duration down);

  // ---- the cloud
  // `noticed` false: the notice is lost and the machine goes off without warning. Does nothing for a node that is not
  // the cloud's.
  void interrupt(const std::string& node, Duration notice, bool noticed = true);
  void recommend_rebalance(const std::string& node);
  // The machine vanishes now.
  void vanish(const std::string& node);

  // ---- people with kubectl
  void force_delete_pod(const std::string& namespace_, const std::string& pod);
  // `force`: takes off its finalizers, so that Karpenter does not see to the machine.
  void delete_node_object(const std::string& node, bool force = true);
  void delete_node_claim(const std::string& name);
  void out_of_service(const std::string& node);

  // ---- storage
  void stick_volume(const std::string& volume, bool stuck = true) { volumes.stick(volume, stuck); }
  // Hangs the volume for one machine alone.
  void hang_volume(const std::string& volume, const std::string& machine, bool hangs = true) {
    volumes.hang(volume, machine, hangs);
  }
  void swap_volume(const std::string& volume, Disk with) { volumes.swap(volume, std::move(with)); }
  void empty_volume(const std::string& volume) { volumes.empty(volume); }
  // The newest complete checkpoint loses its marker. False: there is none.
  bool tear_checkpoint(const std::string& volume);
  // The volume of a claim; empty while it has none.
  [[nodiscard]] std::string volume_of(const std::string& namespace_, const std::string& claim) const;

  Cluster& cluster;
  KindIds kinds;
  ClusterView view;
  World world{cluster, kinds, view};
  Volumes volumes;
  VolumeAttachments volume_attachments;
  AgentPrograms programs;
  Kubelets kubelets;
  Scheduler scheduler;
  ClaimController claims;
  AttachDetach attach_detach;
  NodeLifecycle node_lifecycle;
  TaintEviction taint_eviction;
  PodGc pod_gc;
  OwnerGc owner_gc;
  Cloud cloud;
  UnavailableOfferings unavailable;
  Provisioner provisioner;
  NodeClaimLifecycle node_claim_lifecycle;
  Termination termination;
  Disruption disruption;
  Interruption interruption;
  PoolStatus pool_status;
};

// `cluster` and `market` outlive it.
[[nodiscard]] std::unique_ptr<Actors> make_actors(Cluster& cluster, const SpotMarket& market, ActorSettings settings);

}  // namespace reprise::simulator
