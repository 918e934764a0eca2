// The shell's reactions to the API server's answers to its actions.
#include "controllers/resumablejob/shell/apply.h"

#include <gtest/gtest.h>

#include "controllers/testing/scripted_context.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::ScriptedContext;
using runtime::ErrorClass;
using runtime::Result;

// Answers every patch and creation with one error; reads show one object or none.
struct Answering {
  Answering(ErrorClass answer, const std::string& live, const std::string& key = "Pod/fit-1-0") {
    if (!live.empty()) context.objects = {{key, live}};
    context.on_create = [answer](const auto&, const auto&) { return runtime::fail(answer, "the answer"); };
    context.on_patch = [answer, this](const auto&, const std::string& body) -> Result<std::string> {
      sent = context.requests.back() + " " + body;
      return runtime::fail(answer, "the answer");
    };
  }
  ScriptedContext context;
  std::string sent;
};

Result<void> ask_for_checkpoint(ErrorClass answer, const std::string& live_pod) {
  Answering api(answer, live_pod);
  api::ResumableJob job;
  job.meta.namespace_ = "vision";
  std::string rejection;
  return apply(api.context, job, {RequestCheckpoint{"fit-1-0", "uid-1", "hint"}}, rejection);
}

std::string pod(const std::string& uid) {
  return R"({"metadata":{"name":"fit-1-0","namespace":"vision","uid":")" + uid + R"("},"spec":{},"status":{}})";
}

TEST(Apply, a_checkpoint_request_for_a_pod_that_is_gone_or_replaced_has_nobody_to_ask) {
  for (const ErrorClass answer : {ErrorClass::Conflict, ErrorClass::Invalid}) {
    EXPECT_TRUE(ask_for_checkpoint(answer, ""));
    EXPECT_TRUE(ask_for_checkpoint(answer, pod("uid-2")));
  }
  EXPECT_TRUE(ask_for_checkpoint(ErrorClass::NotFound, ""));
}

TEST(Apply, a_checkpoint_request_that_is_rejected_for_the_very_pod_is_an_error) {
  for (const ErrorClass answer : {ErrorClass::Conflict, ErrorClass::Invalid, ErrorClass::Unavailable}) {
    const auto requested = ask_for_checkpoint(answer, pod("uid-1"));
    ASSERT_FALSE(requested);
    EXPECT_EQ(requested.error().error_class, answer);
  }
}

Result<void> point_reports(ErrorClass answer) {
  Answering api(answer, pod("uid-1"));
  api::ResumableJob job;
  job.meta.namespace_ = "vision";
  std::string rejection;
  auto pointed = apply(api.context, job, {PointReports{"fit-1-0", "uid-1", "https://10.96.0.12:9446 MIIB"}}, rejection);
  EXPECT_EQ(rejection, "");
  return pointed;
}

TEST(Apply, a_pod_that_may_not_be_told_where_to_report_is_no_error_of_its_job) {
  for (const ErrorClass answer : {ErrorClass::Forbidden, ErrorClass::Invalid, ErrorClass::Terminal})
    EXPECT_TRUE(point_reports(answer));
  for (const ErrorClass answer : {ErrorClass::Unavailable, ErrorClass::NoPermit, ErrorClass::Cancelled})
    EXPECT_FALSE(point_reports(answer));
}

TEST(Apply, a_pod_is_marked_failed_only_as_it_was_seen) {
  Answering api(ErrorClass::Conflict, pod("uid-1"));
  api::ResumableJob job;
  std::string rejection;
  const auto marked = apply(api.context, job, {MarkPodFailed{"fit-1-0", "uid-1", "77"}}, rejection);
  EXPECT_EQ(api.sent, R"(patch Pod/fit-1-0/status {"metadata":{"resourceVersion":"77","uid":"uid-1"},)"
                      R"("status":{"phase":"Failed","reason":"AttemptEnded"}})");
  ASSERT_FALSE(marked) << "it was bound in between: to be looked at again";
  EXPECT_EQ(marked.error().error_class, ErrorClass::Conflict);
}

