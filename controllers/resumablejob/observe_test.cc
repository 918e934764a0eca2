// What is asked of the API server itself because a cache may be behind.
#include "controllers/resumablejob/observe.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "controllers/resumablejob/members.h"
#include "controllers/resumablejob/names.h"
#include "controllers/testing/builders.h"
#include "runtime/base/log.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::MakeJob;
using controllers::testing::MakeNode;
using controllers::testing::MakeNodeClaim;
using runtime::ErrorClass;
using runtime::Result;

// The API server: single objects by kind and name, lists by kind; counts what it is asked.
class ApiServer final : public runtime::Client {
 public:
  Result<std::string> get(const api::KindInfo& kind, std::string_view, std::string_view name) override {
    ++requests;
    const auto found = objects.find(std::string(kind.kind) + "/" + std::string(name));
    if (found == objects.end()) return runtime::fail(ErrorClass::NotFound, "no such object");
    return found->second;
  }
  Result<std::string> list(const api::KindInfo& kind, std::string_view, const runtime::ListOptions&) override {
    ++requests;
    return R"({"metadata":{"resourceVersion":"9"},"items":[)" + lists[std::string(kind.kind)] + "]}";
  }
  Result<std::string> create(const runtime::WritePermit&, const api::KindInfo&, std::string_view,
                             std::string) override {
    throw std::logic_error("observing writes nothing");
  }
  Result<std::string> patch(const runtime::WritePermit&, const api::KindInfo&, std::string_view, std::string_view,
                            runtime::PatchType, std::string, std::string_view) override {
    throw std::logic_error("observing writes nothing");
  }
  Result<std::string> remove(const runtime::WritePermit&, const api::KindInfo&, std::string_view, std::string_view,
                             const runtime::DeleteOptions&) override {
    throw std::logic_error("observing writes nothing");
  }
  void call_async(const runtime::Call&, std::function<void(Result<std::string>)>) override {
    throw std::logic_error("observing waits for its answers");
  }

  std::map<std::string, std::string> objects, lists;
  int requests = 0;
};

class Context final : public runtime::ReconcileContext {
 public:
  explicit Context(ApiServer& api_server) : api_server_(api_server) {}
  const runtime::Clock& clock() const override { return clock_; }
  runtime::Logger& logger() override { return *logger_; }
  Result<runtime::WritePermit> permit() override { return runtime::fail(ErrorClass::NoPermit, "not asked for here"); }
  runtime::EventRecorder& events() override { throw std::logic_error("no events here"); }
  runtime::Instant deadline() const override { return runtime::Instant::max(); }
  runtime::Client& client() override { return api_server_; }
  void set_owner(std::string_view) override {}

 protected:
  Result<std::string> create_json(const api::KindInfo&, const std::string&, std::string) override {
    throw std::logic_error("observing writes nothing");
  }
  Result<std::string> patch_json(const api::KindInfo&, const std::string&, const std::string&, runtime::PatchType,
                                 std::string, std::string_view) override {
    throw std::logic_error("observing writes nothing");
  }
  Result<void> remove_object(const api::KindInfo&, const api::ObjectMeta&, runtime::DeleteOptions) override {
    throw std::logic_error("observing writes nothing");
  }
  Result<std::string> get_json(const api::KindInfo& kind, const std::string& ns, const std::string& name) override {
    return api_server_.get(kind, ns, name);
  }
  void remember_write(const api::KindInfo&, const std::string&, const std::string&) override {}

 private:
  ApiServer& api_server_;
  runtime::testing::VirtualClock clock_;
  std::unique_ptr<runtime::Logger> logger_ = runtime::make_null_logger();
};

// A job with its pods, in caches that a test fills by hand.
struct World {
  World() {
    pods.add_index(kByJobUid, [](const api::Pod& pod) {
      return std::vector<std::string>{std::string(pod.meta.label(kJobUidLabel))};
    });
    node_claims.add_index(
        kByNode, [](const api::NodeClaim& claim) { return std::vector<std::string>{std::string(claim.node_name)}; });
  }

