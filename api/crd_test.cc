// The CRDs and the types of this folder say the same: the examples in crds/testdata hold every property of the schemas
// between them, and come back from decode and encode as they were.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "api/testing/source_tree.h"
#include "runtime/kube/internal/yaml_for_tests.h"

namespace reprise::api {
namespace {

using kube::internal::documents_of;
using kube::internal::to_text;

const std::string kRoot = testing::source_tree() + "/crds/";

// The pod template and the claim's spec are Kubernetes' own schemas and are passed through as text.
bool is_foreign(const std::string& path) {
  return path == "spec.template" || path == "spec.checkpoint.volume.claimTemplate.spec";
}

void collect_schema(const Json::Value& schema, const std::string& path, std::set<std::string>& out) {
  if (!path.empty()) out.insert(path);
  if (is_foreign(path)) return;
  for (const std::string& name : schema["properties"].getMemberNames()) {
    if (path.empty() && name != "spec" && name != "status") continue;
    collect_schema(schema["properties"][name], path.empty() ? name : path + "." + name, out);
  }
  if (schema.isMember("items")) collect_schema(schema["items"], path, out);
}

void collect_values(const Json::Value& value, const std::string& path, const std::set<std::string>& known,
                    std::set<std::string>& out) {
  if (value.isArray()) {
    for (const Json::Value& item : value) collect_values(item, path, known, out);
    return;
  }
  if (!path.empty()) out.insert(path);
  if (!value.isObject() || is_foreign(path)) return;
  for (const std::string& name : value.getMemberNames()) {
    if (path.empty() && name != "spec" && name != "status") continue;
    const std::string below = path.empty() ? name : path + "." + name;
    // Keys of maps (labels) are not properties.
    const bool in_map = known.contains(path) && known.lower_bound(path + ".") == known.lower_bound(path + "/");
    if (!in_map) collect_values(value[name], below, known, out);
  }
}

std::vector<std::string> missing(const std::set<std::string>& of, const std::set<std::string>& in) {
  std::vector<std::string> out;
  std::ranges::set_difference(of, in, std::back_inserter(out));
  return out;
}

template <class T>
void expect_one_truth(const std::string& crd, const std::string& examples) {
  const auto definition = documents_of(kRoot + crd).front();
  std::set<std::string> in_schema;
  collect_schema(definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"], "", in_schema);
  std::set<std::string> in_examples;
  for (const Json::Value& example : documents_of(kRoot + "testdata/" + examples)) {
    collect_values(example, "", in_schema, in_examples);
    const auto object = kube::KindOf<T>::decode(to_text(example));
    ASSERT_TRUE(object) << object.error().path << ": " << object.error().message;
    EXPECT_EQ(kube::internal::parse_tree(encode(*object)).value(), example);
  }
  EXPECT_EQ(missing(in_schema, in_examples), std::vector<std::string>{}) << "no example has these";
  EXPECT_EQ(missing(in_examples, in_schema), std::vector<std::string>{}) << "the schema lacks these";
}

TEST(Crd, gpu_pools_schema_and_types_have_the_same_fields) {
  expect_one_truth<GpuPool>("reprise.dev_gpupools.yaml", "full-gpupool.yaml");
}

TEST(Crd, resumable_jobs_schema_and_types_have_the_same_fields) {
  expect_one_truth<ResumableJob>("reprise.dev_resumablejobs.yaml", "full-resumablejob.yaml");
}

// Every default of the schema, put into an otherwise empty object, must change nothing.
void collect_defaults(const Json::Value& schema, Json::Value& into) {
  for (const std::string& name : schema["properties"].getMemberNames()) {
    const Json::Value& property = schema["properties"][name];
    if (property.isMember("default")) into[name] = property["default"];
    if (property.isMember("properties") && property["type"] == "object" && into.isMember(name)) {
      collect_defaults(property, into[name]);
    }
  }
}

template <class T>
void expect_same_defaults(const std::string& crd) {
  const auto definition = documents_of(kRoot + crd).front();
  const Json::Value& schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
  Json::Value filled(Json::objectValue);
  for (const char* const part : {"spec", "status"}) {
    filled[part] = Json::Value(Json::objectValue);
    collect_defaults(schema["properties"][part], filled[part]);
  }
  const auto with = kube::KindOf<T>::decode(to_text(filled));
  const auto without = kube::KindOf<T>::decode("{}");
  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->spec, without->spec) << to_text(filled);
  EXPECT_EQ(with->status, without->status);
}

TEST(Crd, defaults_of_the_schema_are_the_defaults_of_the_types) {
  expect_same_defaults<GpuPool>("reprise.dev_gpupools.yaml");
  expect_same_defaults<ResumableJob>("reprise.dev_resumablejobs.yaml");
}

// The API server rejects a whole status for one value that the schema does not know.
TEST(Crd, the_status_of_an_external_pool_can_be_written) {
  GpuPoolStatus status;
  status.isolation = {.memory = "Unknown", .compute = "Unknown", .fault = "Unknown"};
  const auto written = kube::internal::parse_tree(encode_status_patch(status, "1")).value()["status"]["isolation"];
  const auto definition = documents_of(kRoot + "reprise.dev_gpupools.yaml").front();
  const Json::Value& known = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
                                       ["properties"]["isolation"]["properties"];
  ASSERT_EQ(written.getMemberNames(), known.getMemberNames());
  for (const std::string& name : known.getMemberNames()) {
    EXPECT_NE(std::ranges::find(known[name]["enum"], written[name]), known[name]["enum"].end()) << name;
  }
}

}  // namespace
}  // namespace reprise::api
