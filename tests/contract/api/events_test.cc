// The operator writes events of events.k8s.io/v1 and reads those of the core group: the same objects.
#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

class Events : public Contract {
 protected:
  [[nodiscard]] std::string events(std::string_view name = {}) const {
    std::string path = "/apis/events.k8s.io/v1/namespaces/" + ns + "/events";
    return name.empty() ? path : path + "/" + std::string(name);
  }
  [[nodiscard]] Value event(std::string_view name) const {
    Value made = json(R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{},
      "eventTime":"2026-01-01T00:00:00.123456Z","reportingController":"reprise.dev/operator",
      "reportingInstance":"operator-0","type":"Normal","reason":"Resumed","action":"Resume","note":"from step 7",
      "regarding":{"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","name":"a","uid":"u"}})");
    simulator::set(made, {"metadata", "name"}, name);
    simulator::set(made, {"regarding", "namespace"}, ns);
    return made;
  }
};

TEST_F(Events, of_the_new_group_are_seen_in_the_core_group) {
  const Reply made = post(events(), event("e"));
  ASSERT_EQ(made.status, 201) << made.raw;
  EXPECT_EQ(made.text({"apiVersion"}), "events.k8s.io/v1");
  EXPECT_EQ(made.text({"regarding", "kind"}), "ResumableJob");
  EXPECT_EQ(made.text({"note"}), "from step 7");
  const Reply core = get(in_namespace("events", "e"));
  EXPECT_EQ(core.text({"apiVersion"}), "v1");
  EXPECT_EQ(core.text({"involvedObject", "name"}), "a");
  EXPECT_EQ(core.text({"message"}), "from step 7");
  EXPECT_EQ(core.text({"reportingComponent"}), "reprise.dev/operator");
  EXPECT_EQ(core.text({"reportingInstance"}), "operator-0");
  EXPECT_EQ(core.text({"eventTime"}), "2026-01-01T00:00:00.123456Z");
  EXPECT_EQ(core.uid(), made.uid());
}

TEST_F(Events, are_selected_by_what_they_are_about) {
  must_post(events(), event("e"));
  const Reply found = get(in_namespace("events") + "?fieldSelector=involvedObject.kind%3DResumableJob");
  ASSERT_EQ(simulator::array(found.body, {"items"}).size(), 1U);
  const Reply none = get(in_namespace("events") + "?fieldSelector=involvedObject.kind%3DNode");
  EXPECT_TRUE(simulator::array(none.body, {"items"}).empty());
}

TEST_F(Events, are_watched_by_what_they_are_about) {
  Watch watch(in_namespace("events") + "?watch=true&fieldSelector=involvedObject.kind%3DResumableJob&resourceVersion=" +
              get(in_namespace("events")).version());
  must_post(events(), event("e"));
  const Frame frame = watch.next();
  EXPECT_EQ(frame.type, "ADDED");
  EXPECT_EQ(simulator::text(frame.object, {"involvedObject", "name"}), "a");
}

TEST_F(Events, become_a_series) {
  must_post(events(), event("e"));
  const Reply patched =
      merge(events("e"), R"({"series":{"count":3,"lastObservedTime":"2026-01-01T00:05:00.000000Z"}})");
  EXPECT_EQ(patched.status, 200) << patched.raw;
  EXPECT_EQ(patched.number({"series", "count"}), 3);
  EXPECT_EQ(get(in_namespace("events", "e")).number({"series", "count"}), 3);
}

TEST_F(Events, that_are_gone_take_no_series) {
  EXPECT_EQ(merge(events("e"), R"({"series":{"count":3,"lastObservedTime":"2026-01-01T00:05:00.000000Z"}})").status,
            404);
}

TEST_F(Events, say_when_what_and_by_whom) {
  for (const char* field : {"eventTime", "reportingController", "reportingInstance", "action", "reason"}) {
    Value made = event("e");
    simulator::unset(made, {field});
    const Reply rejected = post(events(), made);
    EXPECT_EQ(rejected.status, 422) << field;
    EXPECT_THAT(rejected.message(), testing::HasSubstr(std::string(field) + ": Required value")) << field;
  }
}

TEST_F(Events, of_the_core_group_are_taken_as_they_are) {
  const Reply made = post(in_namespace("events"), json(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},
    "involvedObject":{"kind":"Pod","namespace":")" + ns +
                                                       R"(","name":"a"},"reason":"Killing","message":"m",
    "type":"Normal","source":{"component":"kubelet","host":"n"},"firstTimestamp":"2026-01-01T00:00:00Z",
    "lastTimestamp":"2026-01-01T00:00:00Z","count":1})"));
  EXPECT_EQ(made.status, 201) << made.raw;
  EXPECT_EQ(get(events("e")).text({"deprecatedSource", "component"}), "kubelet");
}

}  // namespace
}  // namespace reprise::contract
