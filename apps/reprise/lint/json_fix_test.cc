// A file in JSON stays JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "apps/reprise/lint/check.h"
#include "apps/reprise/lint/output.h"
#include "apps/reprise/lint/samples_for_tests.h"

namespace reprise::apps::lint {
namespace {

using ::testing::HasSubstr;

const std::string kJsonPool = R"({
  "apiVersion": "reprise.dev/v1alpha1",
  "kind": "GpuPool",
  "metadata": {"name": "t4"},
  "spec": {
    "gpu": {"models": ["A10G"], "countPerNode": [1]},
    "nodeClassRef": {
      "group": "karpenter.k8s.aws",
      "kind": "EC2NodeClass",
      "name": "default"
    },
    "capacity": [
      {"type": "Spot", "maxGpus": "8", "noticeSeconds": 300}
    ],
    "sharing": {
      "mode": "timeslicing",
      "replicas": 4
    }
  }
}
)";

const std::string kJsonJob = R"({
  "apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob",
  "metadata": {"name": "fit", "namespace": "vision"},
  "spec": {
    "poolName": "t4", "parallelism": "2",
    "checkpoint": {
      "path": "/checkpoints",
      "snapshot": {"className": "csi"},
      "volume": {"claimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "50GiB"}}}}}
    },
    "template": {
      "spec": {
        "containers": [
          {"name": "trainer", "image": "example.org/t:1", "command": ["python", "t.py"],
           "resources": {"requests": {"reprise.dev/gpu": 1, "memory": "8Gi"}}}
        ],
        "restartPolicy": "Always"
      }
    }
  }
}
)";

const std::string kJsonNodePool = R"({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "n"},
  "spec": {"limits": {"nvidia.com/gpu": "8"}, "template": {"metadata": {"labels": {"karpenter.sh/capacity-type": "spot"}},
  "spec": {
    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
    "requirements": [{"key": "karpenter.k8s.aws/instance-gpu-name", "operator": "In", "values": ["a10g"]}]}}}}
)";

bool is_json(const std::string& text) {
  boost::system::error_code error;
  boost::json::parse(text, error);
  return !error;
}

std::size_t mends_in(const std::vector<Finding>& findings) {
  std::size_t mends = 0;
  for (const Finding& each : findings)
    if (!each.mend.empty()) ++mends;
  return mends;
}

TEST(LintJson, a_file_in_json_stays_json_and_is_mended_all_the_same) {
  for (const std::string& text : {kJsonPool, kJsonJob, kJsonNodePool}) {
    ASSERT_TRUE(is_json(text));
    const auto before = check_files({{"given.json", text}});
    ASSERT_GT(mends_in(before), 2U) << show(before, Format::Text);
    const Mending mending = mended({{"given.json", text}});
    EXPECT_TRUE(is_json(mending.files[0].text)) << mending.files[0].text;
    EXPECT_EQ(mends_in(check_files(mending.files)), 0U)
        << mending.files[0].text << show(check_files(mending.files), Format::Text);
    EXPECT_TRUE(mending.refused.empty());
  }
}

TEST(LintJson, keys_and_words_come_in_quotes_and_numbers_do_not) {
  const std::string after = mended({{"given.json", kJsonPool}}).files[0].text;
  EXPECT_THAT(after, HasSubstr(R"("gpu": {"models": ["a10g"], "countsPerNode": [1]})"));
  EXPECT_THAT(after, HasSubstr(R"({"type": "Spot", "maxGpus": 8, "noticeSeconds": 120})"));
  EXPECT_THAT(after, HasSubstr(R"("mode": "TimeSlicing")"));
}

// A YAML file may hold JSON all the same.
TEST(LintJson, a_file_of_several_documents_of_which_one_is_json_is_yaml) {
  const std::string both = kJsonPool + "---\n" + exchanged(kPool, "name: t4\n", "name: other\n");
  EXPECT_THAT(mended({{"given.yaml", both}}).files[0].text, HasSubstr("countsPerNode"));
}

TEST(LintJson, a_byte_order_mark_stays_in_front) {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string one_line =
      R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": "t4"}, )"
      R"("spec": {"gpu": {"models": ["A10G"]}, "capacity": [{"type": "Spot", "maxGpus": 8}], )"
      R"("nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "d"}}})";
  for (const std::string& text : {kJsonPool, one_line})
    EXPECT_EQ(mended({{"given.json", mark + text}}).files[0].text, mark + mended({{"given.json", text}}).files[0].text);
  EXPECT_THAT(mended({{"given.json", mark + one_line}}).files[0].text, HasSubstr("a10g"));
}

// Objects as jq -c writes them.
TEST(LintJson, objects_one_after_another_are_each_read_and_stay_json) {
  std::string line = kJsonPool;
  std::erase(line, '\n');
  const std::string other = exchanged(line, R"("name": "t4")", R"("name": "u4")");
  for (const std::string between : {"\n", " ", ""}) {
    const std::string stream = line + between + other + "\n";
    EXPECT_EQ(count_objects({{"given.json", stream}}).checked, 2);
    EXPECT_EQ(mended({{"given.json", stream}}).files[0].text, mended({{"given.json", line}}).files[0].text + between +
                                                                  mended({{"given.json", other}}).files[0].text + "\n");
  }
  EXPECT_EQ(count_objects({{"given.json", line + "\nnonsense\n"}}).checked,
            count_objects({{"given.yaml", line + "\nnonsense\n"}}).checked);
}

TEST(LintJson, a_mend_that_would_break_the_json_is_refused) {
  const Finding wrong{
      .rule = "wrong", .file = "given.json", .object = "GpuPool t4", .mend = {{{3, 11}, {3, 20}, "GpuPool"}}};
  std::vector<Finding> refused;
  EXPECT_EQ(mended_text({"given.json", kJsonPool}, {wrong}, refused), kJsonPool);
  EXPECT_EQ(refused.size(), 1U);
}

}  // namespace
}  // namespace reprise::apps::lint