std::string reference(const std::string& name, const std::string& uid, bool controller) {
  return R"({"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","name":")" + name + R"(","uid":")" + uid +
         R"(","controller":)" + (controller ? "true}" : "false}");
}

// The Service of a job with uid job-1, whose name is taken by an object with this `metadata`.
struct Taken {
  runtime::Result<void> done;
  std::string rejection;
};
Taken create_service_where(const std::string& metadata) {
  Answering api(ErrorClass::AlreadyExists,
                R"({"metadata":{"name":"fit-rj","namespace":"vision","uid":"there")" + metadata + "}}",
                "Service/fit-rj");
  api::ResumableJob job;
  job.meta.namespace_ = "vision";
  job.meta.name = "fit";
  job.meta.uid = "job-1";
  kube::ObjectMeta meta;
  meta.name = "fit-rj";
  Taken taken;
  taken.done = apply(api.context, job, {CreateService{meta, {}}}, taken.rejection);
  return taken;
}

TEST(Apply, a_name_that_this_job_took_is_taken_for_its_own_work) {
  const Taken own = create_service_where(R"(,"labels":{"reprise.dev/job-uid":"job-1"},"ownerReferences":[)" +
                                         reference("fit", "job-1", true) + "]");
  EXPECT_TRUE(own.done);
  EXPECT_EQ(own.rejection, "");
}

TEST(Apply, a_name_that_somebody_else_holds_is_reported_to_the_job_s_owner) {
  const std::string labels = R"(,"labels":{"reprise.dev/job":"fit","reprise.dev/job-uid":"job-1"})";
  const auto owned = [&](const std::string& references) {
    return labels + R"(,"ownerReferences":[)" + references + "]";
  };
  for (const std::string& metadata :
       {std::string(R"(,"labels":{"reprise.dev/job-uid":"job-0"})"), labels, owned(reference("fit", "job-1", false)),
        owned(reference("other", "job-2", true)),
        owned(R"({"apiVersion":"apps/v1","kind":"ResumableJob","name":"fit","uid":"job-1","controller":true})"),
        R"(,"ownerReferences":[)" + reference("fit", "job-1", true) + "]",
        // No ResumableJob of ours, so that nobody collects it with one.
        owned(
            R"({"apiVersion":"example.com/v1","kind":"ResumableJob","name":"fit","uid":"job-0","controller":true})")}) {
    const Taken taken = create_service_where(metadata);
    ASSERT_FALSE(taken.done) << metadata;
    EXPECT_EQ(
        taken.rejection,
        "create Service vision/fit-rj: the name is taken by an object that is not this job's (uid there); remove it "
        "or rename the job")
        << metadata;
  }
}

TEST(Apply, a_name_whose_holder_is_going_is_waited_for) {
  for (const char* of_former_job :
       {R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")",
        R"(,"ownerReferences":[{"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","name":"fit","uid":"job-0",)"
        R"("controller":true}])"}) {
    const Taken going = create_service_where(of_former_job);
    ASSERT_FALSE(going.done);
    EXPECT_EQ(going.rejection, "");
  }
}

TEST(Apply, what_stands_in_the_way_is_said_until_nothing_fails) {
  Answering busy(ErrorClass::Throttled, "");
  kube::ObjectMeta meta;
  std::string rejection = "the name is taken";
  EXPECT_FALSE(apply(busy.context, api::ResumableJob{}, {CreateService{meta, {}}}, rejection));
  EXPECT_EQ(rejection, "the name is taken");
  EXPECT_TRUE(apply(busy.context, api::ResumableJob{}, {}, rejection));
  EXPECT_EQ(rejection, "");
}

TEST(Apply, whatever_code_a_creation_is_rejected_with_it_is_said_and_may_pass_later) {
  for (const ErrorClass answer : {ErrorClass::Invalid, ErrorClass::Forbidden, ErrorClass::Terminal}) {
    Answering api(answer, "");
    kube::ObjectMeta meta;
    meta.name = "fit-rj";
    std::string rejection;
    const auto done = apply(api.context, api::ResumableJob{}, {CreateService{meta, {}}}, rejection);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().error_class, ErrorClass::Terminal);
    EXPECT_EQ(rejection, "create Service /fit-rj: the answer");
  }
}

