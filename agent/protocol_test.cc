// The agent keeps its own copy of the protocol; here both are compared.
#include "protocol/agent_protocol.h"

#include <gtest/gtest.h>

#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

namespace operator_side = api::agent_protocol;

TEST(protocol, names_are_those_of_the_operator) {
  EXPECT_EQ(protocol::kJobUid, operator_side::kJobUid);
  EXPECT_EQ(protocol::kAttempt, operator_side::kAttempt);
  EXPECT_EQ(protocol::kIndex, operator_side::kIndex);
  EXPECT_EQ(protocol::kParallelism, operator_side::kParallelism);
  EXPECT_EQ(protocol::kPodUid, operator_side::kPodUid);
  EXPECT_EQ(protocol::kCheckpointDir, operator_side::kCheckpointDir);
  EXPECT_EQ(protocol::kVolumeAccess, operator_side::kVolumeAccess);
  EXPECT_EQ(protocol::kFormat, operator_side::kFormat);
  EXPECT_EQ(protocol::kKeep, operator_side::kKeep);
  EXPECT_EQ(protocol::kPeriod, operator_side::kPeriod);
  EXPECT_EQ(protocol::kGrace, operator_side::kGrace);
  EXPECT_EQ(protocol::kResume, operator_side::kResume);
  EXPECT_EQ(protocol::kExpectedStep, operator_side::kExpectedStep);
  EXPECT_EQ(protocol::kExpectedCheckpoint, operator_side::kExpectedCheckpoint);
  EXPECT_EQ(protocol::kFromScratchSince, operator_side::kFromScratchSince);
  EXPECT_EQ(protocol::kNoticeSignal, operator_side::kNoticeSignal);
  EXPECT_EQ(protocol::kNoticeFile, operator_side::kNoticeFile);
  EXPECT_EQ(protocol::kAnnotationsFile, operator_side::kAnnotationsFile);
  EXPECT_EQ(protocol::kTerminationLog, operator_side::kTerminationLog);
  EXPECT_EQ(protocol::kResumeFrom, operator_side::kResumeFrom);
  EXPECT_EQ(protocol::kCheckpointRequestAnnotation, operator_side::kCheckpointRequestAnnotation);
}

TEST(protocol, exit_codes_are_those_of_the_operator) {
  EXPECT_EQ(protocol::kUsageExitCode, operator_side::kUsageExitCode);
  EXPECT_EQ(protocol::kCheckpointedExitCode, operator_side::kCheckpointedExitCode);
  EXPECT_EQ(protocol::kCheckpointLostExitCode, operator_side::kCheckpointLostExitCode);
  EXPECT_EQ(protocol::kFencedExitCode, operator_side::kFencedExitCode);
}

}  // namespace
}  // namespace reprise::agent
