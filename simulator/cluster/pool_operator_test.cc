// Pools under the operator as it ships: foreign objects, late events, rejections, and deletions.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/cluster/installation.h"
#include "simulator/cluster/operator_process.h"

namespace reprise::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Answers as the test says.
class ScriptedWireFaults final : public WireFaults {
 public:
  std::function<ExchangeFault(const runtime::Request&)> script;
  [[nodiscard]] ExchangeFault exchange(const runtime::Request& request, std::uint64_t) override {
    return script ? script(request) : ExchangeFault{};
  }
  [[nodiscard]] WatchFault watch(const runtime::Request&) override { return {}; }
};

class PoolOperator : public testing::Test {
 protected:
  PoolOperator() {
    EXPECT_TRUE(install(api, {"team"}));
    serve(api, read_own_kinds().value());
    pools = api.resource("reprise.dev", "gpupools");
    process.emplace(cluster, wire_faults, OperatorSettings{.clock = &clock});
    changes = api.subscribe([this](const ObjectChange& change) {
      ++writes[{api.type(change.resource).kind, std::string(name_of(*change.object))}];
    });
  }
  ObjectPtr make(std::string_view group, const char* plural, const std::string& json) {
    auto made = api.create(api.resource(group, plural), boost::json::parse(json));
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : nullptr;
  }
  void make_pool(const std::string& name, const std::string& more = {}) {
    make("reprise.dev", "gpupools",
         R"({"metadata": {"name": ")" + name + R"("}, "spec": {)" + more + R"("gpu": {"models": ["t4"]},
         "instanceTypes": ["g4dn.xlarge"], "capacity": [{"type": "Spot"}], "nodeClassRef":
         {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}}})");
  }
  static std::string sliced(int replicas) {
    return R"("sharing": {"mode": "TimeSlicing", "replicas": )" + std::to_string(replicas) + "}, ";
  }
  // Sets Ready as Karpenter does for NodePools and overlays that it has taken.
  void call_ready(const char* plural, const std::string& name) {
    ASSERT_TRUE(api.update(
        {api.resource("karpenter.sh", plural), "", name},
        [](Value& value) {
          set(value, {"status", "conditions"},
              boost::json::parse(R"([{"type": "Ready", "status": "True", "reason": "Ready",
                                 "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}])"));
        },
        "status"));
  }
  void make_ready_pool(const std::string& name, const std::string& more = {}) {
    make_pool(name, more);
    ASSERT_TRUE(becomes(minutes(1), [&] { return there("nodepools", name + "-spot"); }));
    call_ready("nodepools", name + "-spot");
    ASSERT_TRUE(becomes(minutes(1), [&] { return says(name, "Ready", "True/Ready"); }));
  }
  // A machine of that NodePool: its claim, which is not initialised, and its Node.
  void make_machine(const std::string& name, const std::string& pool, const std::string& node_pool) {
    const std::string labels =
        R"("labels": {"reprise.dev/pool": ")" + pool + R"(", "karpenter.sh/nodepool": ")" + node_pool + R"("})";
    make("karpenter.sh", "nodeclaims", R"({"metadata": {"name": ")" + name + R"(", )" + labels + "}, \"spec\": {}}");
    ASSERT_TRUE(api.update(
        {api.resource("karpenter.sh", "nodeclaims"), "", name},
        [&](Value& value) {
          set(value, {"status", "nodeName"}, name);
        },
        "status"));
    make("", "nodes", R"({"metadata": {"name": ")" + name + R"(", )" + labels + "}}");
  }
  void initialise(const std::string& claim) {
    ASSERT_TRUE(api.update(
        {api.resource("karpenter.sh", "nodeclaims"), "", claim},
        [](Value& value) {
          set(value, {"status", "conditions"}, boost::json::parse(R"([{"type": "Initialized", "status": "True",
                                 "reason": "Initialized", "message": ""}])"));
        },
        "status"));
  }
  bool there(const char* plural, const std::string& name) const {
    return api.get({api.resource("karpenter.sh", plural), "", name}) != nullptr;
  }
  // True: gone, or asked to go.
  bool goes(const char* plural, const std::string& name) const {
    const ObjectPtr object = api.get({api.resource("karpenter.sh", plural), "", name});
    return !object || being_deleted(*object);
  }
  bool becomes(Duration within, const std::function<bool()>& so) {
    const Duration end = loop.now() + within;
    while (!so()) {
      const auto next = loop.next();
      if (!next || *next > end) return so();
      loop.step();
    }
    return true;
  }
  void pass(Duration time) { loop.run_until(loop.now() + time); }
  const Value* said(const std::string& pool, std::string_view type) const {
    const ObjectPtr found = api.get({pools, "", pool});
    if (!found) return nullptr;
    for (const Value& each : array(*found, {"status", "conditions"}))
      if (text(each, {"type"}) == type) return &each;
    return nullptr;
  }
  bool says(const std::string& pool, std::string_view type, std::string_view what) const {
    const Value* found = said(pool, type);
    return found != nullptr &&
           std::string(text(*found, {"status"})) + "/" + std::string(text(*found, {"reason"})) == std::string(what);
  }
  std::string message(const std::string& pool, std::string_view type) const {
    const Value* found = said(pool, type);
    return found == nullptr ? std::string() : std::string(text(*found, {"message"}));
  }
  std::string device_plugin_key(const std::string& key, const std::string& map = "reprise-device-plugin") const {
    const ObjectPtr found = api.get({api.resource("", "configmaps"), "reprise-system", map});
    return found ? std::string(text(*found, {"data", key})) : std::string();
  }
  // Something of the pool changes every ten seconds, as heartbeats do it.
  void live_on(const std::string& node, Duration time) {
    const Duration end = loop.now() + time;
    for (int count = 0; loop.now() < end; ++count) {
      ASSERT_TRUE(api.update({api.resource("", "nodes"), "", node}, [&](Value& value) {
        set(value, {"metadata", "annotations", "heartbeat"}, std::to_string(count));
      }));
      pass(seconds(10));
    }
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  MachineClock clock{loop};
  ApiServer api{loop, random};
  ResourceId pools;
  EventLog log{loop};
  Cluster cluster{loop, random, api, log};
  ScriptedWireFaults wire_faults;
  std::map<std::pair<std::string, std::string>, int> writes;  // by kind and name
  std::optional<OperatorProcess> process;
  std::unique_ptr<ApiServer::Subscription> changes;
};

