// The writes of a watch, and their times, with a cloud, an API server and a clock that the test holds.
#include "node-agent/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "agent/json/json.h"

namespace reprise::node_agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HeldClock final : public runtime::Clock {
 public:
  runtime::Instant now{1h};
  [[nodiscard]] runtime::WallTime wall() const override {
    return runtime::WallTime{now.time_since_epoch() / 1us * 1us};
  }
  [[nodiscard]] runtime::Instant steady() const override { return now; }
};

class PlayedCloud final : public Cloud {
 public:
  Seen seen;
  int looks = 0;
  Seen look(Metadata&, runtime::WallTime) override { return ++looks, seen; }
};

class NoMetadata final : public Metadata {
 public:
  std::expected<agent::Answer, std::string> ask(const Question&) override { return std::unexpected("nobody"); }
};

// One Node, as the API server keeps it. Refusals are answered first.
class PlayedCluster final : public Cluster {
 public:
  NodeView node{.name = "gpu-1", .uid = "u", .resource_version = "1", .provider_id = {}, .taints = {}};
  std::deque<Refusal> refuse_patch, refuse_event, refuse_read;
  std::vector<std::string> calls;
  std::vector<std::string> events;

  std::expected<NodeView, Refusal> read_node() override {
    calls.emplace_back("read");
    if (auto refusal = take(refuse_read)) return std::unexpected(*refusal);
    return node;
  }
  std::expected<NodeView, Refusal> patch_node(const std::string& json) override {
    calls.emplace_back("patch");
    if (auto refusal = take(refuse_patch)) return std::unexpected(*refusal);
    const auto patch = *agent::parse_array(json);
    if (*agent::text_of(patch.at(0).as_object(), "value") != node.resource_version)
      return std::unexpected(Refusal{.status = 422, .why = "test"});
    node.taints = patch.at(1).as_object().at("value").as_array();
    node.resource_version += "1";
    return node;
  }
  std::expected<void, Refusal> create_event(const std::string& json) override {
    calls.emplace_back("event");
    if (auto refusal = take(refuse_event)) return std::unexpected(*refusal);
    events.push_back(json);
    return {};
  }

 private:
  static std::optional<Refusal> take(std::deque<Refusal>& from) {
    if (from.empty()) return std::nullopt;
    auto first = from.front();
    from.pop_front();
    return first;
  }
};

struct Scene {
  HeldClock clock;
  PlayedCloud cloud;
  NoMetadata metadata;
  PlayedCluster cluster;
  std::vector<std::string> said;
  Watch watch = start();

  Watch start() {
    return {cluster.node, cloud, metadata, cluster, clock, [this](std::string_view text) { said.emplace_back(text); }};
  }
  void look(int times = 1) {
    for (int each = 0; each < times; ++each) {
      watch.look();
      clock.now += Watch::kPeriod;
    }
  }
  void spot_notice() { cloud.seen.notices = {{.kind = NoticeKind::SpotInterruption, .said = "AWS takes it"}}; }
};

TEST(Watch, asks_nothing_of_the_api_server_while_the_cloud_says_nothing) {
  Scene scene;
  scene.look(100);
  EXPECT_EQ(scene.cloud.looks, 100);
  EXPECT_THAT(scene.cluster.calls, IsEmpty());
  EXPECT_THAT(scene.said, IsEmpty());
}

TEST(Watch, writes_the_taint_and_then_the_event_at_once_and_once) {
  Scene scene;
  scene.spot_notice();
  scene.look();
  EXPECT_THAT(scene.cluster.calls, ElementsAre("read", "patch", "event"));
  EXPECT_TRUE(scene.cluster.node.has_taint("reprise.dev/spot-interruption"));
  scene.look(100);
  EXPECT_EQ(scene.cluster.calls.size(), 3U);
  EXPECT_THAT(scene.said, ElementsAre(HasSubstr("bears the taint reprise.dev/spot-interruption now: AWS takes it")));
}

TEST(Watch, that_starts_anew_writes_nothing_again) {
  Scene scene;
  scene.spot_notice();
  scene.look();
  scene.watch.~Watch();
  new (&scene.watch) Watch(scene.start());
  scene.look(10);
  EXPECT_EQ(scene.cluster.calls.size(), 3U);
}

