#include "apps/kubectl-reprise/why/reading/scheduler_message.h"

#include <algorithm>
#include <string>

namespace reprise::plugin::why {
namespace {

struct ComplaintPhrase {
  std::string_view text;
  Complaint means;
};
// Several releases of the scheduler word them differently.
constexpr ComplaintPhrase kComplaints[] = {
    {"unbound immediate PersistentVolumeClaims", Complaint::ClaimUnbound},
    {"didn't find available persistent volumes to bind", Complaint::ClaimUnbound},
    {"bound to non-existent", Complaint::ClaimUnbound},
    {"ReadWriteOncePod", Complaint::ClaimHeld},
    {"volume node affinity conflict", Complaint::VolumeZone},
    {"PersistentVolume's node affinity", Complaint::VolumeZone},
    {"no available volume zone", Complaint::VolumeZone},
    {"max volume count", Complaint::VolumeCount},
    {"topology spread constraints", Complaint::Affinity},
    {"affinity rules", Complaint::Affinity},
    {"node affinity", Complaint::Selector},
    {"node selector", Complaint::Selector},
    {"untolerated taint", Complaint::Taint},
    {"didn't tolerate", Complaint::Taint},
    {"were unschedulable", Complaint::Cordoned},
    {"Insufficient ", Complaint::Insufficient},
    {"Too many pods", Complaint::Insufficient},
    {"didn't have free ports", Complaint::Insufficient},
};

Complaint complaint_in(std::string_view part) {
  if (part.find("persistentvolumeclaim \"") != std::string_view::npos) {
    if (part.find("not found") != std::string_view::npos) return Complaint::ClaimNotFound;
    if (part.find("is being deleted") != std::string_view::npos) return Complaint::ClaimDeleting;
  }
  for (const ComplaintPhrase& phrase : kComplaints) {
    if (part.find(phrase.text) != std::string_view::npos) return phrase.means;
  }
  return Complaint::Other;
}

}  // namespace

std::vector<Complaint> read_complaints(std::string_view message) {
  // The part about preemption comes last and gives no reason of its own.
  message = message.substr(0, message.find(" preemption: "));
  if (const auto colon = message.find("nodes are available: "); colon != std::string_view::npos) {
    message.remove_prefix(colon + std::string_view("nodes are available: ").size());
  }
  std::vector<Complaint> complaints;
  while (!message.empty()) {
    const auto end = message.find(", ");
    const Complaint complaint = complaint_in(message.substr(0, end));
    if (std::ranges::find(complaints, complaint) == complaints.end()) complaints.push_back(complaint);
    message = end == std::string_view::npos ? std::string_view() : message.substr(end + 2);
  }
  return complaints;
}

}  // namespace reprise::plugin::why
