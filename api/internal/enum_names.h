// The names of enum values on the wire, found by argument-dependent lookup.
#pragma once

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "runtime/kube/internal/reader.h"

namespace reprise::api {

inline constexpr kube::internal::EnumName<CapacityType> kCapacityTypeNames[] = {
    {CapacityType::Spot, "Spot"}, {CapacityType::OnDemand, "OnDemand"}, {CapacityType::Reserved, "Reserved"}};
inline constexpr kube::internal::EnumName<SharingMode> kSharingModeNames[] = {{SharingMode::Exclusive, "Exclusive"},
                                                                              {SharingMode::TimeSlicing, "TimeSlicing"},
                                                                              {SharingMode::MPS, "MPS"},
                                                                              {SharingMode::MIG, "MIG"},
                                                                              {SharingMode::External, "External"}};
inline constexpr kube::internal::EnumName<HealthPolicy> kHealthPolicyNames[] = {
    {HealthPolicy::Ignore, "Ignore"}, {HealthPolicy::Report, "Report"}, {HealthPolicy::Replace, "Replace"}};
inline constexpr kube::internal::EnumName<FallbackPolicy> kFallbackPolicyNames[] = {
    {FallbackPolicy::Keep, "Keep"}, {FallbackPolicy::ReturnAtCheckpoint, "ReturnAtCheckpoint"}};
inline constexpr kube::internal::EnumName<ExternalPreset> kExternalPresetNames[] = {
    {ExternalPreset::Custom, "Custom"},
    {ExternalPreset::HAMi, "HAMi"},
    {ExternalPreset::FourParadigm, "FourParadigm"},
    {ExternalPreset::Volcano, "Volcano"},
    {ExternalPreset::Volcengine, "Volcengine"},
    {ExternalPreset::KAI, "KAI"},
    {ExternalPreset::Aliyun, "Aliyun"},
    {ExternalPreset::Nvshare, "Nvshare"}};
inline constexpr kube::internal::EnumName<VolumeAccess> kVolumeAccessNames[] = {{VolumeAccess::Shared, "Shared"},
                                                                                {VolumeAccess::PerIndex, "PerIndex"}};
inline constexpr kube::internal::EnumName<CheckpointVerify> kCheckpointVerifyNames[] = {
    {CheckpointVerify::Structure, "Structure"}, {CheckpointVerify::Full, "Full"}};
inline constexpr kube::internal::EnumName<UnprovenCheckpoints> kUnprovenCheckpointsNames[] = {
    {UnprovenCheckpoints::PutAside, "PutAside"}, {UnprovenCheckpoints::Use, "Use"}};
inline constexpr kube::internal::EnumName<WhenDeleted> kWhenDeletedNames[] = {{WhenDeleted::Retain, "Retain"},
                                                                              {WhenDeleted::Delete, "Delete"}};
inline constexpr kube::internal::EnumName<CheckpointFormat> kCheckpointFormatNames[] = {
    {CheckpointFormat::Auto, "Auto"},
    {CheckpointFormat::PyTorchDCP, "PyTorchDCP"},
    {CheckpointFormat::HuggingFace, "HuggingFace"},
    {CheckpointFormat::DeepSpeed, "DeepSpeed"},
    {CheckpointFormat::Megatron, "Megatron"},
    {CheckpointFormat::Orbax, "Orbax"},
    {CheckpointFormat::Lightning, "Lightning"},
    {CheckpointFormat::Marker, "Marker"},
    {CheckpointFormat::Manifest, "Manifest"},
    {CheckpointFormat::Plain, "Plain"}};
inline constexpr kube::internal::EnumName<ResumePolicy> kResumePolicyNames[] = {
    {ResumePolicy::Latest, "Latest"}, {ResumePolicy::Never, "Never"}, {ResumePolicy::FromScratch, "FromScratch"}};
inline constexpr kube::internal::EnumName<StandbyPolicy> kStandbyPolicyNames[] = {{StandbyPolicy::OnNotice, "OnNotice"},
                                                                                  {StandbyPolicy::Never, "Never"}};
inline constexpr kube::internal::EnumName<PlacementCapacity> kPlacementCapacityNames[] = {
    {PlacementCapacity::SpotPreferred, "SpotPreferred"},
    {PlacementCapacity::SpotOnly, "SpotOnly"},
    {PlacementCapacity::OnDemandOnly, "OnDemandOnly"}};
inline constexpr kube::internal::EnumName<FencingPolicy> kFencingPolicyNames[] = {{FencingPolicy::Proof, "Proof"},
                                                                                  {FencingPolicy::Silence, "Silence"}};
inline constexpr kube::internal::EnumName<FailureAction> kFailureActionNames[] = {
    {FailureAction::FailJob, "FailJob"}, {FailureAction::Count, "Count"}, {FailureAction::Ignore, "Ignore"}};
inline constexpr kube::internal::EnumName<EndProof> kEndProofNames[] = {{EndProof::None, "None"},
                                                                        {EndProof::NeverBound, "NeverBound"},
                                                                        {EndProof::KubeletReport, "KubeletReport"},
                                                                        {EndProof::MachineGone, "MachineGone"},
                                                                        {EndProof::PersonConfirmed, "PersonConfirmed"}};
inline constexpr kube::internal::EnumName<AttemptEndCause> kAttemptEndCauseNames[] = {
    {AttemptEndCause::Interruption, "Interruption"},
    {AttemptEndCause::CheckpointedExit, "CheckpointedExit"},
    {AttemptEndCause::ApplicationFailure, "ApplicationFailure"},
    {AttemptEndCause::IgnoredFailure, "IgnoredFailure"},
    {AttemptEndCause::Rejected, "Rejected"},
    {AttemptEndCause::NotInstalled, "NotInstalled"},
    {AttemptEndCause::Refused, "Refused"},
    {AttemptEndCause::Hung, "Hung"},
    {AttemptEndCause::VolumeFull, "VolumeFull"},
    {AttemptEndCause::Outdated, "Outdated"},
    {AttemptEndCause::Suspended, "Suspended"},
    {AttemptEndCause::PodsReadyTimeout, "PodsReadyTimeout"},
    {AttemptEndCause::Succeeded, "Succeeded"},
    {AttemptEndCause::Failed, "Failed"},
    {AttemptEndCause::Deleted, "Deleted"}};

constexpr const auto& names_of(CapacityType) {
  return kCapacityTypeNames;
}
constexpr const auto& names_of(SharingMode) {
  return kSharingModeNames;
}
constexpr const auto& names_of(FallbackPolicy) {
  return kFallbackPolicyNames;
}
constexpr const auto& names_of(HealthPolicy) {
  return kHealthPolicyNames;
}
constexpr const auto& names_of(ExternalPreset) {
  return kExternalPresetNames;
}
constexpr const auto& names_of(VolumeAccess) {
  return kVolumeAccessNames;
}
constexpr const auto& names_of(CheckpointVerify) {
  return kCheckpointVerifyNames;
}
constexpr const auto& names_of(UnprovenCheckpoints) {
  return kUnprovenCheckpointsNames;
}
constexpr const auto& names_of(WhenDeleted) {
  return kWhenDeletedNames;
}
constexpr const auto& names_of(CheckpointFormat) {
  return kCheckpointFormatNames;
}
constexpr const auto& names_of(ResumePolicy) {
  return kResumePolicyNames;
}
constexpr const auto& names_of(StandbyPolicy) {
  return kStandbyPolicyNames;
}
constexpr const auto& names_of(PlacementCapacity) {
  return kPlacementCapacityNames;
}
constexpr const auto& names_of(FencingPolicy) {
  return kFencingPolicyNames;
}
constexpr const auto& names_of(FailureAction) {
  return kFailureActionNames;
}
constexpr const auto& names_of(EndProof) {
  return kEndProofNames;
}
constexpr const auto& names_of(AttemptEndCause) {
  return kAttemptEndCauseNames;
}

}  // namespace reprise::api
