// A metadata service in memory, for tests: documents by path.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "node-agent/clouds/cloud.h"

namespace reprise::node_agent::testing_support {

class Documents final : public Metadata {
 public:
  // A document that is not here is answered by 404.
  std::map<std::string, agent::Answer> answers;
  std::vector<Question> asked;
  bool silent = false;

  void put(const std::string& path, std::string body) { answers[path] = {.status = 200, .body = std::move(body)}; }

  std::expected<agent::Answer, std::string> ask(const Question& question) override {
    asked.push_back(question);
    if (silent) return std::unexpected("no answer in time");
    const auto found = answers.find(question.path);
    return found == answers.end() ? agent::Answer{.status = 404, .body = "<html>"} : found->second;
  }

  [[nodiscard]] static std::string header(const Question& question, const std::string& name) {
    for (const auto& [key, value] : question.headers) {
      if (key == name) return value;
    }
    return {};
  }
};

}  // namespace reprise::node_agent::testing_support
