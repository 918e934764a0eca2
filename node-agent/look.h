// One look at a cloud, document by document.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/clouds/cloud.h"

namespace reprise::node_agent {

// Reads the notices of a document; an error where it makes no sense.
using Reads = std::function<std::expected<std::vector<Notice>, std::string>(std::string_view body)>;

class Look {
 public:
  explicit Look(Metadata& metadata) : metadata_(metadata) {}

  // Asks for a document; 404 says that there is nothing to tell. Adds its notices, and keeps the first problem. Returns
  // the status; 0 where there was no answer, and from then on without asking.
  int read(const Question& question, const Reads& reads);
  // The same for a document that everything else needs. Returns its text; nothing where there is none.
  [[nodiscard]] std::optional<std::string> need(const Question& question);

  [[nodiscard]] Seen seen() && { return std::move(seen_); }
  void failed(const std::string& what, const std::string& why);

 private:
  [[nodiscard]] agent::Answer ask(const Question& question);

  Metadata& metadata_;
  Seen seen_;
  bool silent_ = false;
};

}  // namespace reprise::node_agent
