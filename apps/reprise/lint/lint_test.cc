#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "apps/common/nearest.h"
#include "apps/reprise/lint/check.h"
#include "apps/reprise/lint/diff.h"
#include "apps/reprise/lint/output.h"
#include "apps/reprise/lint/samples_for_tests.h"

namespace reprise::apps::lint {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Row {
  const char* sentence;
  std::string_view base;
  std::string_view good, bad;  // the exchanged texts
  const char* rule;
  const char* message;
  bool mends = true;
};

// A job is looked at beside its pool.
std::vector<File> files_of(std::string_view base, std::string text) {
  std::vector<File> files{{"given.yaml", std::move(text)}};
  if (base == kJob) files.push_back({"pool.yaml", kPool});
  if (base == kPool) files.push_back({"job.yaml", kJob});
  return files;
}

const Finding* finding_of(const std::vector<Finding>& findings, const Row& row) {
  const auto found = std::ranges::find_if(findings, [&](const Finding& each) {
    return each.rule == row.rule && each.message.find(row.message) != std::string::npos;
  });
  return found == findings.end() ? nullptr : &*found;
}

const std::vector<Row> kRows{
    // Rules of the API server.
    {"a misspelt field", kPool, "replicas: 4", "replica: 4", "unknown-field", "write replicas"},
    {"a field of another case", kJob, "poolName:", "poolname:", "unknown-field", "write poolName"},
    {"a misspelt field of the pod", kJob, "resources:\n          limits", "resourcs:\n          limits",
     "unknown-field", "write resources"},
    {"a misspelt value", kPool, "mode: TimeSlicing", "mode: timeslicing", "schema", "must be one of"},
    {"a duration where seconds are wanted", kJob, "periodSeconds: 600", "periodSeconds: 10m", "schema", "write 600"},
    {"a number in quotes", kJob, "parallelism: 2", "parallelism: \"2\"", "schema", "write 2"},
    {"a number too small", kPool, "maxGpus: 8", "maxGpus: 0", "schema", "greater than or equal to 1"},
    {"a word for a truth value", kJob, "parallelism: 2", "parallelism: 2\n  suspend: \"yes\"", "schema",
     "type boolean"},
    {"a required field that is missing", kJob, "    path: /checkpoints\n", "", "schema", "is missing", false},
    {"no name", kPool, "  name: t4\n", "  labels: {a: b}\n", "schema", "is missing", false},
    {"another version", kPool, "reprise.dev/v1alpha1", "reprise.dev/v1", "schema", "must be reprise.dev/v1alpha1"},
    {"one volume that two cannot share", kJob, "[ReadWriteMany]", "[ReadWriteOnce]", "schema",
     "must contain ReadWriteMany"},
    {"slices of whole GPUs", kPool, "mode: TimeSlicing, ", "mode: Exclusive, ", "schema",
     "must be set only when mode is"},
    {"a label that is the operator's", kJob, "{app: finetune}", "{app: finetune, reprise.dev/job: x}", "schema",
     "the operator sets them itself"},
    {"a node chosen past the scheduler", kJob, "    spec:\n      containers",
     "    spec:\n      nodeName: a\n      containers", "schema", "the scheduler chooses the node"},
    {"a quantity with a letter too many", kJob, "storage: 50Gi", "storage: 50GiB", "quantity", "write 50Gi"},
    // Rules of the operator.
    {"a field that the operator does not act on", kJob, "periodSeconds: 600",
     "periodSeconds: 600\n    snapshot: {className: csi-snap}", "operator/NotSupported", "remove it"},
    {"fencing by silence", kJob, "parallelism: 2", "parallelism: 2\n  fencing: Silence", "operator/NotSupported",
     "write Proof"},
    {"a pool that is shared in a way for which Karpenter makes no nodes", kPool, "{mode: TimeSlicing, replicas: 4}",
     "{mode: External, external: {preset: HAMi, unitsPerGpu: 10, memoryMiBPerUnit: 1500}}", "operator/InvalidSpec",
     "found HAMi", false},
    {"a pool whose GPUs cannot be partitioned", kPool, "{mode: TimeSlicing, replicas: 4}",
     "{mode: MIG, migDevices: [{profile: 1g.5gb, count: 7}]}", "operator/InvalidSpec", "cannot be cut by MIG", false},
    {"more GPUs kept warm than the pool may rent", kPool,
     "  sharing:", "  warm: {gpus: 99}\n  sharing:", "operator/InvalidSpec", "found 99, must be at most 8", false},
    {"an hour that there is not", kPool, "  sharing:",
     "  warm: {schedules: [{schedule: 0 25 * * *, durationSeconds: 60, gpus: 1}]}\n  sharing:", "operator/InvalidSpec",
     "the hour is 25, must be 0 to 23", false},
    {"a schedule that is none of cron's", kPool,
     "  sharing:", "  warm: {schedules: [{schedule: at noon, durationSeconds: 60, gpus: 1}]}\n  sharing:", "schema",
     "found \"at noon\", should match", false},
    {"whole GPUs of a pool that shares", kJob, "{reprise.dev/gpu: 1, memory", "{nvidia.com/gpu: 1, memory",
     "operator/WholeGpuRequested", "shares its GPUs", false},
    {"more slices than one", kJob, "reprise.dev/gpu: 1", "reprise.dev/gpu: 2", "operator/InvalidUnits", "must be 1"},
    {"pods that start again", kJob,
     "      containers:", "      restartPolicy: Always\n      containers:", "operator/RestartPolicy", "Never"},
    // NodePools.
    {"a version that is not served", kNodePool, "karpenter.sh/v1\n", "karpenter.sh/v1beta1\n", "node-pool-version",
     "write karpenter.sh/v1"},
    {"a node class by version", kNodePool, "group: karpenter.k8s.aws", "apiVersion: karpenter.k8s.aws/v1beta1",
     "node-pool-version", "write group: karpenter.k8s.aws"},
    {"a node class without its group", kNodePool, "        group: karpenter.k8s.aws\n", "", "node-pool-version",
     "write group: karpenter.k8s.aws"},
    {"expiry where v1beta1 had it", kNodePool, "consolidateAfter: 5m}", "consolidateAfter: 5m, expireAfter: 720h}",
     "node-pool-version", "spec.template.spec.expireAfter"},
    {"consolidation as v1beta1 named it", kNodePool, "WhenEmpty,", "WhenUnderutilized,", "node-pool-version",
     "WhenEmptyOrUnderutilized"},
    {"kubelet configuration", kNodePool, "      expireAfter: Never",
     "      kubelet: {maxPods: 20}\n      expireAfter: Never", "node-pool-version", "node class", false},
    {"limits one level too deep", kNodePool, "limits: {nvidia.com/gpu: \"8\"}",
     "limits:\n    resources:\n      nvidia.com/gpu: \"8\"", "node-pool-version", "limits are flat"},
    {"limits one level too deep, in one line", kNodePool, "limits: {nvidia.com/gpu: \"8\"}",
     "limits: {resources: {nvidia.com/gpu: \"8\"}}", "node-pool-version", "limits are flat"},
    {"a duration in days", kNodePool, "consolidateAfter: 5m", "consolidateAfter: 1d", "schema", "write 24h"},
    {"a duration without a unit", kNodePool, "terminationGracePeriod: 2m", "terminationGracePeriod: 120", "schema",
     "type string"},
    {"a capacity type that is a label", kNodePool, "        team: vision\n",
     "        team: vision\n        karpenter.sh/capacity-type: spot\n", "node-pool-label", "write a requirement"},
    {"a label that is Karpenter's", kNodePool, "        team: vision\n",
     "        team: vision\n        karpenter.sh/nodepool: x\n", "node-pool-label", "remove it"},
    {"a label that is the operator's, on nodes", kNodePool, "        team: vision\n",
     "        team: vision\n        reprise.dev/pool: x\n", "node-pool-label", "takes the node for one of a GpuPool"},
    {"a capacity type that is none", kNodePool, "values: [spot]", "values: [cheap]", "schema",
     "must be spot, on-demand or reserved", false},
    {"half a schedule", kNodePool, "consolidateAfter: 5m}",
     "consolidateAfter: 5m, budgets: [{nodes: \"1\", schedule: \"@daily\"}]}", "schema",
     "schedule and duration must be set together", false},
    {"an operator without values", kNodePool, "operator: In, values: [a10g]", "operator: In", "schema",
     "values must be set for the operators In and NotIn", false},
    {"no grace for a drain", kNodePool, "      terminationGracePeriod: 2m\n", "", "node-pool-grace",
     "holds up the drain"},
    {"nodes that expire", kNodePool, "expireAfter: Never", "expireAfter: 24h", "node-pool-expiry", "write Never"},
    {"nodes that expire by default", kNodePool, "      expireAfter: Never\n", "", "node-pool-expiry", "720h"},
    {"GPU nodes without a taint", kNodePool,
     "      taints:\n      - {key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}\n", "", "node-pool-taint",
     "has no taint"},
    {"no limits", kNodePool, "  limits: {nvidia.com/gpu: \"8\"}\n", "", "node-pool-limits", "nothing bounds", false},
    {"trainers moved to save money", kNodePool, "consolidationPolicy: WhenEmpty,", "", "node-pool-consolidation",
     "write WhenEmpty"},
    // Possible improvements.
    {"an image without a version", kJob, "trainer:1", "trainer", "image-tag", "another image", false},
    {"an image that changes", kJob, "trainer:1", "trainer:latest", "image-tag", "another image", false},
    {"a shell around the trainer", kJob, "[python, train.py]", "[sh, -c, python train.py]", "shell-signals", "exec"},
    {"a pipe that swallows the code", kJob, "[python, train.py]", "[bash, -lc, \"python train.py | tee log\"]",
     "shell-exit-code", "set -o pipefail", false},
    {"a loop in args", kJob, "[python, train.py]", "[bash]\n        args: [-ceu, \"until python t.py; do :; done\"]",
     "shell-exit-code", "starts it again", false},
    {"a shell with flags in one word", kJob, "[python, train.py]", "[bash, -ec, \"exec python t.py | tee log\"]",
     "shell-signals", "begin its line", false},
    {"a trap that ignores", kJob, "[python, train.py]", "[bash, -c, \"trap '' TERM; python train.py\"]",
     "shell-signals", "ignored", false},
    {"a trap of EXIT", kJob, "[python, train.py]", "[bash, -c, \"trap 'echo x' EXIT; python train.py\"]",
     "shell-signals", "traps EXIT", false},
    {"a command in one word", kJob, "[python, train.py]", "[\"python train.py\"]", "command-words", "one program",
     false},
    {"no GPU of the pool", kJob, "{reprise.dev/gpu: 1, memory: 8Gi}", "{memory: 8Gi}", "no-gpu", "asks for no GPU"},
    {"no memory", kJob, ", memory: 8Gi", "", "no-memory", "asks for no memory", false},
    {"no period", kJob, "    periodSeconds: 600\n", "", "no-period", "ten minutes"},
    {"nobody who rotates", kJob, "    keep: 2\n", "", "no-keep", "no checkpoint is ever deleted"},
    {"a timeout in which no checkpoint may come", kJob, "parallelism: 2",
     "parallelism: 2\n  progressTimeoutSeconds: 900", "timeout-within-period", "its agent waits 1200 s", false},
    {"a grace that the notice does not give", kJob, "graceSeconds: 110", "graceSeconds: 300", "grace-beyond-notice",
     "120 s of notice"},
    {"checkpoints that go with the job", kJob, "      access: Shared\n",
     "      access: Shared\n      whenDeleted: Delete\n", "deletes-its-result", "ttlSecondsAfterFinished"},
    {"a pool without a bound", kPool, "maxGpus: 8, ", "", "no-limit", "nothing bounds", false},
    {"a notice that the provider does not give", kPool, "noticeSeconds: 120", "noticeSeconds: 300", "notice-too-long",
     "write 120"},
    {"a pool of any GPU", kPool, "gpu: {models: [t4], ", "gpu: {", "any-gpu", "any GPU", false},
    // A job beside its pool.
    {"a gang larger than the pool", kJob, "parallelism: 2", "parallelism: 40", "pool-too-small", "never starts", false},
    {"capacity that the pool has not", kJob, "parallelism: 2", "parallelism: 2\n  placement: {capacity: OnDemandOnly}",
     "no-such-capacity", "has no such capacity", false},
    {"a zone that the pool has not", kJob, "parallelism: 2", "parallelism: 2\n  placement: {zones: [mars]}",
     "no-such-zone", "none of the zones", false},
    {"a misspelt pool", kJob, "poolName: t4", "poolName: t44", "pool-name", "write t4", true},
};

TEST(Lint, what_is_good_is_left_alone) {
  EXPECT_EQ(show(check_files({{"job.yaml", kJob}, {"pool.yaml", kPool}, {"node-pool.yaml", kNodePool}}), Format::Text),
            "");
}

TEST(Lint, each_rule_finds_its_own_and_its_mend_ends_it) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.sentence);
    std::string base(row.base);
    std::string text = exchanged(base, row.good, row.bad);
    if (std::string_view(row.rule) == "deletes-its-result") text += "  ttlSecondsAfterFinished: 60\n";
    std::vector<File> files = files_of(row.base, text);
    if (std::string_view(row.rule) == "pool-name")
      files[1].text = exchanged(kPool, "name: t4", "name: t4x"),
      files[0].text = exchanged(kJob, "poolName: t4", "poolName: t4y");
    const std::vector<Finding> findings = check_files(files);
    const Finding* found = finding_of(findings, row);
    ASSERT_NE(found, nullptr) << text << show(findings, Format::Text);
    EXPECT_GT(found->at.line, 0);
    EXPECT_EQ(found->file, "given.yaml");
    EXPECT_EQ(!found->mend.empty(), row.mends) << show(findings, Format::Text);
    if (!row.mends) continue;
    const std::vector<File> after = mended(files).files;
    EXPECT_NE(after[0].text, files[0].text);
    EXPECT_EQ(show(check_files(after), Format::Text), "") << after[0].text;
  }
}