TEST_F(PoolOperator, by_mps_is_ready_when_karpenter_knows_its_slices_and_its_configuration_is_written) {
  make_pool("t4", R"("sharing": {"mode": "MPS", "replicas": 4}, )");
  ASSERT_TRUE(becomes(minutes(1), [this] { return there("nodeoverlays", "t4-g4dn.xlarge"); }));
  call_ready("nodepools", "t4-spot");
  EXPECT_TRUE(says("t4", "Ready", "False/Writing"));
  call_ready("nodeoverlays", "t4-g4dn.xlarge");
  EXPECT_TRUE(becomes(minutes(1), [this] { return says("t4", "Ready", "True/Ready"); }));
  EXPECT_NE(device_plugin_key("mps-4").find("  mps:\n"), std::string::npos);
  const ObjectPtr pool = api.get({pools, "", "t4"});
  EXPECT_EQ(text(*pool, {"status", "sharing"}), "MPS x4");
  EXPECT_EQ(text(*pool, {"status", "resourceName"}), "nvidia.com/gpu.shared");
}

// ---- machines

TEST_F(PoolOperator, ends_a_machine_of_its_own_that_never_becomes_usable) {
  make_ready_pool("t4");
  make_machine("stuck", "t4", "t4-spot");
  pass(minutes(14));
  EXPECT_FALSE(goes("nodeclaims", "stuck"));
  EXPECT_TRUE(becomes(minutes(2), [this] { return goes("nodeclaims", "stuck"); }));
}

