#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rehearsal/plan/manifests.h"
#include "rehearsal/plan/planned_market.h"
#include "rehearsal/plan/recorded_spot.h"
#include "rehearsal/plan/strict_manifest.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using simulator::array;
using simulator::number;
using simulator::Value;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kJob = R"yml(
apiVersion: reprise.dev/v1alpha1
kind: ResumableJob
metadata: {name: a}
spec:
  parallelism: 2
  checkpoint:
    path: /checkpoints
    graceSeconds: 60
    onNotice: {signal: SIGUSR1}
    volume: {access: Shared, claimTemplate: {spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}}
  template: {spec: {containers: [
    {name: side, image: s}, {name: trainer, image: t, command: [train], resources: {limits: {reprise.dev/gpu: 2}}}]}}
)yml";

std::string job_with(const std::string& line) {
  std::string text = kJob;
  return text.replace(text.find("spec:\n"), 6, "spec:\n  " + line + "\n");
}

TEST(Manifests, a_file_may_hold_several_documents) {
  EXPECT_THAT(documents_of("# only a comment\n---\na: 1\n---\n\n--- # b\nb: 2"),
              ElementsAre(YamlDocument{"a: 1\n", 3}, YamlDocument{"b: 2\n", 7}));
  EXPECT_THAT(documents_of("a: 1\n--- {b: 2}\n---c: 3\n"),
              ElementsAre(YamlDocument{"a: 1\n", 1}, YamlDocument{"    {b: 2}\n---c: 3\n", 2}));
}

TEST(Manifests, a_job_is_read_as_the_operator_will_see_it) {
  const auto job = read_job(job_with("container: trainer"), "rehearsal");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->key(), "default/a");
  EXPECT_EQ(job->parallelism, 2);
  EXPECT_EQ(job->grace_seconds, 60);
  EXPECT_EQ(job->gpus, 2);
  EXPECT_EQ(job->claim_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(job->claim_of(1), "a-checkpoints");
  EXPECT_TRUE(job->notice_by_request);
  EXPECT_EQ(simulator::text(job->object, {"spec", "poolName"}), "rehearsal");
}

TEST(Manifests, of_several_containers_the_one_that_asks_for_gpus_trains_and_is_named) {
  const auto job = read_job(kJob, "rehearsal");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(simulator::text(job->object, {"spec", "container"}), "trainer");
  EXPECT_EQ(job->gpus, 2);
}

TEST(Manifests, what_is_wrong_is_named) {
  const std::pair<std::string, std::string> rows[] = {
      {"kind: Pod\nmetadata: {name: p}", "found 'Pod', must be ResumableJob"},
      {"kind: ResumableJob", "metadata.name is missing"},
      {job_with("container: other"), "must be the name of a container"},
      {job_with("container: side"), "container side has no command"},
      {"a: [", ""}};
  for (const auto& [yaml, expected] : rows) {
    const auto job = read_job(yaml, "rehearsal");
    ASSERT_FALSE(job) << yaml;
    EXPECT_EQ(job.error().error_class, runtime::ErrorClass::Invalid);
    EXPECT_THAT(job.error().message, HasSubstr(expected));
  }
}

std::string mistakes_of(const std::string& yaml) {
  const auto object = simulator::read_yaml(yaml);
  EXPECT_TRUE(object) << yaml;
  const auto checked = check_manifest(*object);
  return checked ? "" : checked.error().message;
}

TEST(StrictManifest, takes_what_an_api_server_takes) {
  EXPECT_EQ(mistakes_of(kJob), "");
}

