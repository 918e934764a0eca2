#include "apps/kubectl-reprise/why/reading/read_objects.h"

#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::plugin::why::testing {
namespace {

boost::json::value tree(std::string_view yaml) {
  auto read = simulator::read_yaml(yaml);
  EXPECT_TRUE(read.has_value()) << yaml;
  return read ? *std::move(read) : boost::json::value();
}

}  // namespace

TEST(ReadObjects, an_event_of_either_api_says_when_it_was_last_seen_and_by_whom) {
  const Event old_api = read_event(
      tree("{reason: A, source: {component: kubelet}, firstTimestamp: \"2026-11-23T10:00:00Z\", lastTimestamp: "
           "\"2026-11-23T11:00:00Z\", eventTime: null}"));
  EXPECT_EQ(old_api.source, "kubelet");
  EXPECT_EQ(kube::format_time(old_api.last), "2026-11-23T11:00:00Z");
  const Event new_api = read_event(
      tree("{reason: A, source: {}, reportingComponent: default-scheduler, eventTime: "
           "\"2026-11-23T10:00:00.000000Z\", series: {count: 2, lastObservedTime: \"2026-11-23T11:30:00.000000Z\"}}"));
  EXPECT_EQ(new_api.source, "default-scheduler");
  EXPECT_EQ(kube::format_time(new_api.last), "2026-11-23T11:30:00Z");
}

TEST(ReadObjects, members_of_another_type_are_absent) {
  const Pod pod = read_pod(tree("{metadata: [], spec: {nodeName: 7}, status: {conditions: {}, containerStatuses: 3}}"));
  EXPECT_TRUE(pod.node_name.empty());
  EXPECT_TRUE(pod.conditions.empty());
  EXPECT_TRUE(pod.containers.empty());
}

TEST(ReadObjects, an_absent_storage_class_is_told_from_an_empty_one) {
  EXPECT_FALSE(read_claim(tree("{spec: {}}")).storage_class.has_value());
  EXPECT_EQ(read_claim(tree("{spec: {storageClassName: \"\"}}")).storage_class, "");
}

TEST(ReadObjects, kinds_that_nobody_looks_at_are_left_out) {
  Objects objects;
  put("Secret", tree("{metadata: {name: a}}"), objects);
  EXPECT_FALSE(objects.job.has_value());
  EXPECT_TRUE(objects.pods.empty());
}

}  // namespace reprise::plugin::why::testing
