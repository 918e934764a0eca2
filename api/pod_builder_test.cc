#include "api/pod_builder.h"

#include <gtest/gtest.h>

#include <functional>

#include "runtime/kube/internal/tree.h"

namespace reprise::api {
namespace {

constexpr const char* kTemplate = R"({
  "metadata": {"labels": {"app": "a", "reprise.dev/job": "forged"}, "annotations": {"note": "x"}},
  "spec": {
    "shareProcessNamespace": true, "dnsPolicy": "ClusterFirst", "priority": 5,
    "securityContext": {"runAsUser": 1000, "fsGroup": 2000},
    "nodeSelector": {"kubernetes.io/arch": "arm64"},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {"podAntiAffinity": {"x": [1, 2.5, null, true, "y"]}},
    "initContainers": [{"name": "fetch", "image": "f", "resources": {"limits": {"reprise.dev/gpu": 1}}}],
    "containers": [
      {"name": "sidecar", "image": "s", "command": ["log"], "resources": {"requests": {"reprise.dev/gpu": "1", "cpu": "1"}}},
      {"name": "trainer", "image": "t", "command": ["python", "train.py"], "args": ["--epochs", "3"], "stdin": true, "tty": true,
       "env": [{"name": "EPOCHS", "value": "3"}, {"name": "REPRISE_ATTEMPT", "value": "mine"}],
       "livenessProbe": {"exec": {"command": ["true"]}}, "lifecycle": {"preStop": {"exec": {"command": ["save"]}}},
       "resources": {"limits": {"reprise.dev/gpu": 2}, "requests": {"reprise.dev/gpu": 2}},
       "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "imagenet"}}]}})";

PodBuilder a_pod_builder() {
  PodBuilder b;
  b.name = "finetune-3-0";
  b.namespace_ = "vision";
  b.labels = {{"reprise.dev/job", "finetune"}};
  b.annotations = {{"karpenter.sh/do-not-disrupt", "true"}};
  b.owner = {.api_version = "reprise.dev/v1alpha1",
             .kind = "ResumableJob",
             .name = "finetune",
             .uid = "j1",
             .controller = true,
             .block_owner_deletion = true};
  b.template_json = kTemplate;
  b.container = "trainer";
  b.wrapper = {"/reprise/reprise-agent", "run", "--"};
  b.env = {{.name = "REPRISE_ATTEMPT", .value = "3", .field_path = ""},
           {.name = "REPRISE_POD_UID", .value = "", .field_path = "metadata.uid"}};
  b.agent_image = "example.com/agent:1";
  b.claim_name = "finetune-checkpoints";
  b.checkpoint_path = "/checkpoints";
  b.node_selector = {{"kubernetes.io/arch", "amd64"}, {"reprise.dev/pool", "t4"}};
  b.tolerations = {
      {.key = "nvidia.com/gpu", .op = "Exists", .value = "", .effect = "NoSchedule", .toleration_seconds = {}},
      {.key = "nvidia.com/gpu", .op = "Exists", .value = "", .effect = "NoExecute", .toleration_seconds = 30}};
  b.resource_names = {{"reprise.dev/gpu", "nvidia.com/gpu.shared"}};
  b.hostname = "finetune-0";
  b.subdomain = "finetune-rj";
  b.termination_grace_period_seconds = 120;
  return b;
}

Json::Value render(const PodBuilder& pod_builder) {
  const auto text = render_pod(pod_builder);
  EXPECT_TRUE(text) << (text ? "" : text.error().path + ": " + text.error().message);
  return text ? kube::internal::parse_tree(*text).value() : Json::Value();
}

std::string json(const Json::Value& tree) {
  return kube::internal::to_text(tree);
}

TEST(PodBuilder, what_is_not_named_passes_through_untouched) {
  const auto pod = render(a_pod_builder());
  const auto original = kube::internal::parse_tree(kTemplate).value();
  for (const char* const key : {"shareProcessNamespace", "dnsPolicy", "priority", "securityContext", "affinity"}) {
    EXPECT_EQ(pod["spec"][key], original["spec"][key]) << key;
  }
  const auto& trainer = pod["spec"]["containers"][1];
  for (const char* const key : {"name", "image", "args", "stdin", "tty", "livenessProbe", "lifecycle"}) {
    EXPECT_EQ(trainer[key], original["spec"]["containers"][1][key]) << key;
  }
  EXPECT_EQ(pod["spec"]["containers"][0]["command"], original["spec"]["containers"][0]["command"]);
  EXPECT_EQ(pod["spec"]["containers"][0].getMemberNames(), original["spec"]["containers"][0].getMemberNames());
}

TEST(PodBuilder, metadata_is_the_builders_and_its_labels_win) {
  const auto pod = render(a_pod_builder());
  EXPECT_EQ(json(pod["metadata"]["labels"]), R"({"app":"a","reprise.dev/job":"finetune"})");
  EXPECT_EQ(json(pod["metadata"]["annotations"]), R"({"karpenter.sh/do-not-disrupt":"true","note":"x"})");
  EXPECT_EQ(pod["metadata"]["name"], "finetune-3-0");
  EXPECT_EQ(pod["metadata"]["ownerReferences"][0]["uid"], "j1");
  EXPECT_EQ(pod["metadata"]["ownerReferences"].size(), 1U);
}

TEST(PodBuilder, the_agent_comes_before_the_command_and_args_stay) {
  const auto trainer = render(a_pod_builder())["spec"]["containers"][1];
  EXPECT_EQ(json(trainer["command"]), R"(["/reprise/reprise-agent","run","--","python","train.py"])");
  EXPECT_EQ(json(trainer["args"]), R"(["--epochs","3"])");
}

TEST(PodBuilder, env_comes_first_and_overrides_nothing) {
  const auto trainer = render(a_pod_builder())["spec"]["containers"][1];
  EXPECT_EQ(json(trainer["env"]),
            R"([{"name":"REPRISE_POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}},)"
            R"({"name":"REPRISE_POD_ENTRIES","value":"4"},)"
            R"({"name":"EPOCHS","value":"3"},{"name":"REPRISE_ATTEMPT","value":"mine"}])");
}

TEST(PodBuilder, the_agent_writes_its_record_where_kubernetes_reads_it) {
  auto pod_builder = a_pod_builder();
  pod_builder.env.clear();
  pod_builder.wrapper.clear();
  const auto env_with = [&](const std::string& more) {
    pod_builder.template_json = R"({"spec":{"containers":[{"name":"trainer","command":["a"])" + more + "}]}}";
    return json(render(pod_builder)["spec"]["containers"][0]["env"]);
  };
  EXPECT_EQ(env_with(""), "null");
  EXPECT_EQ(env_with(R"(,"terminationMessagePath":"/logs/end")"),
            R"([{"name":"REPRISE_TERMINATION_LOG","value":"/logs/end"}])");
  EXPECT_EQ(
      env_with(R"(,"terminationMessagePath":"/logs/end","env":[{"name":"REPRISE_TERMINATION_LOG","value":"/x"}])"),
      R"([{"name":"REPRISE_TERMINATION_LOG","value":"/x"}])");
  pod_builder.standby_command = {"/reprise/reprise-agent", "pause"};
  EXPECT_EQ(env_with(R"(,"terminationMessagePath":"/logs/end")"), "null");
}

// The kubelet divides what it reads of a record by this number.
TEST(PodBuilder, the_agent_is_told_how_many_entries_its_pod_has) {
  auto pod_builder = a_pod_builder();
  const auto told = [&] {
    const auto pod = render(pod_builder)["spec"];
    const auto entries = std::to_string(pod["containers"].size() + pod["initContainers"].size());
    const std::string env = json(pod["containers"][1]["env"]);
    EXPECT_TRUE(env.contains(R"({"name":"REPRISE_POD_ENTRIES","value":")" + entries + "\"}")) << env;
    return entries;
  };
  EXPECT_EQ(told(), "4") << "two containers, one of the template's before them, and the agent's installation";
  pod_builder.list_command = {"/reprise/reprise-agent", "list-checkpoints"};
  EXPECT_EQ(told(), "5");
  pod_builder.agent_image.clear();
  EXPECT_EQ(told(), "4");
}

TEST(PodBuilder, the_agent_is_installed_before_anything_else_runs) {
  const auto pod = render(a_pod_builder());
  const auto& init = pod["spec"]["initContainers"];
  ASSERT_EQ(init.size(), 2U);
  EXPECT_EQ(init[0]["name"], "reprise-agent-install");
  EXPECT_EQ(json(init[0]["command"]), R"(["/reprise-agent","install","/reprise"])");
  EXPECT_EQ(init[0]["securityContext"]["runAsUser"], 1000);
  EXPECT_EQ(init[0]["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(init[0]["securityContext"]["capabilities"]["drop"][0], "ALL");
  EXPECT_EQ(json(init[0]["volumeMounts"]), R"([{"mountPath":"/reprise","name":"reprise-agent"}])");
  EXPECT_EQ(init[1]["name"], "fetch");
  EXPECT_EQ(
      json(pod["spec"]["volumes"]),
      R"([{"name":"data","persistentVolumeClaim":{"claimName":"imagenet"}},{"emptyDir":{},"name":"reprise-agent"},)"
      R"({"name":"reprise-checkpoints","persistentVolumeClaim":{"claimName":"finetune-checkpoints"}},)"
      R"({"downwardAPI":{"items":[{"fieldRef":{"fieldPath":"metadata.annotations"},"path":"annotations"}]},"name":"reprise-podinfo"}])");
}

TEST(PodBuilder, what_lists_the_checkpoints_is_the_trainer_without_what_makes_it_train) {
  auto pod_builder = a_pod_builder();
  pod_builder.list_command = {"/reprise/reprise-agent", "list-checkpoints"};
  const auto pod = render(pod_builder);
  const auto& inits = pod["spec"]["initContainers"];
  ASSERT_EQ(inits.size(), 3U);
  const auto& list = inits[2];
  const auto& training = pod["spec"]["containers"][1];
  EXPECT_EQ(list["name"], "reprise-list-checkpoints") << "the last: a container of the user's may prepare the volume";
  EXPECT_EQ(json(list["command"]), R"(["/reprise/reprise-agent","list-checkpoints"])");
  for (const char* const same : {"image", "env", "volumeMounts", "securityContext"})
    EXPECT_EQ(json(list[same]), json(training[same])) << same;
  for (const char* const without : {"args", "livenessProbe", "lifecycle", "stdin", "tty"})
    EXPECT_FALSE(list.isMember(without)) << without;
  EXPECT_EQ(json(list["resources"]).find("gpu"), std::string::npos) << "it waits for no GPU";
  EXPECT_TRUE(training.isMember("livenessProbe"));

  pod_builder.list_command.clear();
  EXPECT_EQ(render(pod_builder)["spec"]["initContainers"].size(), 2U);
}

TEST(PodBuilder, a_trainer_that_runs_as_root_has_its_agent_installed_as_root) {
  auto pod_builder = a_pod_builder();
  pod_builder.template_json =
      R"({"spec":{"containers":[{"name":"trainer","command":["a"],"securityContext":{"runAsUser":0}}]}})";
  const auto security = render(pod_builder)["spec"]["initContainers"][0]["securityContext"];
  EXPECT_EQ(security["runAsUser"], 0);
  EXPECT_EQ(security["runAsNonRoot"], false);
}

TEST(PodBuilder, the_training_container_sees_agent_checkpoints_and_pod_info) {
  EXPECT_EQ(json(render(a_pod_builder())["spec"]["containers"][1]["volumeMounts"]),
            R"([{"mountPath":"/data","name":"data"},{"mountPath":"/reprise","name":"reprise-agent"},)"
            R"({"mountPath":"/checkpoints","name":"reprise-checkpoints"},)"
            R"({"mountPath":"/reprise-podinfo","name":"reprise-podinfo","readOnly":true}])");
}

TEST(PodBuilder, a_mount_of_the_users_own_is_not_doubled) {
  auto pod_builder = a_pod_builder();
  pod_builder.checkpoint_path = "/data/";
  const auto pod = render(pod_builder);
  EXPECT_EQ(json(pod).find("reprise-checkpoints"), std::string::npos);
  pod_builder.claim_name.clear();
  pod_builder.checkpoint_path = "/elsewhere";
  EXPECT_EQ(json(render(pod_builder)).find("reprise-checkpoints"), std::string::npos);
}

TEST(PodBuilder, without_an_image_or_pod_info_nothing_of_them_is_there) {
  auto pod_builder = a_pod_builder();
  pod_builder.agent_image.clear();
  pod_builder.pod_info = false;
  const auto pod = render(pod_builder);
  EXPECT_EQ(pod["spec"]["initContainers"].size(), 1U);
  EXPECT_EQ(pod["spec"]["volumes"].size(), 2U);
}

TEST(PodBuilder, units_are_renamed_in_every_container) {
  const auto pod = render(a_pod_builder());
  EXPECT_EQ(json(pod).find("reprise.dev/gpu\""), std::string::npos);
  EXPECT_EQ(json(pod["spec"]["initContainers"][1]["resources"]), R"({"limits":{"nvidia.com/gpu.shared":1}})");
  EXPECT_EQ(json(pod["spec"]["containers"][0]["resources"]), R"({"requests":{"cpu":"1","nvidia.com/gpu.shared":"1"}})");
  EXPECT_EQ(json(pod["spec"]["containers"][1]["resources"]),
            R"({"limits":{"nvidia.com/gpu.shared":2},"requests":{"nvidia.com/gpu.shared":2}})");
}

TEST(PodBuilder, placement_is_added_and_the_users_own_stays) {
  const auto spec = render(a_pod_builder())["spec"];
  EXPECT_EQ(json(spec["nodeSelector"]), R"({"kubernetes.io/arch":"arm64","reprise.dev/pool":"t4"})");
  EXPECT_EQ(json(spec["tolerations"]),
            R"([{"effect":"NoSchedule","key":"nvidia.com/gpu","operator":"Exists"},)"
            R"({"effect":"NoExecute","key":"nvidia.com/gpu","operator":"Exists","tolerationSeconds":30}])");
  EXPECT_EQ(spec["hostname"], "finetune-0");
  EXPECT_EQ(spec["subdomain"], "finetune-rj");
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], 120);
  EXPECT_EQ(spec["restartPolicy"], "Never");
  EXPECT_EQ(spec["automountServiceAccountToken"], false);
  EXPECT_FALSE(spec.isMember("runtimeClassName"));
  EXPECT_FALSE(spec.isMember("priorityClassName"));
}

TEST(PodBuilder, the_pool_is_not_the_templates_to_choose) {
  PodBuilder pod_builder = a_pod_builder();
  pod_builder.template_json =
      R"({"spec":{"containers":[{"name":"t","command":["c"]}],"nodeSelector":{"reprise.dev/pool":"a100","zone":"z"}}})";
  pod_builder.container = "t";
  pod_builder.node_selector = {{"reprise.dev/pool", "t4"}, {"zone", "y"}};
  EXPECT_EQ(json(render(pod_builder)["spec"]["nodeSelector"]), R"({"reprise.dev/pool":"t4","zone":"z"})");
}

TEST(PodBuilder, class_names_are_set_where_they_are_given) {
  auto pod_builder = a_pod_builder();
  pod_builder.runtime_class_name = "nvidia";
  pod_builder.priority_class_name = "reprise-standby";
  const auto spec = render(pod_builder)["spec"];
  EXPECT_EQ(spec["runtimeClassName"], "nvidia");
  EXPECT_EQ(spec["priorityClassName"], "reprise-standby");
  EXPECT_FALSE(spec.isMember("priority"));
}

TEST(PodBuilder, a_scheduler_and_a_runtime_class_of_the_template_stay) {
  auto pod_builder = a_pod_builder();
  pod_builder.runtime_class_name = "nvidia";
  pod_builder.scheduler_name = "volcano";
  EXPECT_EQ(render(pod_builder)["spec"]["schedulerName"], "volcano");
  pod_builder.template_json =
      R"({"spec":{"runtimeClassName":"kata","schedulerName":"mine","containers":[{"name":"trainer","command":["a"]}]}})";
  const auto spec = render(pod_builder)["spec"];
  EXPECT_EQ(spec["runtimeClassName"], "kata");
  EXPECT_EQ(spec["schedulerName"], "mine");
}

TEST(PodBuilder, a_unit_becomes_its_share_of_several_resources_or_of_none) {
  auto pod_builder = a_pod_builder();
  pod_builder.resource_names = {};
  pod_builder.shared_resource = "reprise.dev/gpu";
  pod_builder.resource_shares = {{"x.io/memory", 4096}, {"x.io/number", 1}};
  const auto pod = render(pod_builder);
  EXPECT_EQ(json(pod["spec"]["containers"][0]["resources"]),
            R"({"requests":{"cpu":"1","x.io/memory":4096,"x.io/number":"1"}})");
  EXPECT_EQ(json(pod["spec"]["containers"][1]["resources"]["limits"]), R"({"x.io/memory":8192,"x.io/number":2})");
  pod_builder.resource_shares.clear();
  EXPECT_EQ(json(render(pod_builder)["spec"]["containers"][0]["resources"]), R"({"requests":{"cpu":"1"}})");
}

TEST(PodBuilder, a_share_of_a_resource_that_the_template_asks_for_itself_is_rejected) {
  auto pod_builder = a_pod_builder();
  pod_builder.shared_resource = "reprise.dev/gpu";
  pod_builder.resource_shares = {{"x.io/memory", 4096}};
  pod_builder.template_json = R"({"spec":{"containers":[{"name":"trainer","command":["a"],)"
                              R"("resources":{"limits":{"reprise.dev/gpu":1,"x.io/memory":1}}}]}})";
  EXPECT_FALSE(render_pod(pod_builder));
}

TEST(PodBuilder, a_template_that_asks_for_its_token_gets_it) {
  auto pod_builder = a_pod_builder();
  pod_builder.template_json =
      R"({"spec":{"automountServiceAccountToken":true,"restartPolicy":"OnFailure","containers":[{"name":"trainer","command":["a"]}]}})";
  const auto spec = render(pod_builder)["spec"];
  EXPECT_EQ(spec["automountServiceAccountToken"], true);
  EXPECT_EQ(spec["restartPolicy"], "Never");
}

TEST(PodBuilder, a_standby_pod_is_the_trainers_size_and_image_and_nothing_else) {
  auto pod_builder = a_pod_builder();
  pod_builder.standby_command = {"/reprise/reprise-agent", "pause"};
  const auto spec = render(pod_builder)["spec"];
  ASSERT_EQ(spec["containers"].size(), 1U);
  const auto& trainer = spec["containers"][0];
  EXPECT_EQ(json(trainer["command"]), R"(["/reprise/reprise-agent","pause"])");
  EXPECT_EQ(trainer["image"], "t");
  EXPECT_EQ(json(trainer["resources"]["limits"]), R"({"nvidia.com/gpu.shared":2})");
  for (const char* const key : {"args", "livenessProbe", "lifecycle"}) EXPECT_FALSE(trainer.isMember(key)) << key;
  EXPECT_EQ(json(trainer["volumeMounts"]), R"([{"mountPath":"/reprise","name":"reprise-agent"}])");
  EXPECT_EQ(json(spec["volumes"]), R"([{"emptyDir":{},"name":"reprise-agent"}])");
  ASSERT_EQ(spec["initContainers"].size(), 1U);
  EXPECT_EQ(spec["initContainers"][0]["name"], "reprise-agent-install");
  EXPECT_EQ(spec["nodeSelector"]["reprise.dev/pool"], "t4");
}

TEST(PodBuilder, an_unnamed_container_is_the_first) {
  auto pod_builder = a_pod_builder();
  pod_builder.container.clear();
  const auto pod = render(pod_builder);
  EXPECT_EQ(pod["spec"]["containers"][0]["command"][0], "/reprise/reprise-agent");
  EXPECT_EQ(pod["spec"]["containers"][1]["command"][0], "python");
}

struct WrongTemplate {
  const char* json;
  const char* path;
};

TEST(PodBuilder, a_template_of_another_shape_is_rejected_with_its_path) {
  for (
      const WrongTemplate& wrong :
      {WrongTemplate{"", ""},
       WrongTemplate{"[]", ""},
       WrongTemplate{"{}", "spec.containers"},
       WrongTemplate{R"({"spec":[]})", "spec"},
       WrongTemplate{R"({"spec":{"containers":[]}})", "spec.containers"},
       WrongTemplate{R"({"spec":{"containers":{}}})", "spec.containers"},
       WrongTemplate{R"({"spec":{"containers":[7]}})", "spec.containers[0]"},
       WrongTemplate{R"({"spec":{"containers":[{"image":"x"}]}})", "spec.containers[0].name"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"other","command":["a"]}]}})", "spec.containers"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer"}]}})", "spec.containers[0].command"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":"sh"}]}})", "spec.containers[0].command"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":["a"],"env":{}}]}})",
                     "spec.containers[0].env"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":["a"],"env":[1]}]}})",
                     "spec.containers[0].env[0]"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":["a"],"resources":{"limits":[]}}]}})",
                     "spec.containers[0].resources.limits"},
       WrongTemplate{
           R"({"spec":{"containers":[{"name":"trainer","command":["a"],"resources":{"limits":{"reprise.dev/gpu":1,"nvidia.com/gpu.shared":1}}}]}})",
           "spec.containers[0].resources.limits"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":["a"],"volumeMounts":[[]]}]}})",
                     "spec.containers[0].volumeMounts[0]"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":["a"],"securityContext":1}]}})",
                     "spec.containers[0].securityContext"},
       WrongTemplate{
           R"({"spec":{"containers":[{"name":"trainer","command":["a"]}],"volumes":[{"name":"reprise-agent"}]}})",
           "spec.volumes[0].name"},
       WrongTemplate{
           R"({"spec":{"containers":[{"name":"trainer","command":["a"]}],"initContainers":[{"name":"reprise-agent-install"}]}})",
           "spec.initContainers[0].name"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":["a"]}],"tolerations":[""]}})",
                     "spec.tolerations[0]"},
       WrongTemplate{R"({"spec":{"containers":[{"name":"trainer","command":["a"]}],"nodeSelector":{"a":1}}})",
                     "spec.nodeSelector.a"},
       WrongTemplate{R"({"metadata":{"labels":[]},"spec":{"containers":[{"name":"trainer","command":["a"]}]}})",
                     "metadata.labels"}}) {
    auto pod_builder = a_pod_builder();
    pod_builder.template_json = wrong.json;
    const auto pod = render_pod(pod_builder);
    ASSERT_FALSE(pod) << wrong.json;
    EXPECT_EQ(pod.error().path, wrong.path) << wrong.json << ": " << pod.error().message;
  }
}