TEST(Lint, more_slices_than_mps_serves_on_an_old_gpu_are_as_many_as_it_serves_after_the_mend) {
  std::string text = exchanged(kPool, "models: [t4]", "models: [v100]");
  text = exchanged(text, "mode: TimeSlicing, replicas: 4", "mode: MPS, replicas: 32");
  const std::vector<File> files{{"pool.yaml", text}};
  EXPECT_THAT(show(check_files(files), Format::Text), HasSubstr("pool.yaml:11:"));
  EXPECT_THAT(show(check_files(files), Format::Text), HasSubstr("found 32, MPS serves at most 16"));
  const std::string after = mended(files).files[0].text;
  EXPECT_THAT(after, HasSubstr("{mode: MPS, replicas: 16}"));
  EXPECT_EQ(show(check_files({{"pool.yaml", after}}), Format::Text), "");
}

TEST(Lint, an_old_sample_becomes_a_node_pool_of_today) {
  const std::vector<File> files{{"old.yaml", kOldSample}};
  EXPECT_THAT(show(check_files(files), Format::Text),
              HasSubstr("old.yaml:8:1: error: NodePool gpu-spot: spec: found no spec.template"));
  const std::string after = mended(files).files[0].text;
  EXPECT_THAT(after, StartsWith("# GPU nodes\napiVersion: karpenter.sh/v1\nkind: NodePool\n"));
  EXPECT_THAT(after, HasSubstr("nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n"));
  EXPECT_THAT(after, HasSubstr("- {key: karpenter.sh/capacity-type, operator: In, values: [spot]}\n"));
  EXPECT_THAT(after, HasSubstr("# the cheap ones\n"));
  EXPECT_EQ(show(check_files({{"old.yaml", after}}), Format::Text), "") << after;
}

