// A field is written once: the description of its struct holds every member, and says of each what the CRD says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/pfr/tuple_size.hpp>
#include <functional>
#include <typeinfo>

#include "api/gpu_pool.h"
#include "api/internal/schema_for_tests.h"
#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "api/testing/source_tree.h"
#include "protocol/record.h"
#include "runtime/kube/core.h"
#include "runtime/kube/internal/yaml_for_tests.h"
#include "runtime/kube/node.h"

namespace reprise::api {
namespace {

using internal::schema_differences;
using internal::SchemaOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A member that the description leaves out would be neither read nor written, nor counted in a cache's memory.
template <class T>
void expect_whole();

template <class T>
void expect_members_whole(const T&) {
  if constexpr (kube::Described<T>) expect_whole<T>();
}
template <class T>
void expect_members_whole(const std::optional<T>&) {
  expect_members_whole(T{});
}
template <class T>
void expect_members_whole(const kube::Rare<T>&) {
  expect_members_whole(T{});
}
template <class T>
void expect_members_whole(const std::vector<T>&) {
  expect_members_whole(T{});
}
template <class T>
void expect_members_whole(const kube::List<T>&) {
  expect_members_whole(T{});
}

template <class T>
void expect_whole() {
  if constexpr (std::is_aggregate_v<T>) {
    std::size_t described = 0;
    const T value{};
    kube::for_each_member(value, [&](const auto& member) {
      ++described;
      expect_members_whole(member);
    });
    EXPECT_EQ(described, boost::pfr::tuple_size_v<T>) << typeid(T).name();
  }
}

TEST(Described, every_member_is_described) {
  expect_whole<GpuPool>();
  expect_whole<ResumableJob>();
  expect_whole<NodePool>();
  expect_whole<NodeClaim>();
  expect_whole<NodeOverlay>();
  expect_whole<protocol::Record>();
  expect_whole<kube::Pod>();
  expect_whole<kube::Node>();
  expect_whole<kube::PersistentVolumeClaim>();
  expect_whole<kube::Service>();
  expect_whole<kube::ConfigMap>();
  expect_whole<kube::Namespace>();
  expect_whole<kube::Event>();
  expect_whole<kube::Lease>();
}

template <class Spec, class Status>
std::vector<std::string> differences(const std::string& crd, const std::set<std::string>& not_read) {
  const auto definition = kube::internal::documents_of(testing::source_tree() + "/crds/" + crd).front();
  Json::Value described(Json::objectValue);
  described["type"] = "object";
  described["properties"]["spec"] = SchemaOf::type<Spec>();
  described["properties"]["status"] = SchemaOf::type<Status>();
  return schema_differences(described, definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"], not_read);
}

// Members that every kind has; read_meta() and the code that asks for the kind read them.
const std::set<std::string> kOfEveryKind{"apiVersion", "kind", "metadata"};

TEST(Described, gpu_pools_are_described_as_their_crd_defines_them) {
  EXPECT_THAT((differences<GpuPoolSpec, GpuPoolStatus>("reprise.dev_gpupools.yaml", kOfEveryKind)), IsEmpty());
}

TEST(Described, resumable_jobs_are_described_as_their_crd_defines_them) {
  std::set<std::string> not_read = kOfEveryKind;
  not_read.insert("spec.template");  // passed through as text; what decisions need of it is in PodTemplate
  EXPECT_THAT((differences<ResumableJobSpec, ResumableJobStatus>("reprise.dev_resumablejobs.yaml", not_read)),
              IsEmpty());
}

struct Part {
  std::string name;
  std::vector<std::int32_t> counts;
  static void fields(auto& self, auto& field) {
    field("name", self.name);
    field("counts", self.counts);
  }
};
struct Sample {
  std::optional<std::int32_t> size;
  kube::ConditionStatus status = kube::ConditionStatus::True;
  kube::List<Part> list;
  kube::Rare<Part> nested;
  static void fields(auto& self, auto& field) {
    field.nest("below", [&](auto& below) { below("size", self.size); });
    field("status", self.status);
    field("list", self.list);
    field("nested", self.nested);
  }
};

std::vector<std::string> planted(const std::function<void(Json::Value& properties)>& plant,
                                 const std::set<std::string>& not_read = {}) {
  const Json::Value described = SchemaOf::type<Sample>();
  Json::Value crd = described;
  plant(crd["properties"]);
  return schema_differences(described, crd, not_read);
}

TEST(DescribedCheck, what_agrees_is_not_reported) {
  EXPECT_THAT(planted([](Json::Value&) {}), IsEmpty());
}

TEST(DescribedCheck, a_field_that_the_crd_lacks_is_reported_at_any_depth) {
  EXPECT_THAT(planted([](Json::Value& all) { all["list"]["items"]["properties"].removeMember("counts"); }),
              ElementsAre("list[].counts: described, and not in the CRD"));
}

TEST(DescribedCheck, a_field_that_only_the_crd_has_is_reported_unless_it_is_listed) {
  const auto plant = [](Json::Value& all) { all["below"]["properties"]["more"]["type"] = "string"; };
  EXPECT_THAT(planted(plant), ElementsAre("below.more: in the CRD, neither described nor listed as not read"));
  EXPECT_THAT(planted(plant, {"below.more"}), IsEmpty());
}

TEST(DescribedCheck, another_type_is_reported) {
  EXPECT_THAT(planted([](Json::Value& all) { all["nested"]["properties"]["name"]["type"] = "boolean"; }),
              ElementsAre("nested.name: type is \"string\" by the description and \"boolean\" by the CRD"));
  EXPECT_THAT(planted([](Json::Value& all) { all["below"]["properties"]["size"]["format"] = "int64"; }),
              ElementsAre("below.size: format is \"int32\" by the description and \"int64\" by the CRD"));
  EXPECT_THAT(planted([](Json::Value& all) {
                all["list"]["items"]["properties"]["counts"]["items"]["type"] = "string";
                all["list"]["items"]["properties"]["counts"]["items"].removeMember("format");
              }),
              ElementsAre("list[].counts[]: type is \"integer\" by the description and \"string\" by the CRD",
                          "list[].counts[]: format is \"int32\" by the description and \"\" by the CRD"));
}

TEST(DescribedCheck, another_word_of_an_enum_is_reported) {
  EXPECT_THAT(
      planted([](Json::Value& all) { all["status"]["enum"].append("Maybe"); }),
      ElementsAre("status: enum is \"False True Unknown\" by the description and \"False Maybe True Unknown\" by the "
                  "CRD"));
}

TEST(DescribedCheck, a_stale_entry_of_the_list_is_reported) {
  EXPECT_THAT(planted([](Json::Value&) {}, {"nested", "gone"}),
              ElementsAre("nested: listed as not read, and described", "gone: listed as not read, and not in the CRD"));
}

}  // namespace
}  // namespace reprise::api
