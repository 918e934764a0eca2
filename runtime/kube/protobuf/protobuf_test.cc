// Both encodings give equal objects; no bytes break the reader.
#include "runtime/kube/protobuf/protobuf.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/kube/internal/dump_for_tests.h"
#include "runtime/kube/internal/wire_for_tests.h"
#include "runtime/kube/metadata.h"

namespace reprise::kube {
namespace {

using internal::dump;
using internal::WireWriter;

// Each text has a heap buffer of its own size, so that a sanitizer sees a byte too many.
template <class T>
void feed(std::string_view bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const std::string_view view(exact.data(), exact.size());
  const auto value = KindOf<T>::decode_protobuf(view);
  EXPECT_TRUE(value || !value.error().message.empty());
  (void)protobuf::open_envelope(view);
}

WireWriter a_meta() {
  WireWriter owner;
  owner.bytes(1, "ResumableJob").bytes(3, "finetune").bytes(4, "j1").bytes(5, "reprise.dev/v1alpha1");
  owner.number(6, 1).number(7, 0);
  WireWriter meta;
  meta.bytes(1, "finetune-3-0").bytes(2, "").bytes(3, "vision").bytes(5, "u1").bytes(6, "9").number(7, 4);
  meta.time(8, 1795251600).time(9, 1795251620).number(10, 20).entry(11, "a", "b").entry(12, "note", "x\n\"y\"");
  return meta.message(13, owner).bytes(14, "reprise.dev/job").bytes(17, "managed by somebody");
}
constexpr const char* kMetaJson =
    R"("metadata":{"name":"finetune-3-0","namespace":"vision","uid":"u1","resourceVersion":"9","generation":4,)"
    R"("creationTimestamp":"2026-11-21T09:00:00Z","deletionTimestamp":"2026-11-21T09:00:20Z","deletionGracePeriodSeconds":20,)"
    R"("labels":{"a":"b"},"annotations":{"note":"x\n\"y\""},"ownerReferences":[{"apiVersion":"reprise.dev/v1alpha1",)"
    R"("kind":"ResumableJob","name":"finetune","uid":"j1","controller":true,"blockOwnerDeletion":false}],)"
    R"("finalizers":["reprise.dev/job"]})";

template <class T>
void expect_equal(const WireWriter& rest, const std::string& rest_of_json) {
  const auto from_json = KindOf<T>::decode(std::string("{") + kMetaJson + rest_of_json + "}");
  ASSERT_TRUE(from_json) << from_json.error().path << from_json.error().message;
  const auto from_wire = KindOf<T>::decode_protobuf(WireWriter().message(1, a_meta()).raw(rest.str()).str());
  ASSERT_TRUE(from_wire) << from_wire.error().path << from_wire.error().message;
  EXPECT_EQ(dump(*from_wire), dump(*from_json));
}

WireWriter a_pod() {
  WireWriter spec;
  spec.message(1, WireWriter().bytes(1, "a").message(2, WireWriter().message(10, WireWriter().bytes(1, "claim-a"))));
  spec.message(1, WireWriter().bytes(1, "b").message(2, WireWriter().bytes(2, "")));
  WireWriter requests;
  requests.quantity(1, "nvidia.com/gpu.shared", "9").quantity(2, "cpu", "2").quantity(2, "nvidia.com/gpu.shared", "3");
  requests.quantity(2, "example.com/fraction", "500m");
  spec.message(2, WireWriter().bytes(1, "trainer").bytes(2, "image").message(8, requests));
  spec.message(2, WireWriter().bytes(1, "sidecar").message(8, WireWriter().quantity(2, "nvidia.com/gpu.shared", "1")));
  spec.bytes(3, "Never").number(4, 60).entry(7, "a", "b").bytes(10, "node-9");
  spec.message(20, WireWriter().bytes(1, "reprise-agent-install"));
  spec.message(20, WireWriter().bytes(1, "proxy").bytes(24, "Always"));
  WireWriter status;
  status.bytes(1, "Running").message(2, WireWriter().bytes(1, "Ready").bytes(2, "True").bytes(3, "").bytes(4, ""));
  status.message(2, WireWriter().bytes(1, "DisruptionTarget").bytes(2, "True").bytes(5, "Taint").bytes(6, "why"));
  status.bytes(3, "m").bytes(4, "Evicted").time(7, 1795248000);
  WireWriter terminated;
  terminated.number(1, 143).number(2, 0).bytes(3, "Error").bytes(4, "{}").bytes(5, "").time(6, 1795251601);
  status.message(
      8, WireWriter().bytes(1, "trainer").message(2, WireWriter().message(2, WireWriter().time(1, 1))).number(4, 1));
  status.message(8, WireWriter().bytes(1, "sidecar").message(2, WireWriter().message(3, terminated)).number(4, 0));
  status.message(8, WireWriter().bytes(1, "late").message(2, WireWriter().message(1, WireWriter().bytes(1, "Pull"))));
  status.message(10, WireWriter()
                         .bytes(1, "reprise-agent-install")
                         .message(2, WireWriter().message(3, WireWriter().number(1, 0).bytes(3, "Completed"))));
  status.message(10, WireWriter()
                         .bytes(1, "proxy")
                         .message(2, WireWriter().message(3, WireWriter().number(1, 143).bytes(3, "Error"))));
  return WireWriter().message(2, spec).message(3, status);
}

TEST(Protobuf, a_pod_is_the_same_in_both_encodings) {
  expect_equal<Pod>(a_pod(), R"(,"spec":{"nodeName":"node-9","restartPolicy":"Never","terminationGracePeriodSeconds":60,
    "nodeSelector":{"a":"b"},"initContainers":[{"name":"reprise-agent-install"},{"name":"proxy","restartPolicy":"Always"}],"containers":[
    {"name":"trainer","resources":{"limits":{"nvidia.com/gpu.shared":"9"},"requests":{"cpu":"2","nvidia.com/gpu.shared":"3","example.com/fraction":"500m"}}},
    {"name":"sidecar","resources":{"requests":{"nvidia.com/gpu.shared":"1"}}}],
    "volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"claim-a"}},{"name":"b","emptyDir":{}}]},
    "status":{"phase":"Running","reason":"Evicted","message":"m","startTime":"2026-11-21T08:00:00Z","conditions":[
    {"type":"Ready","status":"True"},{"type":"DisruptionTarget","status":"True","reason":"Taint","message":"why"}],
    "initContainerStatuses":[{"name":"reprise-agent-install","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
    {"name":"proxy","state":{"terminated":{"exitCode":143,"reason":"Error"}}}],
    "containerStatuses":[{"name":"trainer","ready":true,"state":{"running":{"startedAt":"1970-01-01T00:00:01Z"}}},
    {"name":"sidecar","ready":false,"state":{"terminated":{"exitCode":143,"reason":"Error","message":"{}","startedAt":null,"finishedAt":"2026-11-21T09:00:01Z"}}},
    {"name":"late","state":{"waiting":{"reason":"Pull"}}}]})");
}

TEST(Protobuf, a_pod_without_a_node_is_the_same_in_both_encodings_and_says_where_it_wants_to_run) {
  WireWriter spec;
  spec.entry(7, "reprise.dev/pool", "t4").entry(7, "a", "b");
  spec.message(22, WireWriter().bytes(1, "nvidia.com/gpu").bytes(2, "Exists")).message(22, WireWriter());
  expect_equal<Pod>(WireWriter().message(2, spec), R"(,"spec":{"nodeSelector":{"reprise.dev/pool":"t4","a":"b"},
    "tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"},{}]},"status":{})");
  const auto waiting = KindOf<Pod>::decode(R"({"spec":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"t"},{}]}})");
  EXPECT_EQ(waiting->node_selector, (StringMap{{"a", "b"}}));
  EXPECT_EQ(waiting->tolerated_taints, (List<Text>{"t", ""}));
  const auto bound =
      KindOf<Pod>::decode(R"({"spec":{"nodeName":"n","nodeSelector":{"a":"b"},"tolerations":[{"key":"t"}]}})");
  EXPECT_TRUE(bound->node_selector.empty()) << "nobody asks any more";
  EXPECT_TRUE(bound->tolerated_taints.empty());
}