TEST(Lint, a_provisioner_becomes_a_node_pool) {
  const std::string after = mended({{"p.yaml", R"(apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: gpu}
spec:
  providerRef: {name: default}
  requirements:
  - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [t4]}
  ttlSecondsAfterEmpty: 60
  ttlSecondsUntilExpired: 604800
  limits: {resources: {nvidia.com/gpu: "4"}}
)"}})
                                .files[0]
                                .text;
  EXPECT_THAT(after, HasSubstr("apiVersion: karpenter.sh/v1\nkind: NodePool\n"));
  EXPECT_THAT(after, HasSubstr("consolidationPolicy: WhenEmpty\n"));
  EXPECT_THAT(after, HasSubstr("consolidateAfter: 60s\n"));
  EXPECT_EQ(show(check_files({{"p.yaml", after}}), Format::Text), "") << after;
}

TEST(Lint, what_has_no_place_in_the_new_shape_is_not_thrown_away) {
  const std::vector<File> files{
      {"p.yaml", exchanged(kOldSample, "  limits:", "  kubeletConfiguration: {maxPods: 20}\n  limits:")}};
  EXPECT_THAT(mended(files).files[0].text, HasSubstr("kubeletConfiguration: {maxPods: 20}"));
}

TEST(Lint, nothing_is_said_about_what_a_cluster_may_have) {
  for (const char* with : {"poolName: other", "poolName: t4\n  backoffLimit: 1"}) {
    const std::string text = exchanged(kJob, "poolName: t4", with);
    EXPECT_EQ(show(check_files({{"job.yaml", text}}), Format::Text), "") << with;
  }
  const std::string claimed = exchanged(kJob,
                                        "      claimTemplate:\n        spec:\n          accessModes: [ReadWriteMany]\n"
                                        "          resources:\n            requests: {storage: 50Gi}\n",
                                        "      claimName: theirs\n");
  EXPECT_EQ(show(check_files({{"job.yaml", claimed}}), Format::Text), "");
  const std::string closed = kPool + "  allowedNamespaces: {matchLabels: {team: speech}}\n";
  EXPECT_EQ(show(check_files({{"job.yaml", kJob}, {"pool.yaml", closed}}), Format::Text), "");
}

TEST(Lint, a_namespace_among_the_files_is_held_against_the_pool) {
  const std::string closed =
      kPool +
      "  allowedNamespaces: {matchLabels: {team: speech}}\n---\napiVersion: v1\nkind: Namespace\n"
      "metadata: {name: vision, labels: {team: vision}}\n";
  EXPECT_THAT(show(check_files({{"job.yaml", kJob}, {"pool.yaml", closed}}), Format::Text),
              HasSubstr("job.yaml:7:3: error: ResumableJob vision/finetune: spec.poolName: "));
}

TEST(Lint, a_node_pool_of_a_name_that_a_pool_would_take_is_found) {
  const std::string taken = exchanged(kNodePool, "name: a10g\n", "name: t4-spot\n");
  EXPECT_THAT(show(check_files({{"a.yaml", kPool}, {"b.yaml", taken}}), Format::Text),
              HasSubstr("NodePool t4-spot exists and is not this pool's"));
}

TEST(Lint, what_is_no_yaml_is_named_by_its_line_and_the_other_documents_are_looked_at) {
  const std::string text = "a: [\n---\n" + exchanged(kPool, "maxGpus: 8", "maxGpu: 8");
  const std::string found = show(check_files({{"x.yaml", text}}), Format::Text);
  EXPECT_THAT(found, HasSubstr("error: "));
  EXPECT_THAT(found, HasSubstr("x.yaml:12:18: error: GpuPool t4: spec.capacity[0].maxGpu: "));
}

TEST(Lint, items_of_a_list_and_json_are_objects_too) {
  const std::string list =
      R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool",
    "metadata": {"name": "t4"}, "spec": {"gpus": 4}}]})";
  EXPECT_THAT(show(check_files({{"l.json", list}}), Format::Text),
              HasSubstr("l.json:2:42: error: GpuPool t4: spec.gpus: "));
}