TEST(Apply, a_claim_is_reserved_only_as_it_was_seen) {
  Answering api(ErrorClass::Conflict, "");
  std::string rejection;
  const auto reserved = apply(api.context, api::ResumableJob{}, {ReserveClaim{"data", "77", "fit/1/uid-1"}}, rejection);
  EXPECT_EQ(
      api.sent,
      R"(patch PersistentVolumeClaim/data {"metadata":{"annotations":{"reprise.dev/used-by":"fit/1/uid-1"},"resourceVersion":"77"}})");
  ASSERT_FALSE(reserved) << "somebody else wrote there: to be looked at again";
  EXPECT_EQ(reserved.error().error_class, ErrorClass::Conflict);
  EXPECT_EQ(rejection, "");
}

// The answer shows the claim as it is then.
Taken let_go_of_claim(kube::List<kube::OwnerReference> others, const std::string& references, std::string& sent) {
  ScriptedContext context;
  context.on_patch = [&](const auto&, const std::string& body) -> Result<std::string> {
    sent = body;
    return R"({"metadata":{"name":"data","namespace":"vision","annotations":{"reprise.dev/used-by":"fit/1/job-1"},)"
           R"("ownerReferences":[)" +
           references + "]}}";
  };
  api::ResumableJob job;
  job.meta.namespace_ = "vision";
  job.meta.name = "fit";
  job.meta.uid = "job-1";
  Taken taken;
  taken.done = apply(context, job, {ReserveClaim{"data", "77", "fit/1/job-1", std::move(others)}}, taken.rejection);
  return taken;
}

TEST(Apply, a_claim_that_is_to_outlive_the_job_is_let_go_by_the_write_that_reserves_it) {
  std::string sent;
  EXPECT_TRUE(let_go_of_claim({}, "", sent).done);
  EXPECT_EQ(sent, R"({"metadata":{"annotations":{"reprise.dev/used-by":"fit/1/job-1"},"ownerReferences":null,)"
                  R"("resourceVersion":"77"}})");
  const kube::OwnerReference other{"v1", "ConfigMap", "note", "uid-note", false, false};
  EXPECT_TRUE(let_go_of_claim({other}, "", sent).done);
  EXPECT_NE(sent.find(R"("ownerReferences":[{"apiVersion":"v1")"), std::string::npos) << sent;
  EXPECT_NE(sent.find(R"("uid":"uid-note")"), std::string::npos) << sent;
  EXPECT_NE(sent.find(R"("resourceVersion":"77")"), std::string::npos) << sent;
}

TEST(Apply, a_claim_whose_reference_does_not_go_is_said_and_not_saved_on) {
  std::string sent;
  const Taken kept = let_go_of_claim({}, reference("fit", "job-1", true), sent);
  EXPECT_FALSE(kept.done);
  EXPECT_NE(kept.rejection.find("does not go from the claim"), std::string::npos) << kept.rejection;
}

TEST(Apply, where_nobody_may_change_owners_a_claim_that_outlives_the_job_all_the_same_is_reserved_with_them) {
  const auto reserve = [](bool may_stay, std::vector<std::string>& sent) {
    ScriptedContext context;
    context.on_patch = [&](const auto&, const std::string& body) -> Result<std::string> {
      sent.push_back(body);
      if (body.find("ownerReferences") != std::string::npos)
        return runtime::fail(ErrorClass::Forbidden, "cannot set an ownerRef on a resource you can't delete");
      return R"({"metadata":{"name":"data","annotations":{"reprise.dev/used-by":"fit/1/job-1"}}})";
    };
    std::string rejection;
    ReserveClaim action{"data", "77", "fit/1/job-1", kube::List<kube::OwnerReference>{}, may_stay};
    return apply(context, api::ResumableJob{}, {action}, rejection).has_value() && rejection.empty();
  };
  std::vector<std::string> sent;
  EXPECT_TRUE(reserve(true, sent));
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent.back().find("ownerReferences"), std::string::npos);
  sent.clear();
  EXPECT_FALSE(reserve(false, sent)) << "what is saved there would go with the job";
  EXPECT_EQ(sent.size(), 1U);
}

