#include "apps/kubectl-reprise/why/inquiry.h"

namespace reprise::plugin::why {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

void Inquiry::found(Finding finding) {
  const bool blocks = text_of(finding.cause).weight == Weight::NeedsPerson;
  step(finding.object.text(), blocks ? Mark::Blocks : Mark::Waits, first_line(finding.found));
  // The last of several findings that pass by themselves says most.
  finding_ = std::move(finding);
  closed_ = blocks;
}

Explanation Inquiry::explanation() && {
  Explanation result{
      .subject = seen.subject, .chain = std::move(chain_), .finding = std::move(finding_), .summary = {}};
  if (!result.finding) {
    result.summary = "nothing blocks " + result.subject.text();
  } else if (result.blocked()) {
    result.summary = result.finding->object.text() + " blocks " + result.subject.text();
    if (result.finding->object == result.subject) result.summary = result.subject.text() + " needs a person";
  } else {
    result.summary = result.subject.text() + " waits for what passes by itself";
  }
  return result;
}

}  // namespace reprise::plugin::why
