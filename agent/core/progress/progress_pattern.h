// Finds in a line of what a trainer prints how far it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/progress/progress.h"
#include "runtime/base/error.h"

namespace reprise::agent {

class ProgressPattern {
 public:
  // Patterns of lines that common libraries print: "step 120/1000", "global_step=120", "'global_step': 120", bars of
  // tqdm, and Lightning's of an epoch, which counts batches: their number in all epochs so far is the step.
  ProgressPattern();
  // RE2; the first group is the step, a second one the last step. An error says what is wrong with it.
  [[nodiscard]] static runtime::Result<ProgressPattern> compile(const std::string& pattern);
  ProgressPattern(ProgressPattern&&) noexcept;
  ProgressPattern& operator=(ProgressPattern&&) noexcept;
  ~ProgressPattern();

  [[nodiscard]] std::optional<ProgressNote> find(std::string_view line) const;

 private:
  struct Own;
  struct Common;
  std::unique_ptr<Own> own_;
  std::unique_ptr<Common> common_;
};

}  // namespace reprise::agent