TEST(Protobuf, of_a_node_s_annotations_the_one_that_asks_to_leave_it_stays) {
  const auto from_json = KindOf<Node>::decode(
      R"({"metadata":{"name":"a","annotations":{"note":"x","karpenter.sh/do-not-disrupt":"true"}}})");
  ASSERT_TRUE(from_json);
  const StringMap kept{{"karpenter.sh/do-not-disrupt", "true"}};
  EXPECT_EQ(from_json->meta.annotations, kept);
  WireWriter meta;
  meta.bytes(1, "a").entry(12, "note", "x").entry(12, "karpenter.sh/do-not-disrupt", "true");
  const auto from_wire = KindOf<Node>::decode_protobuf(WireWriter().message(1, meta).str());
  ASSERT_TRUE(from_wire);
  EXPECT_EQ(from_wire->meta.annotations, kept);
}

TEST(Protobuf, a_node_is_the_same_in_both_encodings) {
  WireWriter spec, status;
  spec.bytes(1, "10.0.0.0/24").bytes(3, "aws:///a/i-1").number(4, 1);
  spec.message(5, WireWriter().bytes(1, "karpenter.sh/disrupted").bytes(2, "").bytes(3, "NoSchedule").time(4, 5));
  status.quantity(1, "nvidia.com/gpu", "8").quantity(2, "cpu", "4").quantity(2, "nvidia.com/gpu.shared", "4");
  status.message(4, WireWriter().bytes(1, "Ready").bytes(2, "Unknown").time(3, 7).bytes(5, "r").bytes(6, "m"));
  status.message(7, WireWriter().bytes(1, "machine").bytes(3, "b1"));
  expect_equal<Node>(
      WireWriter().message(2, spec).message(3, status),
      R"(,"spec":{"podCIDR":"10.0.0.0/24","providerID":"aws:///a/i-1","unschedulable":true,"taints":[{"key":"karpenter.sh/disrupted","effect":"NoSchedule"}]},
      "status":{"capacity":{"nvidia.com/gpu":"8"},"allocatable":{"cpu":"4","nvidia.com/gpu.shared":"4"},"nodeInfo":{"machineID":"machine","bootID":"b1"},
      "conditions":[{"type":"Ready","status":"Unknown","reason":"r","message":"m"}]})");
}

