#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

class Watches : public Contract {
 protected:
  [[nodiscard]] std::string from(const std::string& version) const {
    return maps() + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=200&resourceVersion=" + version;
  }
  [[nodiscard]] std::string streamed(const std::string& more = {}) const {
    return maps() + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=200&sendInitialEvents=true" +
           "&resourceVersionMatch=NotOlderThan" + more;
  }
  static void expect(const Frame& frame, std::string_view type, std::string_view name) {
    EXPECT_EQ(frame.type, type) << encoded(frame.object);
    EXPECT_EQ(frame.name(), name);
  }
};

TEST_F(Watches, from_a_version_tell_all_that_came_after_it) {
  const Reply before = get(maps());
  must_post(maps(), map("a"));
  merge(maps("a"), R"({"data":{"k":"w"}})");
  remove(maps("a"));
  Watch watch(from(before.version()));
  expect(watch.next(), "ADDED", "a");
  const Frame changed = watch.next();
  expect(changed, "MODIFIED", "a");
  EXPECT_EQ(simulator::text(changed.object, {"data", "k"}), "w");
  const Frame gone = watch.next();
  expect(gone, "DELETED", "a");
  EXPECT_GT(std::stoull(gone.version()), std::stoull(changed.version()));
  EXPECT_EQ(simulator::text(gone.object, {"data", "k"}), "w");
}

TEST_F(Watches, from_a_version_do_not_tell_what_was_before) {
  must_post(maps(), map("a"));
  Watch watch(from(get(maps()).version()));
  must_post(maps(), map("b"));
  expect(watch.next(), "ADDED", "b");
}

TEST_F(Watches, without_a_version_begin_with_all_that_is_there) {
  must_post(maps(), map("a"));
  Watch watch(maps() + "?watch=true");
  expect(watch.next(), "ADDED", "a");
  must_post(maps(), map("b"));
  expect(watch.next(), "ADDED", "b");
}

TEST_F(Watches, that_stream_a_list_say_when_it_is_complete) {
  must_post(maps(), map("a"));
  must_post(maps(), map("b"));
  const std::string version = get(maps()).version();
  Watch watch(streamed());
  expect(watch.next_of_all(), "ADDED", "a");
  expect(watch.next_of_all(), "ADDED", "b");
  const Frame end = watch.next_of_all();
  EXPECT_EQ(end.type, "BOOKMARK");
  EXPECT_EQ(simulator::text(end.object, {"kind"}), "ConfigMap");
  EXPECT_EQ(simulator::text(end.object, {"metadata", "annotations", "k8s.io/initial-events-end"}), "true");
  EXPECT_GE(std::stoull(end.version()), std::stoull(version));
  must_post(maps(), map("c"));
  expect(watch.next(), "ADDED", "c");
}