TEST_F(PoolOperator, leaves_alone_machines_that_bear_its_label_and_came_out_of_somebody_elses_node_pool) {
  make_ready_pool("t4");
  make("karpenter.sh", "nodepools", R"({"metadata": {"name": "theirs"}, "spec": {"template": {"metadata": {"labels":
       {"reprise.dev/pool": "t4"}}, "spec": {}}}})");
  make_machine("foreign", "t4", "theirs");
  pass(minutes(40));
  EXPECT_FALSE(goes("nodeclaims", "foreign"));
}

TEST_F(PoolOperator, leaves_machines_alone_whose_node_pool_of_its_name_is_not_its_own) {
  make("karpenter.sh", "nodepools", R"({"metadata": {"name": "t4-spot"}, "spec": {"template": {"spec": {}}}})");
  make_pool("t4");
  make_machine("foreign", "t4", "t4-spot");
  pass(minutes(40));
  EXPECT_FALSE(goes("nodeclaims", "foreign"));
}

TEST_F(PoolOperator, never_ends_a_machine_on_which_something_uses_its_gpus) {
  make_ready_pool("t4");
  make_machine("late", "t4", "t4-spot");
  make("", "pods", R"({"metadata": {"name": "trains", "namespace": "team"}, "spec": {"nodeName": "late", "containers":
       [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}})");
  ASSERT_TRUE(api.update(
      {api.resource("", "pods"), "team", "trains"},
      [](Value& pod) {
        set(pod, {"status", "phase"}, "Running");
      },
      "status"));
  pass(minutes(40));
  EXPECT_FALSE(goes("nodeclaims", "late"));
  ASSERT_TRUE(api.update(
      {api.resource("", "pods"), "team", "trains"},
      [](Value& pod) {
        set(pod, {"status", "phase"}, "Succeeded");
      },
      "status"));
  EXPECT_TRUE(becomes(minutes(2), [this] { return goes("nodeclaims", "late"); }));
}

TEST_F(PoolOperator, asks_the_api_server_before_it_ends_a_machine_that_its_cache_shows_as_late) {
  make_ready_pool("t4");
  make_machine("sound", "t4", "t4-spot");
  pass(minutes(1));
  process->wire().hold_watches("/apis/karpenter.sh/v1/nodeclaims?", minutes(60));
  initialise("sound");
  pass(minutes(40));
  EXPECT_FALSE(goes("nodeclaims", "sound"));
}

TEST_F(PoolOperator, gives_a_machine_its_whole_time_by_a_clock_that_is_ahead) {
  clock.set(minutes(30), 0);
  make_ready_pool("t4");
  make_machine("sound", "t4", "t4-spot");
  pass(minutes(14));
  EXPECT_FALSE(goes("nodeclaims", "sound"));
  EXPECT_TRUE(becomes(minutes(2), [this] { return goes("nodeclaims", "sound"); }));
}

// ---- ready pools

TEST_F(PoolOperator, is_not_ready_while_its_node_pool_is_being_deleted) {
  make_ready_pool("t4");
  const ObjectAddress node_pool{api.resource("karpenter.sh", "nodepools"), "", "t4-spot"};
  ASSERT_TRUE(api.update(node_pool, [](Value& v) { set(v, {"metadata", "finalizers"}, JsonArray{"a.b/c"}); }));
  ASSERT_TRUE(api.remove(node_pool));
  pass(minutes(1));
  EXPECT_TRUE(says("t4", "Ready", "False/NodePoolTerminating")) << message("t4", "Ready");
  ASSERT_TRUE(api.update(node_pool, [](Value& v) { set(v, {"metadata", "finalizers"}, JsonArray{}); }));
  ASSERT_TRUE(becomes(minutes(1), [this] { return there("nodepools", "t4-spot"); }));
  call_ready("nodepools", "t4-spot");
  EXPECT_TRUE(becomes(minutes(1), [this] { return says("t4", "Ready", "True/Ready"); }));
}