TEST(Protobuf, the_small_kinds_are_the_same_in_both_encodings) {
  WireWriter spec;
  spec.bytes(1, "ReadWriteMany").bytes(1, "ReadWriteOnce").bytes(3, "pv-1");
  expect_equal<PersistentVolumeClaim>(
      WireWriter().message(2, spec).message(
          3, WireWriter().bytes(1, "Bound").bytes(2, "ReadWriteMany").quantity(3, "storage", "50Gi")),
      R"(,"spec":{"accessModes":["ReadWriteMany","ReadWriteOnce"],"volumeName":"pv-1"},"status":{"phase":"Bound","capacity":{"storage":"50Gi"}})");
  expect_equal<Service>(WireWriter().message(2, WireWriter().entry(2, "a", "b").bytes(3, "None").number(13, 1)),
                        R"(,"spec":{"clusterIP":"None"})");
  expect_equal<ConfigMap>(WireWriter().entry(2, "k", "line\n").entry(2, "empty", "").entry(3, "binary", "\x01"),
                          R"(,"data":{"k":"line\n","empty":""})");
  expect_equal<Namespace>(WireWriter().message(3, WireWriter().bytes(1, "Active")), R"(,"status":{"phase":"Active"})");
  WireWriter lease;
  lease.bytes(1, "a_1").number(2, 15).time(3, 1795251600, 5000).time(4, 1795251600, 123456789).number(5, 2);
  expect_equal<Lease>(
      WireWriter().message(2, lease),
      R"(,"spec":{"holderIdentity":"a_1","leaseDurationSeconds":15,"leaseTransitions":2,"acquireTime":"2026-11-21T09:00:00.000005Z","renewTime":"2026-11-21T09:00:00.123456Z"})");
}

TEST(Protobuf, events_of_both_apis_are_the_same_in_both_encodings) {
  WireWriter involved, modern, old;
  involved.bytes(1, "NodeClaim").bytes(2, "default").bytes(3, "c").bytes(4, "1");
  modern.message(2, involved).bytes(3, "SpotInterrupted").bytes(4, "m").message(5, WireWriter().bytes(1, ""));
  modern.bytes(7, "").bytes(9, "Warning").time(10, 1795251700, 500000000);
  modern.message(11, WireWriter().number(1, 2).time(2, 1795251702, 250000000)).bytes(14, "karpenter");
  expect_equal<Event>(
      modern,
      R"(,"involvedObject":{"kind":"NodeClaim","namespace":"default","name":"c","uid":"1"},"reason":"SpotInterrupted","message":"m",
      "source":{},"lastTimestamp":null,"type":"Warning","eventTime":"2026-11-21T09:01:40.5Z","series":{"count":2,"lastObservedTime":"2026-11-21T09:01:42.25Z"},"reportingComponent":"karpenter")");
  old.message(2, involved)
      .bytes(3, "r")
      .message(5, WireWriter().bytes(1, "handler").bytes(2, "host"))
      .time(7, 1795251800);
  expect_equal<Event>(old.bytes(9, "Normal").bytes(14, "other"),
                      R"(,"involvedObject":{"kind":"NodeClaim","namespace":"default","name":"c","uid":"1"},"reason":"r",
      "source":{"component":"handler"},"lastTimestamp":"2026-11-21T09:03:20Z","type":"Normal","reportingComponent":"other")");
}

TEST(Protobuf, metadata_alone_is_the_same_in_both_encodings) {
  const auto from_json = KindOf<Metadata<Pod>>::decode(std::string("{") + kMetaJson + R"(,"spec":7})");
  const auto from_wire = KindOf<Metadata<Pod>>::decode_protobuf(WireWriter().message(1, a_meta()).number(2, 7).str());
  ASSERT_TRUE(from_json && from_wire);
  EXPECT_EQ(dump(from_wire->meta), dump(from_json->meta));
}