TEST(Watch, keeps_what_others_wrote_in_between) {
  Scene scene;
  scene.spot_notice();
  scene.cluster.node.taints.push_back(boost::json::object{{"key", "theirs"}});  // after the watch had read it
  scene.cluster.refuse_patch = {{.status = 422, .why = "test"}, {.status = 409, .why = "conflict"}};
  scene.look();
  EXPECT_THAT(scene.cluster.calls, ElementsAre("read", "patch", "read", "patch", "read", "patch", "event"));
  EXPECT_TRUE(scene.cluster.node.has_taint("theirs"));
  EXPECT_TRUE(scene.cluster.node.has_taint("reprise.dev/spot-interruption"));
}

TEST(Watch, gives_up_a_race_for_a_while) {
  Scene scene;
  scene.spot_notice();
  scene.cluster.refuse_patch.assign(5, {.status = 409, .why = "conflict"});
  scene.look();
  EXPECT_EQ(scene.cluster.calls.size(), 10U);
  scene.look();
  EXPECT_TRUE(scene.cluster.node.has_taint("reprise.dev/spot-interruption"));
}

TEST(Watch, takes_its_taint_off_when_the_notice_is_withdrawn) {
  Scene scene;
  scene.spot_notice();
  scene.look();
  scene.cloud.seen.notices.clear();
  scene.cloud.seen.problem = "no answer in time";
  scene.look();
  EXPECT_TRUE(scene.cluster.node.has_taint("reprise.dev/spot-interruption")) << "silence is no withdrawal";
  scene.cloud.seen.problem.clear();
  scene.look();
  EXPECT_FALSE(scene.cluster.node.has_taint("reprise.dev/spot-interruption"));
  EXPECT_EQ(scene.cluster.events.size(), 1U);
}

TEST(Watch, asks_a_silent_service_less_often_and_says_so_once) {
  Scene scene;
  scene.cloud.seen = {.notices = {}, .problem = "no answer in time", .unwell = true};
  scene.look(60);
  EXPECT_LT(scene.cloud.looks, 12);
  EXPECT_GT(scene.cloud.looks, 7) << "at least every eight seconds";
  EXPECT_THAT(scene.said, ElementsAre(HasSubstr("no answer in time")));
  scene.cloud.seen = {};
  scene.look(10);
  EXPECT_THAT(scene.said.back(), HasSubstr("answers again"));
}

TEST(Watch, asks_as_often_as_ever_where_one_document_is_nonsense) {
  Scene scene;
  scene.cloud.seen.problem = "it has no list of Events";
  scene.look(60);
  EXPECT_EQ(scene.cloud.looks, 60);
}

TEST(Watch, goes_on_looking_while_the_api_server_is_away_and_writes_when_it_is_back) {
  Scene scene;
  scene.spot_notice();
  scene.cluster.refuse_read.assign(3, {.status = 0, .why = "no connection in time"});
  scene.look(4);
  EXPECT_EQ(scene.cloud.looks, 4);
  EXPECT_LT(scene.cluster.calls.size(), 4U) << "less often each time";
  scene.look(8);
  EXPECT_TRUE(scene.cluster.node.has_taint("reprise.dev/spot-interruption"));
  EXPECT_THAT(scene.said.front(), HasSubstr("no connection in time"));
}

TEST(Watch, event_that_fails_is_tried_again_one_that_is_there_or_refused_is_not) {
  Scene scene;
  scene.spot_notice();
  scene.cluster.refuse_event = {{.status = 503, .why = "busy"}, {.status = 429, .why = "busy", .retry_after = 5s}};
  scene.look(10);
  EXPECT_EQ(scene.cluster.events.size(), 1U);
  EXPECT_TRUE(scene.cluster.node.has_taint("reprise.dev/spot-interruption")) << "the taint does not wait for it";
  for (const int status : {409, 403}) {
    Scene refused;
    refused.spot_notice();
    refused.cluster.refuse_event = {{.status = status, .why = "so"}};
    refused.look(10);
    EXPECT_EQ(refused.cluster.calls.size(), 3U) << status;
  }
}

}  // namespace
}  // namespace reprise::node_agent
