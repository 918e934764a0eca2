#include "controllers/reports/judge_report.h"

#include <gtest/gtest.h>

namespace reprise::controllers::reports {
namespace {

struct Setting {
  PodIdentity who{"vision", "fit-2-1", "pod-uid"};
  kube::Pod pod;
  api::ResumableJob job;
  protocol::LiveReport said{.attempt = 2, .index = 1};
  bool pod_known = true, job_known = true;

  Setting() {
    pod.meta.namespace_ = "vision";
    pod.meta.name = "fit-2-1";
    pod.meta.uid = "pod-uid";
    pod.meta.labels = {{"reprise.dev/job", "fit"}, {"reprise.dev/job-uid", "job-uid"}, {"reprise.dev/attempt", "2"}};
    pod.meta.owner_references = {{.api_version = "reprise.dev/v1alpha1",
                                  .kind = "ResumableJob",
                                  .name = "fit",
                                  .uid = "job-uid",
                                  .controller = true}};
    job.meta.namespace_ = "vision";
    job.meta.name = "fit";
    job.meta.uid = "job-uid";
    job.status.attempt = 2;
    for (const int index : {0, 1}) {
      api::RankStatus rank;
      rank.index = index;
      rank.pod_name = "fit-2-" + std::to_string(index);
      rank.pod_uid = index == 1 ? "pod-uid" : "other-uid";
      job.status.members.push_back(rank);
    }
  }
  [[nodiscard]] auto judged() const {
    return judge_report(who, pod_known ? &pod : nullptr, job_known ? &job : nullptr, said);
  }
};

TEST(JudgeReport, a_rank_of_the_attempt_under_way_speaks_for_itself) {
  const auto judged = Setting().judged();
  ASSERT_TRUE(judged) << judged.error().message;
  EXPECT_EQ(to_string(*judged), "vision/fit");
}

TEST(JudgeReport, a_rank_whose_uid_is_not_recorded_yet_is_known_by_its_name) {
  Setting setting;
  setting.job.status.members[1].pod_uid = {};
  EXPECT_TRUE(setting.judged());
}

struct Refused {
  const char* sentence;
  std::function<void(Setting&)> change;
  int status;
};

TEST(JudgeReport, nobody_speaks_for_another) {
  const Refused table[] = {
      {"a pod that the cache does not show", [](Setting& s) { s.pod_known = false; }, 404},
      {"a pod that took the name of the token's", [](Setting& s) { s.pod.meta.uid = "newer"; }, 404},
      {"a pod of no job, labelled like one", [](Setting& s) { s.pod.meta.owner_references = {}; }, 403},
      {"a pod that a job owns and does not control",
       [](Setting& s) { s.pod.meta.owner_references.front().controller = false; }, 403},
      {"a pod that somebody else controls", [](Setting& s) { s.pod.meta.owner_references.front().kind = "Job"; }, 403},
      {"a pod of an earlier job of that name", [](Setting& s) { s.pod.meta.owner_references.front().uid = "former"; },
       404},
      {"a pod of another namespace", [](Setting& s) { s.who.namespace_ = s.pod.meta.namespace_ = "elsewhere"; }, 404},
      {"a job that is gone", [](Setting& s) { s.job_known = false; }, 404},
      {"a job of that name that came later", [](Setting& s) { s.job.meta.uid = "newer"; }, 404},
      {"a pod of the job that is no rank", [](Setting& s) { s.who.name = s.pod.meta.name = "stranger"; }, 409},
      {"a pod that was made again by somebody", [](Setting& s) { s.job.status.members[1].pod_uid = "former"; }, 409},
      {"a rank of an attempt that is over", [](Setting& s) { s.job.status.members.clear(); }, 409},
      {"another rank", [](Setting& s) { s.said.index = 0; }, 403},
      {"another attempt", [](Setting& s) { s.said.attempt = 1; }, 403},
  };
  for (const Refused& row : table) {
    Setting setting;
    row.change(setting);
    const auto judged = setting.judged();
    ASSERT_FALSE(judged) << row.sentence;
    EXPECT_EQ(judged.error().status, row.status) << row.sentence << ": " << judged.error().message;
  }
}

}  // namespace
}  // namespace reprise::controllers::reports
