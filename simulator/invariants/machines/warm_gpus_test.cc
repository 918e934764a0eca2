// The invariant about GPUs that are kept ready objects to the pod that is one too many, and to nothing else.
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <string>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class WarmGpusInvariant : public testing::InvariantBench {
 protected:
  WarmGpusInvariant() {
    EXPECT_TRUE(api.add_custom_resource(crds::gpu_pools()));
    EXPECT_TRUE(api.create(api.resource("reprise.dev", "gpupools"),
                           boost::json::parse(R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool",
        "metadata": {"name": "t4"}, "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "a"},
        "capacity": [{"type": "Spot"}], "warm": {"gpus": 1}}})")));
    EXPECT_TRUE(api.create(api.resource("reprise.dev", "gpupools"),
                           boost::json::parse(R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool",
        "metadata": {"name": "scheduled"}, "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "a"},
        "capacity": [{"type": "Spot"}],
        "warm": {"gpus": 1, "schedules": [{"schedule": "@daily", "durationSeconds": 60, "gpus": 2}]}}})")));
  }
  std::vector<std::string> add(Invariant& invariant, const std::string& name, const std::string& pool) {
    Value pod = boost::json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ")" + name +
                                   R"(", "namespace": "default", "labels": {"reprise.dev/warm": ")" + pool +
                                   R"("}}, "spec": {"containers": [{"name": "a", "image": "a"}]}})");
    EXPECT_TRUE(api.create(api.resource("", "pods"), pod));
    return reported(invariant, {.resource = api.resource("", "pods"),
                                .change = Change::Added,
                                .object = std::make_shared<const Value>(pod),
                                .before = nullptr});
  }
};

TEST_F(WarmGpusInvariant, a_pod_that_nobody_wants_is_one_too_many) {
  const auto invariant = warm_gpus_are_few(api);
  EXPECT_THAT(add(*invariant, "a", "t4"), IsEmpty());
  EXPECT_THAT(add(*invariant, "b", "another"), IsEmpty());
  EXPECT_THAT(add(*invariant, "c", "t4"), SizeIs(1));
}

TEST_F(WarmGpusInvariant, as_many_as_a_schedule_wants_are_none_too_many) {
  const auto invariant = warm_gpus_are_few(api);
  EXPECT_THAT(add(*invariant, "a", "scheduled"), IsEmpty());
  EXPECT_THAT(add(*invariant, "b", "scheduled"), IsEmpty());
  EXPECT_THAT(add(*invariant, "c", "scheduled"), SizeIs(1));
}

}  // namespace
}  // namespace reprise::simulator