TEST(Lint, other_kinds_are_none_of_its_business) {
  EXPECT_THAT(check_files({{"d.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {x: 1}\n"}}),
              IsEmpty());
  EXPECT_THAT(check_files({{"e.yaml", "# nothing\n"}, {"f.yaml", "just text\n"}, {"g.yaml", "- 1\n"}}), IsEmpty());
}

TEST(Lint, a_kind_of_the_group_that_is_none_is_an_error_with_what_was_meant) {
  const std::vector<File> files{{"k.yaml", exchanged(kPool, "kind: GpuPool", "kind: GpuPol")}};
  EXPECT_EQ(show(check_files(files), Format::Text),
            "k.yaml:2:1: error: GpuPol t4: kind: found GpuPol, which is no kind of reprise.dev, must be GpuPool or "
            "ResumableJob; write GpuPool [unknown-kind] (--fix)\n");
  EXPECT_EQ(mended(files).files[0].text, kPool);
  const std::string other = exchanged(kPool, "kind: GpuPool", "kind: Widget");
  EXPECT_THAT(show(check_files({{"k.yaml", other}}), Format::Text),
              HasSubstr("must be GpuPool or ResumableJob [unknown-kind]\n"));
  const std::string none = exchanged(kPool, "kind: GpuPool\n", "");
  EXPECT_THAT(show(check_files({{"k.yaml", none}}), Format::Text), HasSubstr("is missing, must be GpuPool"));
}

