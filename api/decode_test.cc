// Decoding: tolerant of what it does not know, exact about what is wrong, unharmed by any bytes.
#include <gtest/gtest.h>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "api/testing/source_tree.h"
#include "protocol/record.h"
#include "runtime/kube/core.h"
#include "runtime/kube/internal/yaml_for_tests.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::api {
namespace {

std::string example(const std::string& file) {
  return kube::internal::to_text(
      kube::internal::documents_of(testing::source_tree() + "/crds/testdata/" + file).front());
}

TEST(Decode, an_empty_object_has_the_defaults) {
  const auto job = kube::KindOf<ResumableJob>::decode("{}");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->spec, ResumableJobSpec{});
  EXPECT_EQ(job->status.observed_generation, -1);
  EXPECT_EQ(job->spec.backoff_limit, 3);
}

TEST(Decode, null_is_absent_and_the_unknown_is_ignored) {
  const auto job = kube::KindOf<ResumableJob>::decode(
      R"({"apiVersion":"reprise.dev/v9","novelty":[{"a":1.5}],"metadata":{"name":"a","creationTimestamp":null,"managedFields":[{"f:x":{}}]},
          "spec":{"interruption":{"limit":null},"activeDeadlineSeconds":null,"checkpoint":null,"backoffLimit":7,"later":true}})");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->spec.backoff_limit, 7);
  EXPECT_EQ(job->spec.interruption.limit, std::nullopt);
}

TEST(Decode, reads_what_the_user_wrote) {
  const auto job = kube::KindOf<ResumableJob>::decode(example("full-resumablejob.yaml"));
  ASSERT_TRUE(job) << job.error().path << job.error().message;
  const ResumableJobSpec& spec = job->spec;
  ASSERT_TRUE(spec.checkpoint.volume.claim_template);
  EXPECT_EQ(spec.checkpoint.volume.claim_template->access_modes, std::vector<std::string>{"ReadWriteMany"});
  EXPECT_EQ(kube::internal::parse_tree(spec.checkpoint.volume.claim_template->spec_json).value()["storageClassName"],
            "shared");
  ASSERT_EQ(spec.pod_template.containers.size(), 1U);
  const TemplateContainer& trainer = spec.pod_template.containers.front();
  EXPECT_EQ(trainer.command, (std::vector<std::string>{"python", "train.py"}));
  EXPECT_EQ(trainer.limits.at("reprise.dev/gpu"), "1");
  EXPECT_EQ(trainer.requests.at("cpu"), "2");
  EXPECT_EQ(trainer.mount_paths, std::vector<std::string>{"/data"});
  EXPECT_EQ(spec.pod_template.init_containers.front().name, "fetch");
  EXPECT_EQ(spec.pod_template.termination_grace_period_seconds, 60);
  EXPECT_EQ(spec.pod_failure_rules.front().on_exit_codes_values, (std::vector<std::int32_t>{3, 42}));
  EXPECT_EQ(spec.placement->complete_by, kube::parse_time("2026-12-01T08:00:00Z"));
}

struct Wrong {
  const char* why;
  const char* json;
  const char* path;
};

TEST(Decode, says_where_and_what_is_wrong) {
  for (const Wrong& wrong : {
           Wrong{"a number where text belongs", R"({"spec":{"checkpoint":{"path":7}}})", "spec.checkpoint.path"},
           Wrong{"text where an object belongs", R"({"spec":{"checkpoint":"x"}})", "spec.checkpoint"},
           Wrong{"an element of a list", R"({"spec":{"podFailurePolicy":{"rules":[{},{"action":"Retry"}]}}})",
                 "spec.podFailurePolicy.rules[1].action"},
           Wrong{"an unknown enum value", R"({"spec":{"resume":"Sometimes"}})", "spec.resume"},
           Wrong{"more than 32 bits", R"({"spec":{"parallelism":4294967296}})", "spec.parallelism"},
           Wrong{"a fraction", R"({"spec":{"parallelism":1.5}})", "spec.parallelism"},
           Wrong{"a time that is none", R"({"status":{"startTime":"yesterday"}})", "status.startTime"},
           Wrong{"a label that is no text", R"({"metadata":{"labels":{"a":1}}})", "metadata.labels.a"},
           Wrong{"a list that is an object", R"({"status":{"members":{}}})", "status.members"},
           Wrong{"an object in a list of text", R"({"spec":{"template":{"spec":{"containers":[{"command":[{}]}]}}}})",
                 "spec.template.spec.containers[0].command[0]"},
           Wrong{"null in a list of text", R"({"spec":{"placement":{"zones":["a",null]}}})", "spec.placement.zones[1]"},
           Wrong{"no object at all", "[1]", ""},
       }) {
    const auto job = kube::KindOf<ResumableJob>::decode(wrong.json);
    ASSERT_FALSE(job) << wrong.why;
    EXPECT_EQ(job.error().path, wrong.path) << wrong.why;
    EXPECT_NE(job.error().message, "") << wrong.why;
  }
}