TEST(Apply, a_standby_pod_that_may_not_be_is_no_obstacle) {
  Answering api(ErrorClass::Forbidden, "");
  CreatePod standby;
  standby.pod_builder.name = "fit-1-0-standby";
  standby.pod_builder.template_json = R"({"spec":{"containers":[{"name":"trainer"}]}})";
  standby.pod_builder.standby_command = {"pause"};
  std::string rejection;
  EXPECT_TRUE(apply(api.context, api::ResumableJob{}, {standby}, rejection));
  EXPECT_EQ(rejection, "");
}

TEST(Apply, a_pod_that_is_gone_or_replaced_need_not_be_marked_failed) {
  for (const char* live : {"", R"({"metadata":{"name":"fit-1-0","uid":"uid-2"},"spec":{},"status":{}})"}) {
    Answering api(ErrorClass::Invalid, live);
    std::string rejection;
    EXPECT_TRUE(apply(api.context, api::ResumableJob{}, {MarkPodFailed{"fit-1-0", "uid-1", "77"}}, rejection)) << live;
  }
}

TEST(Apply, quota_is_given_back_only_as_the_workload_was_seen) {
  Answering api(ErrorClass::Conflict, "", "");
  api::ResumableJob job;
  job.meta.namespace_ = "vision";
  std::string rejection;
  const auto released = apply(api.context, job, {ReleaseQuota{"w", "77", {}}}, rejection);
  EXPECT_EQ(
      api.sent,
      R"(patch Workload/w/status {"metadata":{"resourceVersion":"77"},"status":{"admission":null,"conditions":[]}})");
  ASSERT_FALSE(released) << "Kueue was faster: to be looked at again";
}

TEST(Apply, a_report_to_a_workload_leaves_its_admission_alone) {
  Answering api(ErrorClass::Conflict, "", "");
  api::ResumableJob job;
  job.meta.namespace_ = "vision";
  std::string rejection;
  (void)apply(api.context, job, {ReportToWorkload{"w", "77", {}}}, rejection);
  EXPECT_EQ(api.sent, R"(patch Workload/w/status {"metadata":{"resourceVersion":"77"},"status":{"conditions":[]}})");
}

TEST(Apply, a_boost_that_cannot_be_written_is_no_error_of_its_job) {
  for (const ErrorClass answer : {ErrorClass::Forbidden, ErrorClass::Invalid, ErrorClass::Terminal,
                                  ErrorClass::Unavailable, ErrorClass::NotFound}) {
    Answering api(answer, "", "");
    std::string rejection;
    EXPECT_TRUE(apply(api.context, api::ResumableJob{}, {BoostPriority{"w", "uid-w", 2}}, rejection));
    EXPECT_EQ(rejection, "");
    EXPECT_EQ(api.sent,
              R"(patch Workload/w {"metadata":{"annotations":{"kueue.x-k8s.io/priority-boost":"2"},"uid":"uid-w"}})");
  }
}

TEST(Apply, a_boost_that_is_over_is_taken_off) {
  Answering api(ErrorClass::NotFound, "", "");
  std::string rejection;
  EXPECT_TRUE(apply(api.context, api::ResumableJob{}, {BoostPriority{"w", "uid-w", 0}}, rejection));
  EXPECT_EQ(api.sent,
            R"(patch Workload/w {"metadata":{"annotations":{"kueue.x-k8s.io/priority-boost":null},"uid":"uid-w"}})");
}

TEST(Apply, a_workload_that_is_gone_needs_no_word) {
  Answering api(ErrorClass::NotFound, "", "");
  std::string rejection;
  EXPECT_TRUE(apply(api.context, api::ResumableJob{}, {ReleaseQuota{"w", "77", {}}}, rejection));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