  template <class T>
  static void show(runtime::Store<T>& store, T object) {
    (void)store.upsert("", std::make_shared<const T>(std::move(object)));
  }
  api::Pod pod(const std::string& name, const std::string& node) const {
    api::Pod made;
    made.meta.name = name;
    made.meta.namespace_ = "vision";
    made.meta.uid = "uid-of-" + name;
    made.meta.labels = {{std::string(kJobUidLabel), "uid-fit"}, {std::string(kAttemptLabel), "1"}};
    made.container_names = {"trainer"};
    made.node_name = node;
    made.phase = api::PodPhase::Pending;
    return made;
  }
  std::vector<Member> look(bool created_here = true) {
    auto seen =
        observe(caches, departed, api_server, context, std::make_shared<const api::ResumableJob>(job), created_here);
    if (!seen) throw std::runtime_error(seen.error().message);
    std::vector<Member> members = look_at_members(*seen);
    for (std::size_t i = 0; i < members.size(); ++i) job.status.members[i] = members[i].memory;
    return members;
  }
  void begin(int size) {
    job.status.attempt = 1;
    for (int i = 0; i < size; ++i) {
      api::MemberStatus member;
      member.index = i;
      member.pod_name = pod_name("fit", 1, i);
      job.status.members.push_back(std::move(member));
    }
  }

  api::ResumableJob job = MakeJob("fit").get();
  ApiServer api_server;
  Context context{api_server};
  runtime::Store<api::ResumableJob> jobs;
  runtime::Store<api::GpuPool> pools;
  runtime::Store<api::Pod> pods;
  runtime::Store<api::Node> nodes;
  runtime::Store<api::NodeClaim> node_claims;
  runtime::Store<api::NodePool> node_pools;
  runtime::Store<api::Event> node_events, claim_events;
  runtime::Store<api::PersistentVolumeClaim> claims;
  runtime::Store<api::Service> services;
  runtime::Store<api::Namespace> namespaces;
  DepartedPods departed{jobs};
  Caches caches{jobs,        pools,        pods,   nodes,    node_claims, node_pools,
                node_events, claim_events, claims, services, namespaces};
};

api::Node earlier_machine() {
  return *MakeNode("ip-10-0-0-7").get();
}
constexpr const char* kNewMachine =
    R"({"metadata":{"name":"ip-10-0-0-7","uid":"uid-new"},"spec":{"providerID":"kwok://new"},)"
    R"("status":{"nodeInfo":{"bootID":"boot-new"}}})";

TEST(Observe, a_machine_s_identity_is_taken_from_the_api_server_when_a_node_s_name_is_used_again) {
  World world;
  world.begin(1);
  World::show(world.nodes, earlier_machine());
  World::show(world.node_claims, *MakeNodeClaim("claim-old", "ip-10-0-0-7").get());
  world.api_server.objects["Node/ip-10-0-0-7"] = kNewMachine;
  World::show(world.pods, world.pod("fit-1-0", "ip-10-0-0-7"));
  const auto members = world.look();
  EXPECT_EQ(members[0].memory.node_uid, "uid-new");
  EXPECT_EQ(members[0].memory.provider_id, "kwok://new");
  EXPECT_EQ(members[0].memory.node_claim_uid, "") << "the claim in the cache is of the earlier machine";
}

TEST(Observe, a_cache_that_is_behind_does_not_prove_that_a_machine_is_gone) {
  World world;
  world.begin(1);
  World::show(world.nodes, earlier_machine());
  world.api_server.objects["Node/ip-10-0-0-7"] = kNewMachine;
  api::Pod pod = world.pod("fit-1-0", "ip-10-0-0-7");
  api::ContainerStatus running;
  running.name = "trainer";
  running.state = api::ContainerStateKind::Running;
  pod.phase = api::PodPhase::Running;
  pod.container_statuses = {running};
  World::show(world.pods, pod);
  EXPECT_EQ(world.look()[0].memory.boot_id, "boot-new");
  const auto again = world.look();  // the cache still shows the earlier machine
  EXPECT_EQ(again[0].memory.boot_id, "boot-new");
  EXPECT_FALSE(again[0].signal) << again[0].signal->message;
  EXPECT_EQ(again[0].state, MemberState::Running);
}