TEST_F(PoolOperator, made_anew_waits_for_the_node_pool_of_the_one_before_and_asks_nobody_to_remove_it) {
  make_ready_pool("t4");
  const ObjectAddress node_pool{api.resource("karpenter.sh", "nodepools"), "", "t4-spot"};
  ASSERT_TRUE(api.update(node_pool, [](Value& v) { set(v, {"metadata", "finalizers"}, JsonArray{"a.b/c"}); }));
  ASSERT_TRUE(api.remove({pools, "", "t4"}));
  ASSERT_TRUE(api.remove(node_pool));
  make_pool("t4");
  pass(minutes(1));
  EXPECT_TRUE(says("t4", "Ready", "False/NodePoolTerminating")) << message("t4", "Ready");
  EXPECT_FALSE(says("t4", "Stalled", "True/NodePoolNotOwned"));
  ASSERT_TRUE(api.update(node_pool, [](Value& v) { set(v, {"metadata", "finalizers"}, JsonArray{}); }));
  EXPECT_TRUE(becomes(minutes(1), [this] { return there("nodepools", "t4-spot"); }));
}

TEST_F(PoolOperator, goes_on_as_soon_as_a_person_removes_what_stood_under_its_name) {
  make("karpenter.sh", "nodepools", R"({"metadata": {"name": "t4-spot"}, "spec": {"template": {"spec": {}}}})");
  make_pool("t4");
  ASSERT_TRUE(becomes(minutes(1), [this] { return says("t4", "Stalled", "True/NodePoolNotOwned"); }));
  pass(minutes(10));
  ASSERT_TRUE(api.remove({api.resource("karpenter.sh", "nodepools"), "", "t4-spot"}));
  EXPECT_TRUE(becomes(minutes(2), [this] { return there("nodepools", "t4-spot"); }));
}

TEST_F(PoolOperator, sees_what_becomes_of_a_node_pool_whose_label_somebody_took_off) {
  make_ready_pool("t4");
  const ObjectAddress node_pool{api.resource("karpenter.sh", "nodepools"), "", "t4-spot"};
  ASSERT_TRUE(api.update(node_pool, [](Value& v) { unset(v, {"metadata", "labels"}); }));
  pass(minutes(1));
  ASSERT_TRUE(api.remove(node_pool));
  EXPECT_TRUE(becomes(minutes(1), [this] { return there("nodepools", "t4-spot"); }));
}

TEST_F(PoolOperator, tells_its_state_whatever_price_a_node_is_labelled_with) {
  make_ready_pool("t4");
  make("", "nodes", R"({"metadata": {"name": "odd", "labels": {"reprise.dev/pool": "t4",
       "karpenter.sh/capacity-type": "spot", "eks-node-viewer/instance-price": "999999999999"}}})");
  EXPECT_TRUE(becomes(minutes(2), [this] {
    const auto& rows = array(*api.get({pools, "", "t4"}), {"status", "capacity"});
    return !rows.empty() && number(rows[0], {"nodes"}) == 1;
  }));
}

// ---- the device plugin's map

TEST_F(PoolOperator, keeps_a_device_plugin_key_as_long_as_a_node_reads_it) {
  make_pool("t4", sliced(4));
  ASSERT_TRUE(becomes(minutes(1), [this] { return !device_plugin_key("ts-4").empty(); }));
  make("", "nodes", R"({"metadata": {"name": "n", "labels": {"reprise.dev/pool": "t4",
       "nvidia.com/device-plugin.config": "ts-4"}}})");
  pass(minutes(1));
  ASSERT_TRUE(api.update({pools, "", "t4"}, [](Value& v) { set(v, {"spec", "sharing", "replicas"}, Value(8)); }));
  ASSERT_TRUE(becomes(minutes(1), [this] { return !device_plugin_key("ts-8").empty(); }));
  pass(minutes(5));
  EXPECT_FALSE(device_plugin_key("ts-4").empty());
  ASSERT_TRUE(api.remove({api.resource("", "nodes"), "", "n"}));
  EXPECT_TRUE(becomes(minutes(2), [this] { return device_plugin_key("ts-4").empty(); }));
}

