// $REPRISE_RESUME_FROM: a link in a directory private to this pod that leads to the checkpoint and has its name (some
// frameworks read the step out of the name). Where no link can be made, the checkpoint's own path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::agent {

class ResumeLink {
 public:
  // Tries the directories in turn.
  ResumeLink(const std::filesystem::path& checkpoint, const std::vector<std::filesystem::path>& places);
  ResumeLink(const ResumeLink&) = delete;
  ResumeLink& operator=(const ResumeLink&) = delete;
  ~ResumeLink();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string directory_;  // empty: no link was made
  std::string path_;
};

// $TMPDIR, /tmp, and where the agent itself lies (its emptyDir).
[[nodiscard]] std::vector<std::filesystem::path> private_places();

}  // namespace reprise::agent
