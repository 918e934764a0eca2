#include "node-agent/decide.h"

namespace reprise::node_agent {
namespace {

// The notice of this kind whose time comes first. A notice without a time tells less than any other.
const Notice* first_of(NoticeKind kind, const std::vector<Notice>& notices) {
  const Notice* first = nullptr;
  for (const Notice& each : notices) {
    if (each.kind != kind) continue;
    if (first == nullptr || (each.at && (!first->at || *each.at < *first->at))) first = &each;
  }
  return first;
}

}  // namespace

Plan decide(const NodeView& node, const Seen& seen) {
  Plan plan;
  for (const NoticeKind kind : kAllKinds) {
    const Notice* notice = first_of(kind, seen.notices);
    const bool borne = node.has_taint(wording_of(kind).taint);
    if (notice != nullptr && !borne) plan.added.push_back(*notice);
    if (notice == nullptr && borne && seen.complete()) plan.withdrawn.push_back(kind);
  }
  return plan;
}

}  // namespace reprise::node_agent