TEST_F(PoolOperator, is_made_although_an_unused_device_plugin_key_cannot_be_removed) {
  make_pool("old", sliced(4));
  ASSERT_TRUE(becomes(minutes(1), [this] { return !device_plugin_key("ts-4").empty(); }));
  wire_faults.script = [](const runtime::Request& request) {
    const bool rejected = request.method == runtime::Method::Patch && request.path_and_query.contains("/configmaps/");
    return rejected ? ExchangeFault{.kind = ExchangeFault::Kind::Rejected, .status = 422} : ExchangeFault{};
  };
  ASSERT_TRUE(api.remove({pools, "", "old"}));
  make_pool("t4");
  EXPECT_TRUE(becomes(minutes(1), [this] { return there("nodepools", "t4-spot"); }));
}

TEST_F(PoolOperator, leaves_a_key_alone_that_somebody_wrote_into_a_map_of_their_own) {
  make("", "configmaps", R"({"metadata": {"name": "plugin", "namespace": "reprise-system"}, "data":
       {"ts-4": "version: v1\n"}})");
  make_pool("t4", sliced(4) + R"("devicePluginConfigMapRef": {"name": "plugin"}, )");
  ASSERT_TRUE(becomes(minutes(1), [this] { return says("t4", "Stalled", "True/DevicePluginKeyNotOwned"); }))
      << message("t4", "Ready");
  EXPECT_EQ(device_plugin_key("ts-4", "plugin"), "version: v1\n");
  ASSERT_TRUE(api.update({api.resource("", "configmaps"), "reprise-system", "plugin"}, [](Value& v) {
    unset(v, {"data", "ts-4"});
  }));
  EXPECT_TRUE(becomes(minutes(1), [this] { return !device_plugin_key("ts-4", "plugin").empty(); }));
}

// ---- rejections

TEST_F(PoolOperator, tries_and_reports_once_in_a_while_what_is_rejected_in_other_words_each_time) {
  int asked = 0;
  api.set_webhook([&](const ResourceType& type, const Value&) -> std::optional<Denial> {
    if (type.plural != "nodepools") return std::nullopt;
    return Denial{.code = 403, .reason = "Forbidden", .message = "request " + std::to_string(++asked)};
  });
  make_pool("t4");
  ASSERT_TRUE(becomes(minutes(1), [this] { return says("t4", "Stalled", "True/FailedCreate"); }));
  make("", "nodes", R"({"metadata": {"name": "n", "labels": {"reprise.dev/pool": "t4"}}})");
  pass(minutes(1));
  writes.clear();
  asked = 0;
  live_on("n", minutes(10));
  EXPECT_LE(asked, 11);
  EXPECT_LE((writes[{"GpuPool", "t4"}]), 5);
  api.set_webhook({});
  EXPECT_TRUE(becomes(minutes(20), [this] { return there("nodepools", "t4-spot"); }));
}

TEST_F(PoolOperator, says_all_the_time_that_a_drifted_node_claim_may_not_be_deleted) {
  make_ready_pool("t4");
  make_machine("m", "t4", "t4-spot");
  ASSERT_TRUE(api.update(
      {api.resource("karpenter.sh", "nodeclaims"), "", "m"},
      [](Value& value) {
        set(value, {"status", "conditions"}, boost::json::parse(R"([
          {"type": "Initialized", "status": "True", "reason": "Initialized", "message": ""},
          {"type": "Drifted", "status": "True", "reason": "NodePoolDrifted", "message": ""}])"));
      },
      "status"));
  wire_faults.script = [](const runtime::Request& request) {
    const bool rejected = request.method == runtime::Method::Delete && request.path_and_query.contains("/nodeclaims/");
    return rejected ? ExchangeFault{.kind = ExchangeFault::Kind::Rejected, .status = 403} : ExchangeFault{};
  };
  ASSERT_TRUE(becomes(minutes(2), [this] { return says("t4", "Ready", "False/FailedCreate"); }));
  EXPECT_NE(message("t4", "Ready").find("delete NodeClaim m"), std::string::npos) << message("t4", "Ready");
  EXPECT_TRUE(becomes(seconds(10), [this] { return says("t4", "NodesUpToDate", "False/RollingHeld"); }));
  int ready = 0;
  const auto seen =
      api.subscribe(pools, [&](const ObjectChange&) { ready += says("t4", "Ready", "True/Ready") ? 1 : 0; });
  pass(minutes(30));
  writes.clear();
  live_on("m", minutes(120));
  EXPECT_EQ(ready, 0);
  EXPECT_LE((writes[{"GpuPool", "t4"}]), 18) << "two for each time that it is tried again";
  wire_faults.script = {};
  EXPECT_TRUE(becomes(minutes(20), [this] { return goes("nodeclaims", "m"); }));
  EXPECT_TRUE(becomes(minutes(1), [this] { return says("t4", "Ready", "True/Ready"); }));
}

