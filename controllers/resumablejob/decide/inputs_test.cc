// Which changes of a pool wake its jobs.
#include "controllers/resumablejob/decide/inputs.h"

#include <gtest/gtest.h>

#include "controllers/testing/builders.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;

api::GpuPool with_machines(std::vector<api::MachinesStatus> machines, std::int32_t used = 0) {
  api::GpuPool pool = *MakePool("t4").get();
  pool.status.capacity = {{.type = api::CapacityType::Spot, .gpus_used = used, .machines = std::move(machines)}};
  for (const api::MachinesStatus& each : pool.status.capacity[0].machines)
    pool.status.capacity[0].gpus += each.gpus * each.count;
  return pool;
}

TEST(Inputs, machines_that_come_or_go_wake_jobs_that_wait) {
  const api::GpuPool none = with_machines({}), one = with_machines({{8, 1}}), eight = with_machines({{1, 8}});
  EXPECT_TRUE(changed_for_waiting_jobs(none, one));
  EXPECT_TRUE(changed_for_waiting_jobs(one, none));
  EXPECT_TRUE(changed_for_waiting_jobs(one, eight)) << "as many GPUs, and no room for a rank of eight";
  EXPECT_FALSE(changed_for_jobs(none, one)) << "jobs that run need not look";
}

TEST(Inputs, a_pod_on_a_machine_wakes_no_job) {
  EXPECT_FALSE(changed_for_waiting_jobs(with_machines({{8, 1}}), with_machines({{8, 1}}, 8)));
}

TEST(Inputs, a_job_waits_for_its_pool_while_no_attempt_is_under_way) {
  api::ResumableJob job = MakeJob("a").get();
  EXPECT_TRUE(waits_for_pool(job));
  job.status.members.emplace_back();
  EXPECT_FALSE(waits_for_pool(job));
  job.status.members.clear();
  job.status.completion_time = kStart;
  EXPECT_FALSE(waits_for_pool(job));
  job.status.completion_time.reset();
  job.spec.suspend = true;
  EXPECT_FALSE(waits_for_pool(job));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
