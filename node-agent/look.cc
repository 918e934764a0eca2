#include "node-agent/look.h"

#include <utility>

namespace reprise::node_agent {
namespace {

constexpr int kNotFound = 404;
constexpr int kTooManyRequests = 429;

}  // namespace

int Look::read(const Question& question, const Reads& reads) {
  const agent::Answer answer = ask(question);
  if (answer.status == 0 || answer.status == kNotFound) return answer.status;
  if (!answer.is_good()) {
    failed(question.path, "it answers " + std::to_string(answer.status));
    return answer.status;
  }
  auto found = reads(answer.body);
  if (!found) failed(question.path, found.error());
  for (Notice& notice : found.value_or(std::vector<Notice>{})) seen_.notices.push_back(std::move(notice));
  return answer.status;
}

std::optional<std::string> Look::need(const Question& question) {
  agent::Answer answer = ask(question);
  if (answer.status == 0) return std::nullopt;
  if (answer.is_good() && !answer.body.empty()) return std::move(answer.body);
  failed(question.path, "it answers " + std::to_string(answer.status) + " with " + std::to_string(answer.body.size()) +
                            " bytes, and nothing is known without it");
  return std::nullopt;
}

agent::Answer Look::ask(const Question& question) {
  if (silent_) return {};
  auto answer = metadata_.ask(question);
  if (answer) {
    seen_.unwell |= answer->status >= 500 || answer->status == kTooManyRequests;
    return *std::move(answer);
  }
  silent_ = seen_.unwell = true;
  failed(question.path, answer.error());
  return {};
}

void Look::failed(const std::string& what, const std::string& why) {
  if (seen_.problem.empty()) seen_.problem = what + ": " + why;
}

}  // namespace reprise::node_agent