TEST_F(PoolOperator, says_what_keeps_failing_and_goes_on_with_the_rest) {
  api.set_webhook([](const ResourceType& type, const Value&) -> std::optional<Denial> {
    if (type.plural != "nodepools") return std::nullopt;
    return Denial{.code = 500, .reason = "InternalError", .message = "failed calling webhook"};
  });
  make_pool("t4", sliced(4));
  EXPECT_TRUE(becomes(minutes(2), [this] { return !device_plugin_key("ts-4").empty(); }));
  EXPECT_TRUE(becomes(minutes(5), [this] {
    return message("t4", "Ready").find("failed calling webhook") != std::string::npos;
  })) << message("t4", "Ready");
  api.set_webhook({});
  EXPECT_TRUE(becomes(minutes(20), [this] { return there("nodepools", "t4-spot"); }));
}

TEST_F(PoolOperator, does_not_fight_with_somebody_who_changes_a_node_pool_back_each_time) {
  make_ready_pool("t4");
  const ResourceId node_pools = api.resource("karpenter.sh", "nodepools");
  const auto change = [&] {
    (void)api.update({node_pools, "", "t4-spot"}, [](Value& v) {
      set(v, {"spec", "disruption", "consolidateAfter"}, "1s");
    });
  };
  const auto other = api.subscribe(node_pools, [&](const ObjectChange&) { loop.after(Duration{50}, change); });
  change();
  pass(minutes(1));
  EXPECT_TRUE(says("t4", "Ready", "False/ChangedBack")) << message("t4", "Ready");
  writes.clear();
  pass(minutes(30));
  EXPECT_LE((writes[{"NodePool", "t4-spot"}]), 20);
  EXPECT_LE((writes[{"GpuPool", "t4"}]), 20);
}

TEST_F(PoolOperator, counts_jobs_of_namespaces_that_may_use_it) {
  make_ready_pool("t4", R"("allowedNamespaces": {"matchLabels": {"gpus": "yes"}}, )");
  const auto allow = [this](const char* ns) {
    ASSERT_TRUE(api.update({api.resource("", "namespaces"), "", ns}, [](Value& value) {
      set(value, {"metadata", "labels", "gpus"}, Value("yes"));
    }));
  };
  const auto jobs = [this] {
    const ObjectPtr pool = api.get({pools, "", "t4"});
    return number(*pool, {"status", "jobs"});
  };
  allow("team");
  for (const char* ns : {"team", "reprise-system"})
    make("reprise.dev", "resumablejobs",
         R"({"metadata": {"name": "j", "namespace": ")" + std::string(ns) + R"("}, "spec":
         {"suspend": true, "poolName": "t4", "checkpoint": {"path": "/c", "volume": {"claimName": "v"}}, "template":
         {"spec": {"containers": [{"name": "t", "image": "i", "command": ["c"]}]}}}})");
  pass(minutes(2));
  EXPECT_EQ(jobs(), 1);
  allow("reprise-system");
  EXPECT_TRUE(becomes(minutes(1), [&] { return jobs() == 2; }));
}

}  // namespace
}  // namespace reprise::simulator