TEST(StrictManifest, names_field_found_and_allowed) {
  const auto with = [](std::string from, const std::string& to) {
    std::string yaml = kJob;
    return yaml.replace(yaml.find(from), from.size(), to);
  };
  const std::pair<std::string, std::string> rows[] = {
      {job_with("parallelizm: 3"), "ResumableJob a\n  spec.parallelizm: unknown field; allowed: "},
      {job_with("parallelizm: 3"), ", parallelism, "},
      {with("command: [train]", "comand: [train]"), "spec.template.spec.containers[1].comand: unknown field"},
      {with("command: [train]", "command: train x"), "spec.template.spec.containers[1].command: Invalid value"},
      {with("command: [train]", "command: train x"), "must be of type array"},
      {with("v1alpha1", "v9"), "apiVersion: found 'reprise.dev/v9', must be reprise.dev/v1alpha1"},
      {with("storage: 1Gi", "storage: lots"), "requests.storage: found 'lots', must be a quantity"},
      {with("{name: a}", "{name: a, label: {}}"), "metadata.label: unknown field"},
      {"apiVersion: reprise.dev/v1alpha1\nkind: ResumableJob\nmetadata: {name: a}", "spec: Required value"},
      {"apiVersion: reprise.dev/v1alpha1\nkind: GpuPool\nmetadata: {name: p}\nspec: {capazity: []}",
       "GpuPool p\n  spec.capazity: unknown field"}};
  for (const auto& [yaml, expected] : rows) EXPECT_THAT(mistakes_of(yaml), HasSubstr(expected));
}

TEST(Manifests, a_pool_has_nodes_for_every_rank) {
  const auto job = read_job(job_with("container: trainer"), "rehearsal");
  const Value pool = pool_for("rehearsal", {*job}, 30);
  const Value& capacity = array(pool, {"spec", "capacity"})[0];
  EXPECT_EQ(number(capacity, {"noticeSeconds"}), 30);
  EXPECT_GE(number(capacity, {"maxGpus"}), 8);
  EXPECT_EQ(array(pool, {"spec", "gpu", "countsPerNode"})[0].as_int64(), 4) << "two GPUs come on nodes with four";
}

TEST(SpotPlan, of_a_trace_has_an_edge_at_each_change) {
  controllers::placement::Trace trace{.tick = 0.5, .nodes_probed = 2, .on_demand_price = 3, .spot_price = 1};
  trace.zones = {{.name = "a", .available = {2, 2, 0, -1, 1, 2}}};
  const SpotPlan one = spot_plan_of(trace, 1), two = spot_plan_of(trace, 2);
  ASSERT_EQ(one.zones.size(), 1U);
  ASSERT_EQ(one.zones[0].edges.size(), 2U);
  EXPECT_EQ(one.zones[0].edges[0].at, Duration(minutes(60)));
  EXPECT_FALSE(one.zones[0].edges[0].available);
  EXPECT_EQ(one.zones[0].edges[1].at, Duration(minutes(120)));
  EXPECT_EQ(two.zones[0].edges[1].at, Duration(minutes(150)));
}

TEST(PlannedMarket, says_what_the_plan_says) {
  const SpotPlan plan{
      .zones = {
          {.name = "a", .edges = {{.at = minutes(1), .available = false}, {.at = minutes(3)}}, .price_per_hour = 1.5}}};
  const PlannedMarket market(plan, 3);
  EXPECT_TRUE(market.state("a", Duration{0}).available());
  EXPECT_FALSE(market.state("a", minutes(1)).available());
  EXPECT_TRUE(market.state("a", minutes(3)).available());
  EXPECT_FALSE(market.state("b", Duration{0}).available());
  EXPECT_EQ(market.state("a", Duration{0}).price_permille, 500);
  EXPECT_EQ(market.next_change("a", minutes(1)), Duration(minutes(3)));
  EXPECT_EQ(market.next_change("a", minutes(3)), std::nullopt);
}

TEST(Manifests, a_claim_that_a_job_names_is_there) {
  const std::string yaml =
      "kind: ResumableJob\nmetadata: {name: a, namespace: ml}\nspec:\n  checkpoint: {path: /c, volume: {VOLUME}}\n"
      "  template: {spec: {containers: [{name: t, image: i, command: [train]}]}}\n";
  const auto claim_of = [&](const std::string& volume) {
    std::string text = yaml;
    text.replace(text.find("VOLUME"), 6, volume);
    const auto job = read_job(text, "p");
    EXPECT_TRUE(job);
    return named_claim(*job);
  };
  const auto claim = claim_of("claimName: mine");
  ASSERT_TRUE(claim);
  EXPECT_EQ(simulator::name_of(*claim), "mine");
  EXPECT_EQ(simulator::namespace_of(*claim), "ml");
  EXPECT_FALSE(claim_of("access: Shared"));
}

}  // namespace
}  // namespace reprise::rehearsal
