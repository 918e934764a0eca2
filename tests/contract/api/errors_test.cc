// Rejections of wrong requests.
#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

using Errors = Contract;

TEST_F(Errors, a_failure_is_a_status) {
  const Reply rejected = get(pods("none"));
  EXPECT_EQ(rejected.text({"kind"}), "Status");
  EXPECT_EQ(rejected.text({"apiVersion"}), "v1");
  EXPECT_EQ(rejected.text({"status"}), "Failure");
  EXPECT_EQ(rejected.number({"code"}), 404);
}

TEST_F(Errors, a_kind_that_the_core_group_does_not_have_is_a_status) {
  const Reply rejected = get("/api/v1/namespaces/" + ns + "/wizards");
  EXPECT_EQ(rejected.status, 404);
  EXPECT_EQ(rejected.reason(), "NotFound");
  EXPECT_EQ(rejected.message(), "the server could not find the requested resource");
}

TEST_F(Errors, a_kind_that_is_not_installed_is_no_status) {
  for (const char* path : {"/apis/wizards.dev/v1/wizards", "/apis/reprise.dev/v1alpha1/wizards",
                           "/apis/reprise.dev/v9/gpupools", "/apis/reprise.dev/v1alpha1/namespaces/default/gpupools"}) {
    const Reply rejected = get(path);
    EXPECT_EQ(rejected.status, 404) << path;
    EXPECT_EQ(rejected.raw, "404 page not found\n") << path;
  }
}

TEST_F(Errors, a_named_object_is_not_created) {
  const Reply rejected = post(maps("a"), map("a"));
  EXPECT_EQ(rejected.status, 405);
  EXPECT_EQ(rejected.reason(), "MethodNotAllowed");
}

TEST_F(Errors, a_kind_that_a_group_of_the_server_does_not_have_is_a_status) {
  EXPECT_EQ(get("/apis/coordination.k8s.io/v1/namespaces/" + ns + "/wizards").reason(), "NotFound");
}

TEST_F(Errors, a_collection_of_custom_resources_is_not_patched) {
  const Reply rejected = merge(jobs(), "{}");
  EXPECT_EQ(rejected.status, 400);
  EXPECT_EQ(rejected.message(), "name must be provided");
}

TEST_F(Errors, a_collection_is_not_patched) {
  const Reply rejected = merge(maps(), "{}");
  EXPECT_EQ(rejected.status, 405);
  EXPECT_EQ(rejected.reason(), "MethodNotAllowed");
}

TEST_F(Errors, a_resourceVersion_is_a_number) {
  EXPECT_EQ(get(maps() + "?resourceVersionMatch=NotOlderThan&resourceVersion=abc").status, 400);
}

}  // namespace
}  // namespace reprise::contract