TEST_F(Watches, that_stream_a_list_of_nothing_say_so) {
  Watch watch(jobs() + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  const Frame end = watch.next_of_all();
  EXPECT_EQ(end.type, "BOOKMARK");
  EXPECT_EQ(simulator::text(end.object, {"metadata", "annotations", "k8s.io/initial-events-end"}), "true");
  EXPECT_EQ(simulator::text(end.object, {"kind"}), "ResumableJob");
}

TEST_F(Watches, that_stream_a_list_must_say_how_old_it_may_be) {
  Watch watch(maps() + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true");
  EXPECT_EQ(watch.status(), 422);
  EXPECT_THAT(watch.rejection(),
              testing::HasSubstr("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
}

TEST_F(Watches, that_stream_a_list_of_a_version_that_is_not_yet_time_out) {
  Watch watch(streamed("&resourceVersion=999999999"));
  const Frame error = watch.next_of_all();
  EXPECT_EQ(watch.status(), 200);
  EXPECT_EQ(error.type, "ERROR");
  EXPECT_EQ(simulator::number(error.object, {"code"}), 504);
  EXPECT_THAT(std::string(simulator::text(error.object, {"message"})),
              testing::HasSubstr("Too large resource version: 999999999"));
}

TEST_F(Watches, with_a_selector_see_objects_come_and_go) {
  Watch watch(from(get(maps()).version()) + "&labelSelector=app%3Dx");
  must_post(maps(), map("other", "y"));
  must_post(maps(), map("a", "x"));
  expect(watch.next(), "ADDED", "a");
  const Reply left = merge(maps("a"), R"({"metadata":{"labels":{"app":"y"}},"data":{"k":"w"}})");
  const Frame gone = watch.next();
  expect(gone, "DELETED", "a");
  EXPECT_EQ(gone.version(), left.version());
  EXPECT_EQ(simulator::text(gone.object, {"metadata", "labels", "app"}), "x");
  EXPECT_EQ(simulator::text(gone.object, {"data", "k"}), "v");
  merge(maps("a"), R"({"metadata":{"labels":{"app":"x"}}})");
  expect(watch.next(), "ADDED", "a");
  merge(maps("a"), R"({"data":{"k":"u"}})");
  expect(watch.next(), "MODIFIED", "a");
  remove(maps("a"));
  expect(watch.next(), "DELETED", "a");
}

TEST_F(Watches, with_a_field_selector_see_what_it_names) {
  must_post(pods(), pod("a"));
  Watch watch(pods() + "?watch=true&fieldSelector=spec.nodeName%3Dnode-a&resourceVersion=" + get(pods()).version());
  bind("a", "node-a");
  expect(watch.next(), "ADDED", "a");
}

TEST_F(Watches, of_all_namespaces_see_this_one) {
  Watch watch("/api/v1/configmaps?watch=true&fieldSelector=metadata.name%3D" + own("x") +
              "&resourceVersion=" + get(maps()).version());
  must_post(maps(), map(own("x")));
  expect(watch.next(), "ADDED", own("x"));
}

TEST_F(Watches, see_a_pod_go_in_two_steps) {
  must_post(pods(), pod("a"));
  bind("a");
  Watch watch(pods() + "?watch=true&resourceVersion=" + get(pods()).version());
  remove(pods("a"));
  const Frame going = watch.next();
  expect(going, "MODIFIED", "a");
  EXPECT_TRUE(simulator::being_deleted(going.object));
  EXPECT_EQ(simulator::number(going.object, {"metadata", "deletionGracePeriodSeconds"}), 30);
  remove(pods("a"), R"({"gracePeriodSeconds":0})");
  const Frame hurried = watch.next();
  expect(hurried, "MODIFIED", "a");
  EXPECT_EQ(simulator::number(hurried.object, {"metadata", "deletionGracePeriodSeconds"}), 0);
  expect(watch.next(), "DELETED", "a");
}

TEST_F(Watches, see_an_unbound_pod_marked_and_then_gone) {
  must_post(pods(), pod("a"));
  Watch watch(pods() + "?watch=true&resourceVersion=" + get(pods()).version());
  remove(pods("a"));
  const Frame going = watch.next();
  expect(going, "MODIFIED", "a");
  EXPECT_EQ(simulator::number(going.object, {"metadata", "deletionGracePeriodSeconds"}), 0);
  expect(watch.next(), "DELETED", "a");
}

TEST_F(Watches, see_the_last_finalizer_go_as_the_deletion) {
  Value made = map("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(maps(), made);
  Watch watch(from(get(maps()).version()));
  remove(maps("a"));
  expect(watch.next(), "MODIFIED", "a");
  merge(maps("a"), R"({"metadata":{"finalizers":null}})");
  expect(watch.next(), "DELETED", "a");
}

TEST_F(Watches, of_what_was_compacted_get_an_error_frame) {
  const std::string old = get(maps()).version();
  must_post(maps(), map("a"));
  must_post(maps(), map("b"));
  backend().compact();
  Watch watch(from(old));
  const Frame error = watch.next();
  EXPECT_EQ(watch.status(), 200);
  EXPECT_EQ(error.type, "ERROR");
  EXPECT_EQ(simulator::text(error.object, {"kind"}), "Status");
  EXPECT_EQ(simulator::number(error.object, {"code"}), 410);
  EXPECT_EQ(simulator::text(error.object, {"reason"}), "Expired");
  EXPECT_THAT(std::string(simulator::text(error.object, {"message"})),
              testing::StartsWith("too old resource version: " + old + " ("));
  EXPECT_TRUE(watch.closes());
}

TEST_F(Watches, show_metadata_alone_when_asked) {
  must_post(maps(), map("a"));
  Watch watch(streamed(), "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  const Frame frame = watch.next_of_all();
  expect(frame, "ADDED", "a");
  EXPECT_EQ(simulator::text(frame.object, {"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(simulator::find(frame.object, {"data"}), nullptr);
  const Frame end = watch.next_of_all();
  EXPECT_EQ(end.type, "BOOKMARK");
  EXPECT_EQ(simulator::text(end.object, {"metadata", "annotations", "k8s.io/initial-events-end"}), "true");
}

// Each minute, and two seconds before the end; the API server looks about once a second, so that the latter can come
// too late on a busy machine. It leaves out a bookmark that is no newer than what the watch began with: the change has
// to come when the watch is known to be there.
TEST_F(Watches, that_are_quiet_hear_bookmarks) {
  Watch watch(maps() +
              "?watch=true&allowWatchBookmarks=true&timeoutSeconds=70&resourceVersion=" + get(maps()).version());
  EXPECT_EQ(watch.status(), 200);
  must_post(maps(), map("a"));
  expect(watch.next_of_all(), "ADDED", "a");
  const Frame bookmark = watch.next_of_all();
  EXPECT_EQ(bookmark.type, "BOOKMARK");
  EXPECT_GE(std::stoull(bookmark.version()), std::stoull(get(maps("a")).version()));
}

TEST_F(Watches, of_an_unknown_field_are_rejected) {
  Watch watch(maps() + "?watch=true&fieldSelector=data.k%3Dv");
  EXPECT_EQ(watch.status(), 400);
  EXPECT_THAT(watch.rejection(), testing::HasSubstr("\\\"data.k\\\" is not a known field selector"));
}

}  // namespace
}  // namespace reprise::contract
