#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

Row of_pool(std::string_view type, std::string_view status, std::string_view reason, Cause cause,
            std::string to_do = "kubectl describe gpupool t4") {
  return {"the job waits for its pool, of which " + std::string(type) + " says " + std::string(reason),
          {waiting("PoolNotReady", "GpuPool t4 does not offer a resource yet"),
           pool(condition(type, status, reason, "in the operator's words"))},
          cause,
          "GpuPool t4",
          std::string(reason) + ": in the operator's words",
          std::move(to_do),
          {"Pod"}};
}

}  // namespace

std::vector<Row> rows_about_pools() {
  return {
      of_pool("Stalled", "True", "KarpenterNotInstalled", Cause::KarpenterNotInstalled,
              "kubectl get crd nodepools.karpenter.sh"),
      of_pool("Stalled", "True", "NotSupported", Cause::PoolNotSupported, "kubectl edit gpupool t4"),
      of_pool("Stalled", "True", "InvalidSpec", Cause::PoolInvalidSpec, "kubectl edit gpupool t4"),
      of_pool("Stalled", "True", "NodePoolNotOwned", Cause::NodePoolNotOwned),
      of_pool("Stalled", "True", "DevicePluginKeyNotOwned", Cause::DevicePluginKeyNotOwned),
      of_pool("Stalled", "True", "FailedCreate", Cause::PoolObjectRejected),
      of_pool("Stalled", "True", "ChangedBack", Cause::ChangedBack),
      of_pool("Stalled", "True", "NodeOverlayNotServed", Cause::NodeOverlayNotServed, "nodeoverlays.karpenter.sh"),
      of_pool("SharingConfigured", "False", "NodeOverlayIgnored", Cause::NodeOverlayIgnored, "NodeOverlay=true"),
      of_pool("SharingConfigured", "False", "NodeOverlayNotReady", Cause::NodeOverlayNotReady),
      of_pool("Stalled", "True", "NodeOverlayNotOwned", Cause::NodeOverlayNotOwned),
      of_pool("SharingConfigured", "False", "NodeSharingFailed", Cause::NodeSharingFailed),
      of_pool("SharingConfigured", "False", "UnitsMissing", Cause::UnitsMissing),
      of_pool("SharingConfigured", "False", "NodeLabelNotOwned", Cause::NodeLabelNotOwned),
      of_pool("CapacityAvailable", "False", "NodeOfAnotherPool", Cause::NodeOfAnotherPool),
      of_pool("SharingConfigured", "False", "NodesInUse", Cause::NodesInUse),
      of_pool("Ready", "False", "NoNodes", Cause::NoExistingNodes),
      of_pool("Stalled", "True", "NoInstanceType", Cause::NoInstanceType, "kubectl edit gpupool t4"),
      of_pool("Stalled", "True", "LimitBelowOneNode", Cause::LimitBelowOneNode, "kubectl edit gpupool t4"),
      of_pool("Stalled", "True", "CostLimitBelowOneNode", Cause::CostLimitBelowOneNode, "kubectl edit gpupool t4"),
      of_pool("CapacityAvailable", "False", "InitializationDeadlineExceeded", Cause::InitializationDeadlineExceeded),
      of_pool("CapacityAvailable", "False", "MaxCostReached", Cause::PoolMaxCostReached, "raise spec.maxCostPerHour"),
      of_pool("Stalled", "True", "OfALaterRelease", Cause::PoolStalled),
      of_pool("NodesHealthy", "False", "GpuFault", Cause::NodeGpuFault),
      of_pool("NodesHealthy", "False", "ReplacementHeld", Cause::NodeReplacementHeld),
      of_pool("NodePoolsSynced", "False", "NodePoolTerminating", Cause::NodePoolTerminating),
      of_pool("Ready", "False", "Writing", Cause::PoolNotReady),
  };
}

TEST(PoolPhase, names_what_the_pools_conditions_say) {
  expect_all(rows_about_pools());
}

TEST(PoolPhase, what_a_pool_lacks_holds_up_no_job_that_has_its_nodes) {
  const Explanation explanation =
      explain_at_noon(world({pool(condition("Stalled", "True", "ChangedBack", "somebody does"))}));
  EXPECT_FALSE(explanation.finding.has_value());
}

TEST(PoolPhase, a_broken_node_hides_nothing_that_is_found_besides) {
  const Explanation explanation = explain_at_noon(
      world_of_pool({pool(condition("NodesHealthy", "False", "GpuFault", "one")),
                     node_claim("2026-11-23T11:40:00Z", condition("Launched", "Unknown", "LaunchFailed", "no"))}));
  ASSERT_TRUE(explanation.finding.has_value());
  EXPECT_EQ(explanation.finding->cause, Cause::LaunchFailed);
}

TEST(PoolPhase, a_node_that_is_being_replaced_blocks_nothing) {
  const Explanation explanation =
      explain_at_noon(world_of_pool({pool(condition("NodesHealthy", "False", "ReplacingNodes", "one goes"))}));
  EXPECT_FALSE(explanation.finding.has_value());
}

TEST(PoolPhase, a_pool_asked_about_by_name_says_what_blocks_it) {
  const Explanation explanation =
      explain_at_noon(world_of_pool({pool(condition("Stalled", "True", "ChangedBack", "somebody does"))}));
  ASSERT_TRUE(explanation.finding);
  EXPECT_EQ(explanation.finding->cause, Cause::ChangedBack);
  EXPECT_EQ(explanation.summary, "GpuPool t4 needs a person");
}

}  // namespace reprise::plugin::why::testing