TEST(PodBuilder, no_change_of_a_byte_of_the_template_harms_the_renderer) {
  auto pod_builder = a_pod_builder();
  const std::string text = kTemplate;
  for (std::size_t i = 0; i < text.size(); ++i) {
    pod_builder.template_json = text.substr(0, i);
    EXPECT_FALSE(render_pod(pod_builder));
    for (const char put : {'{', '[', '"', '0', ',', '\x80'}) {
      pod_builder.template_json = text;
      pod_builder.template_json[i] = put;
      static_cast<void>(render_pod(pod_builder));
    }
  }
}

TEST(PodBuilder, the_agent_s_pull_policy_is_its_own_container_s_and_its_secrets_join_the_template_s_once) {
  PodBuilder builder = a_pod_builder();
  builder.template_json.replace(builder.template_json.find(R"("volumes":)"), 10,
                                R"("imagePullSecrets": [{"name": "mine"}], "volumes":)");
  builder.agent_image_pull_policy = "Always";
  builder.image_pull_secrets = {"mine", "agent"};
  for (const bool standby : {false, true}) {
    if (standby) builder.standby_command = {"/reprise/reprise-agent", "pause"};
    const auto spec = render(builder)["spec"];
    EXPECT_EQ(json(spec["imagePullSecrets"]), R"([{"name":"mine"},{"name":"agent"}])") << standby;
    EXPECT_EQ(spec["initContainers"][0]["imagePullPolicy"], "Always") << standby;
    for (const auto& container : spec["containers"]) EXPECT_FALSE(container.isMember("imagePullPolicy")) << standby;
  }
}

TEST(PodBuilder, who_asks_for_no_pull_policy_and_no_secret_leaves_both_to_kubernetes) {
  const auto spec = render(a_pod_builder())["spec"];
  EXPECT_FALSE(spec["initContainers"][0].isMember("imagePullPolicy"));
  EXPECT_FALSE(spec.isMember("imagePullSecrets"));
}

}  // namespace
}  // namespace reprise::api