TEST(Decode, depth_and_size_are_bounded) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_FALSE(kube::KindOf<ResumableJob>::decode("{\"x\":" + deep + "}"));
  EXPECT_FALSE(kube::KindOf<kube::Pod>::decode("{\"x\":\"" + std::string(std::size_t{9} << 20, 'x') + "\"}"));
  EXPECT_TRUE(kube::KindOf<kube::Pod>::decode("{\"x\":\"" + std::string(std::size_t{3} << 20, 'x') + "\"}"));
  EXPECT_TRUE(kube::KindOf<kube::Pod>::decode("{}"));  // and the next document is read as ever
}

TEST(Decode, text_that_is_not_unicode_is_rejected) {
  EXPECT_FALSE(kube::KindOf<kube::Pod>::decode("{\"metadata\":{\"name\":\"\xFF\"}}"));
  EXPECT_FALSE(kube::KindOf<kube::Pod>::decode(R"({"metadata":{"name":"\ud800"}})"));
}

template <class T>
void expect_unharmed(const std::string& text) {
  std::size_t values = 0;
  const auto feed = [&](std::string_view bytes) { values += kube::KindOf<T>::decode(bytes).has_value() ? 1U : 0U; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    feed(std::string_view(text).substr(0, i));
    std::string changed = text;
    for (const int flip : {0x01, 0x10, 0x20, 0x80}) {
      changed[i] = static_cast<char>(text[i] ^ flip);
      feed(changed);
    }
    for (const char put : {'{', '}', '[', '"', '0', '\\', '\0'}) {
      changed[i] = put;
      feed(changed);
    }
    feed(std::string(text).erase(i, 1));
  }
  EXPECT_GT(values, 0U);  // many changes hit only a value
}

TEST(Decode, no_change_of_a_byte_harms_the_reader) {
  expect_unharmed<ResumableJob>(example("full-resumablejob.yaml"));
  expect_unharmed<GpuPool>(example("full-gpupool.yaml"));
  expect_unharmed<kube::Pod>(
      R"({"metadata":{"name":"a","uid":"u","labels":{"a":"b"}},"spec":{"nodeName":"n","containers":[{"name":"c",
    "resources":{"requests":{"nvidia.com/gpu":"4"}}}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"p"}}]},
    "status":{"phase":"Running","containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":1,"finishedAt":"2026-11-21T09:00:00Z"}}}]}})");
  expect_unharmed<kube::Node>(
      R"({"metadata":{"name":"a"},"spec":{"providerID":"p","taints":[{"key":"k","effect":"NoExecute"}]},
    "status":{"nodeInfo":{"bootID":"b"},"allocatable":{"cpu":"4","nvidia.com/gpu":"1"},"conditions":[{"type":"Ready","status":"True"}]}})");
  expect_unharmed<NodePool>(
      R"({"spec":{"weight":10,"limits":{"nvidia.com/gpu":"4"},"disruption":{"budgets":[{"nodes":"0","duration":"1h30m"}]},
    "template":{"spec":{"requirements":[{"key":"a","operator":"In","values":["b"],"minValues":1}]}}}})");
  expect_unharmed<kube::Event>(
      R"({"involvedObject":{"kind":"Node","uid":"1"},"reason":"r","lastTimestamp":"2026-11-21T09:00:00Z"})");
  expect_unharmed<kube::Lease>(
      R"({"spec":{"holderIdentity":"a","leaseDurationSeconds":15,"renewTime":"2026-11-21T09:00:00.000001Z"}})");
}

}  // namespace
}  // namespace reprise::api