TEST(Protobuf, nothing_is_an_object_with_its_defaults) {
  EXPECT_EQ(dump(KindOf<Pod>::decode_protobuf("").value()), dump(KindOf<Pod>::decode("{}").value()));
}

TEST(Protobuf, text_that_is_no_utf8_is_repaired_as_json_does) {
  const auto repaired = [](std::string_view text) {
    return KindOf<ConfigMap>::decode_protobuf(WireWriter().entry(2, "k", text).str()).value().data.at("k");
  };
  EXPECT_EQ(repaired("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(repaired("cut \xC3"), "cut \uFFFD");
  EXPECT_EQ(repaired("\xF0\x9F\x8E"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(repaired("a\xFFz\xED\xA0\x80"), "a\uFFFDz\uFFFD\uFFFD\uFFFD");
}

TEST(Protobuf, what_does_not_hold_is_an_error_with_its_place) {
  const auto error_of = [](const WireWriter& bytes) {
    const auto pod = KindOf<Pod>::decode_protobuf(bytes.str());
    return pod ? std::string("none") : pod.error().path + " " + pod.error().message;
  };
  EXPECT_EQ(error_of(WireWriter().number(1, 7)), "1 must be text, bytes or a message");
  EXPECT_EQ(error_of(WireWriter().message(1, WireWriter().bytes(7, "x"))), "1.7 must be a number");
  EXPECT_EQ(error_of(WireWriter().message(1, WireWriter().message(8, WireWriter().number(1, 1LL << 60)))),
            "1.8 must be a time");
  EXPECT_EQ(error_of(WireWriter().message(
                3, WireWriter().message(
                       8, WireWriter().message(2, WireWriter().message(3, WireWriter().number(1, 1LL << 40)))))),
            "3.8.2.3.1 must fit into 32 bits");
  EXPECT_EQ(error_of(WireWriter().raw("\x0A\x05"
                                      "ab")),
            "1 is not protobuf: end of buffer exception");
  EXPECT_EQ(error_of(WireWriter().raw("\x0B")), "0 is not protobuf: unknown pbf field type exception");
  EXPECT_EQ(error_of(WireWriter().raw(std::string_view("\0", 1))), "0 is not protobuf: invalid tag exception");
  EXPECT_EQ(error_of(WireWriter().raw("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")),
            "1 is not protobuf: varint too long exception");
}

TEST(Protobuf, too_large_is_an_error) {
  const auto big = [](std::size_t size) { return WireWriter().bytes(9, std::string(size, 'x')).str(); };
  EXPECT_TRUE(KindOf<Pod>::decode_protobuf(big(std::size_t{3} << 20)));
  const auto rejected = KindOf<Pod>::decode_protobuf(big(std::size_t{9} << 20));
  ASSERT_FALSE(rejected);
  EXPECT_EQ(rejected.error().message, "is larger than 8 MiB");
}

TEST(Protobuf, deep_nesting_costs_no_stack) {
  std::string bytes;
  for (int depth = 0; depth < 10'000; ++depth) bytes = WireWriter().bytes(1, bytes).str();
  EXPECT_TRUE(KindOf<Pod>::decode_protobuf(WireWriter().bytes(9, bytes).str()));
  feed<Pod>(bytes);
  feed<Node>(bytes);
  feed<Event>(WireWriter().bytes(2, bytes).str());
}

TEST(Protobuf, bytes_cut_or_changed_anywhere_are_an_object_or_an_error) {
  const std::string whole = WireWriter().message(1, a_meta()).raw(a_pod().str()).str();
  for (std::size_t cut = 0; cut < whole.size(); ++cut) feed<Pod>(std::string_view(whole).substr(0, cut));
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = whole;
    for (int n = 0; n < 3; ++n) changed[random() % changed.size()] = static_cast<char>(random());
    feed<Pod>(changed);
    feed<Node>(changed);
    feed<Event>(changed);
  }
}

TEST(Protobuf, an_envelope_names_what_it_holds) {
  const std::string bytes = internal::wire_envelope("v1", "Pod", "inner");
  const auto envelope = protobuf::open_envelope(bytes);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->kind, "Pod");
  EXPECT_EQ(envelope->object, "inner");
  EXPECT_FALSE(protobuf::open_envelope("{}"));
  EXPECT_FALSE(protobuf::open_envelope(std::string_view("k8s\0\x0A", 5)));
  EXPECT_FALSE(protobuf::open_envelope(bytes + WireWriter().bytes(3, "gzip").str()));
}

}  // namespace
}  // namespace reprise::kube
