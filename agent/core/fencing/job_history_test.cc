// Former attempts tell this of a job, and only few of them are asked.
#include "agent/core/fencing/job_history.h"

#include <gtest/gtest.h>

#include "agent/testing/faulty_files.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using testing_support::put_text;

class JobHistoryTest : public testing_support::VolumeTest {
 protected:
  JobHistoryTest() {
    volume_ = std::make_shared<Volume>(root(), std::make_unique<MarkerFormat>(),
                                       std::make_unique<const testing_support::FaultyFiles>(
                                           faults_, std::make_shared<testing_support::FakeCalls>(), root()));
  }
  // `age`: of the choice, before now.
  void chose(int attempt, const std::string& job, std::chrono::hours age, const std::string& rejection = "") const {
    const auto file = volume_->layout.resume_point(attempt);
    put_text(file, encode_resume_point({.job_uid = job, .attempt = attempt, .rejection = rejection}));
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - age);
  }
  [[nodiscard]] JobHistory history(int attempt) const {
    return read_history(*volume_, {.job_uid = "job", .pod_uid = "pod", .attempt = attempt}).value();
  }
  [[nodiscard]] runtime::WallTime time_of(int attempt) const {
    return volume_->files.look(volume_->layout.resume_point(attempt), Links::Stay).value()->modified;
  }

  std::shared_ptr<testing_support::Faults> faults_ = std::make_shared<testing_support::Faults>();
};

TEST_F(JobHistoryTest, a_job_began_with_the_earliest_of_its_choices) {
  chose(1, "other", std::chrono::hours(9));
  chose(2, "job", std::chrono::hours(5));
  chose(3, "job", std::chrono::hours(2));
  const auto found = history(4);
  EXPECT_EQ(found.began, time_of(2));
  EXPECT_TRUE(found.has_trained);
}

TEST_F(JobHistoryTest, an_attempt_that_was_refused_has_not_trained_and_later_ones_are_asked) {
  for (int attempt = 1; attempt <= 40; ++attempt) chose(attempt, "job", std::chrono::hours(50 - attempt), "refused");
  EXPECT_FALSE(history(41).has_trained);
  chose(41, "job", std::chrono::hours(1));
  const auto found = history(42);
  EXPECT_TRUE(found.has_trained);
  EXPECT_EQ(found.began, time_of(1));
}

TEST_F(JobHistoryTest, however_many_attempts_a_job_had_few_of_them_are_read) {
  for (int attempt = 1; attempt <= 300; ++attempt) chose(attempt, "job", std::chrono::hours(400 - attempt));
  EXPECT_TRUE(history(301).has_trained);
  EXPECT_LE(faults_->read_together, 16);
}

}  // namespace
}  // namespace reprise::agent
