#include "rehearsal/plan/other_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::rehearsal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RehearsedJob job_with(const std::string& pod) {
  const auto job = read_job(
      "kind: ResumableJob\nmetadata: {name: a, namespace: ml}\nspec:\n"
      "  checkpoint: {path: /c, volume: {claimTemplate: {spec: {}}}}\n  template: {spec: {" +
          pod + "}}\n",
      "rehearsal");
  EXPECT_TRUE(job) << job.error().message;
  return *job;
}

const std::string kContainers =
    "containers: [{name: t, image: i, command: [train], volumeMounts: [{name: data, mountPath: /data/}]}]";
const std::string kVolumes =
    "volumes: [{name: own, persistentVolumeClaim: {claimName: a-checkpoints}}, {name: e, emptyDir: {}}, "
    "{name: data, persistentVolumeClaim: {claimName: imagenet}}], " +
    kContainers;

std::string rejection_of(const ClaimFiles& files, bool may_mount = true) {
  const auto checked = check_claims({job_with(kVolumes)}, files, may_mount);
  return checked ? "" : checked.error().message;
}

TEST(OtherClaims, are_all_but_the_checkpoints) {
  EXPECT_THAT(other_claims(job_with(kVolumes)),
              ElementsAre(OtherClaim{.claim = "imagenet", .volume = "data", .field = "spec.template.spec.volumes[2]"}));
  EXPECT_THAT(other_claims(job_with(kContainers)), IsEmpty());
}

TEST(OtherClaims, without_a_directory_are_rejected_with_the_flag_that_names_one) {
  EXPECT_THAT(rejection_of({}), HasSubstr("ResumableJob a: spec.template.spec.volumes[2]: found claim imagenet"));
  EXPECT_THAT(rejection_of({}), HasSubstr("--mount imagenet=DIR"));
  EXPECT_EQ(rejection_of({{"imagenet", "/srv/imagenet"}}), "");
}

TEST(OtherClaims, a_directory_whose_claim_nobody_has_is_a_mistake) {
  EXPECT_EQ(rejection_of({{"imagenet", "/srv/imagenet"}, {"imagenot", "/srv"}}),
            "--mount: found claim imagenot, must be one that a job mounts: imagenet");
}

TEST(OtherClaims, without_the_right_to_mount_the_files_must_be_where_the_container_looks) {
  EXPECT_EQ(rejection_of({{"imagenet", "/data"}}, false), "");
  EXPECT_THAT(rejection_of({{"imagenet", "/srv/imagenet"}}, false),
              HasSubstr("container t looks for claim imagenet at /data/, and this user may not mount"));
}

}  // namespace
}  // namespace reprise::rehearsal
