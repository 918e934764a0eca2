#include <gtest/gtest.h>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

const std::string kCreate = "create Pod vision/finetune-1-1: pods \"finetune-1-1\" is forbidden: ";

Row creation_rejected(std::string sentence, std::string message, Cause cause, std::string object, std::string to_do) {
  return {
      std::move(sentence), {stalled("FailedCreate", message)}, cause, std::move(object), message, std::move(to_do), {}};
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one row per cause
std::vector<Row> rows_about_creation() {
  return {
      creation_rejected(
          "a quota has no room",
          kCreate + "exceeded quota: team, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=4, "
                    "limited: requests.nvidia.com/gpu=4",
          Cause::QuotaExceeded, "ResourceQuota vision/team", "kubectl describe resourcequota team -n vision"),
      creation_rejected("a limit range does not allow so much",
                        kCreate + "maximum memory usage per Container is 1Gi, but limit is 64Gi",
                        Cause::LimitRangeExceeded, "ResumableJob vision/finetune",
                        "kubectl describe limitrange -n vision"),
      creation_rejected("the namespace enforces restricted pods",
                        kCreate + "violates PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false",
                        Cause::PodSecurityViolated, "Namespace vision", "kubectl get namespace vision --show-labels"),
      creation_rejected(
          "a policy denies it",
          kCreate + "ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: images need a tag",
          Cause::PolicyDenied, "ValidatingAdmissionPolicy no-latest",
          "kubectl get validatingadmissionpolicy no-latest"),
      creation_rejected(
          "a webhook denies it, in words of a quota",
          "create Pod vision/finetune-1-1: admission webhook \"gpu.example.com\" denied the request: exceeded quota: "
          "of the team",
          Cause::WebhookDenied, "Webhook gpu.example.com", "kubectl get validatingwebhookconfigurations"),
      creation_rejected(
          "a webhook does not answer",
          "create Pod vision/finetune-1-1: Internal error occurred: failed calling webhook \"gpu.example.com\": "
          "failed to call webhook: connection refused",
          Cause::WebhookUnreachable, "Webhook gpu.example.com", "mutatingwebhookconfigurations"),
      creation_rejected("the service account is not there",
                        kCreate + "error looking up service account vision/nobody: serviceaccount \"nobody\" not found",
                        Cause::ServiceAccountMissing, "ServiceAccount vision/nobody",
                        "kubectl create serviceaccount nobody -n vision"),
      creation_rejected("the priority class is not there", kCreate + "no PriorityClass with name urgent was found",
                        Cause::PriorityClassMissing, "PriorityClass urgent", "kubectl get priorityclasses"),
      creation_rejected(
          "somebody else's object has the name",
          "create Service vision/finetune-rj: the name is taken by an object that is not this job's (uid 7)",
          Cause::NameTaken, "ResumableJob vision/finetune", "kubectl describe resumablejob finetune -n vision"),
      creation_rejected("the API server calls it invalid",
                        "create Pod vision/finetune-1-1: spec.containers[0].volumeMounts[0].name: Not found: \"data\"",
                        Cause::CreationRejected, "ResumableJob vision/finetune", "kubectl describe resumablejob"),
      {"pods are not made, and a quota is used up, before the job says so",
       {waiting("WaitForStart", "the pods are being made"),
        "{kind: ResourceQuota, metadata: {name: team, namespace: vision}, status: {hard: {pods: \"4\"}, used: {pods: "
        "\"4\"}}}"},
       Cause::QuotaExceeded,
       "ResourceQuota vision/team",
       "pods: 4 of 4 are used",
       "kubectl describe resourcequota team -n vision",
       {"Pod"}},
  };
}

TEST(CreationPhase, names_who_says_no) {
  expect_all(rows_about_creation());
}

TEST(CreationPhase, a_full_quota_blocks_no_job_that_has_its_pods) {
  const Explanation explanation = explain_at_noon(
      world({waiting("WaitForStart", "2 of 2 pods are not ready"),
             "{kind: ResourceQuota, metadata: {name: team, namespace: vision}, status: {hard: {pods: \"2\"}, used: "
             "{pods: \"2\"}}}"}));
  EXPECT_FALSE(explanation.finding.has_value());
}

}  // namespace reprise::plugin::why::testing