TEST(Lint, a_group_that_looks_like_ours_is_a_warning_and_so_is_our_kind_in_another) {
  for (const char* version : {"reprise.io/v1alpha1", "reprise.dve/v1alpha1", "gpus.example.com/v1"}) {
    const std::string found =
        show(check_files({{"g.yaml", exchanged(kPool, "reprise.dev/v1alpha1", version)}}), Format::Text);
    EXPECT_THAT(found, StartsWith("g.yaml:1:1: warning: GpuPool t4: apiVersion: found " + std::string(version) +
                                  ", of which nothing is checked; if it is meant to be reprise.dev, write "
                                  "reprise.dev/v1alpha1 [unknown-group]"));
  }
  const std::string misspelt = exchanged(exchanged(kPool, "reprise.dev", "reprise.io"), "GpuPool", "gpu-pol");
  EXPECT_EQ(mended({{"g.yaml", misspelt}}).files[0].text, kPool);
  const std::vector<File> theirs{{"g.yaml", exchanged(kPool, "reprise.dev/v1alpha1", "gpus.example.com/v1")}};
  EXPECT_EQ(mended(theirs).files[0].text, theirs[0].text) << "somebody else's kind stays as it is";
}

TEST(Lint, what_is_checked_is_counted) {
  const ObjectCounts counts = count_objects({{"a.yaml", kPool + "---\n" + kJob},
                                             {"b.yaml", kNodePool},
                                             {"c.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"},
                                             {"d.yaml", "# nothing\n"},
                                             {"e.yaml", ""},
                                             {"f.yaml", exchanged(kPool, "reprise.dev", "reprise.io")}});
  EXPECT_EQ(counts.checked, 3);
  EXPECT_EQ(counts.others, 2);
}