TEST(Observe, a_node_that_the_cache_does_not_show_is_asked_for_before_it_counts_as_gone) {
  World world;
  world.begin(1);
  api::MemberStatus& recorded = world.job.status.members[0];
  recorded.pod_uid = "uid-of-fit-1-0";
  recorded.node_name = "ip-10-0-0-7";
  recorded.node_uid = "uid-new";
  World::show(world.pods, world.pod("fit-1-0", "ip-10-0-0-7"));
  world.api_server.objects["Node/ip-10-0-0-7"] = kNewMachine;
  EXPECT_FALSE(world.look()[0].signal);
  world.api_server.objects.clear();
  EXPECT_TRUE(world.look()[0].signal) << "the API server does not know it either";
}

TEST(Observe, asks_nothing_about_a_machine_that_is_as_it_was_recorded) {
  World world;
  world.begin(1);
  World::show(world.nodes, earlier_machine());
  world.api_server.objects["Node/ip-10-0-0-7"] =
      R"({"metadata":{"name":"ip-10-0-0-7","uid":"uid-ip-10-0-0-7"},"spec":{"providerID":"kwok://ip-10-0-0-7"},)"
      R"("status":{"nodeInfo":{"bootID":"boot-ip-10-0-0-7"}}})";
  World::show(world.pods, world.pod("fit-1-0", "ip-10-0-0-7"));
  (void)world.look();
  const int asked = world.api_server.requests;
  EXPECT_EQ(asked, 1) << "once, at the binding";
  (void)world.look();
  EXPECT_EQ(world.api_server.requests, asked);
}

// A new process finds an attempt that the one before had begun and made no pod of.
TEST(Observe, looks_for_a_gang_of_512_with_a_few_requests) {
  World world;
  world.begin(512);
  const auto members = world.look(false);
  EXPECT_LE(world.api_server.requests, 4);
  EXPECT_EQ(members[511].state, MemberState::NotCreated);
}

TEST(Observe, a_pod_of_a_gang_that_only_the_api_server_shows_is_waited_for) {
  World world;
  world.begin(512);
  world.api_server.lists["Pod"] =
      R"({"metadata":{"name":"fit-1-300","uid":"u","labels":{"reprise.dev/job-uid":"uid-fit"}}})";
  EXPECT_THROW((void)world.look(false), std::runtime_error);
}

TEST(Observe, hears_from_the_scheduler_where_pods_of_a_gang_were_bound_that_have_vanished) {
  World world;
  world.begin(64);
  world.api_server.lists["Event"] =
      R"({"metadata":{"name":"e","creationTimestamp":"2026-11-21T09:00:00Z"},"reason":"Scheduled",)"
      R"("involvedObject":{"kind":"Pod","name":"fit-1-40","uid":"uid-gone"},)"
      R"("message":"Successfully assigned vision/fit-1-40 to node-z"})";
  const auto members = world.look(false);
  EXPECT_EQ(members[40].memory.pod_uid, "uid-gone");
  EXPECT_EQ(members[40].memory.node_name, "node-z");
  EXPECT_EQ(members[40].state, MemberState::Vanished);
}

// The pod and the Node are gone, and nobody saw them: the NodeClaim that stands is all that speaks for the machine.
TEST(Observe, a_claim_that_stands_for_a_node_that_was_never_seen_proves_that_its_machine_may_run) {
  World world;
  world.begin(1);
  world.api_server.lists["Event"] =
      R"({"metadata":{"name":"e","creationTimestamp":"2026-11-21T09:00:00Z"},"reason":"Scheduled",)"
      R"("involvedObject":{"kind":"Pod","name":"fit-1-0","uid":"uid-gone"},)"
      R"("message":"Successfully assigned vision/fit-1-0 to node-z"})";
  world.api_server.lists["NodeClaim"] =
      R"({"metadata":{"name":"claim-z","uid":"uid-claim-z"},"status":{"nodeName":"node-z"}})";
  const auto members = world.look(false);
  EXPECT_EQ(members[0].memory.node_claim_uid, "uid-claim-z");
  ASSERT_TRUE(members[0].node_claim);
  EXPECT_EQ(members[0].memory.proof, api::EndProof::None);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