TEST(Lint, the_formats_name_file_line_and_severity) {
  const std::vector<Finding> findings = check_files({{"x.yaml", exchanged(kPool, "maxGpus: 8", "maxGpu: 8")}});
  EXPECT_THAT(show(findings, Format::Json),
              HasSubstr(R"("severity":"error","rule":"unknown-field","file":"x.yaml","line":10)"));
  EXPECT_THAT(show(findings, Format::GitHub),
              HasSubstr("::error file=x.yaml,line=10,col=18,title=reprise lint unknown-field::GpuPool t4"));
  EXPECT_THAT(show(findings, Format::Sarif), HasSubstr(R"("ruleId":"unknown-field","level":"error")"));
}

TEST(Lint, a_difference_is_one_that_patch_takes) {
  EXPECT_EQ(unified_diff("f", "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nX\nf\n"),
            "--- f\n+++ f\n@@ -2,5 +2,5 @@\n b\n c\n d\n-e\n+X\n f\n");
  EXPECT_EQ(unified_diff("f", "a\n", "a\n"), "");
  EXPECT_EQ(unified_diff("f", "a", "b"),
            "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("f", "", "b\n"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+b\n");
}

TEST(Lint, only_what_is_near_is_meant) {
  const std::vector<std::string> known{"models", "minMemoryMiB", "countsPerNode", "mode"};
  EXPECT_EQ(nearest("min_memory_mib", known), "minMemoryMiB");
  EXPECT_EQ(nearest("countPerNodes", known), "countsPerNode");
  EXPECT_EQ(nearest("replicas", known), std::nullopt);
}

}  // namespace
}  // namespace reprise::apps::lint
