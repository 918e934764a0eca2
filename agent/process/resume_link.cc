#include "agent/process/resume_link.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "agent/core/run/environment.h"
#include "protocol/environment.h"

namespace reprise::agent {

ResumeLink::ResumeLink(const std::filesystem::path& checkpoint, const std::vector<std::filesystem::path>& places)
    : path_(checkpoint.string()) {
  for (const auto& place : places) {
    std::string directory = (place / "reprise-XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) continue;
    const std::string link = directory + "/" + checkpoint.filename().string();
    if (::symlink(checkpoint.c_str(), link.c_str()) == 0) {
      directory_ = directory;
      path_ = link;
      return;
    }
    ::rmdir(directory.c_str());
  }
}

ResumeLink::~ResumeLink() {
  if (directory_.empty()) return;
  ::unlink(path_.c_str());
  ::rmdir(directory_.c_str());
}

namespace {

// By its name alone: the volume may not answer.
bool is_on_volume(const std::filesystem::path& place) {
  const auto volume = process_environment(protocol::kCheckpointDir);
  if (!volume || volume->empty()) return false;
  const auto relative = place.lexically_normal().lexically_relative(std::filesystem::path(*volume).lexically_normal());
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

// Files on the volume outlive the pod, and others have them too.
std::vector<std::filesystem::path> private_places() {
  std::vector<std::filesystem::path> places;
  const auto temporary = process_environment("TMPDIR");
  if (temporary && temporary->starts_with('/')) places.emplace_back(*temporary);
  places.emplace_back("/tmp");
  std::error_code problem;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) places.push_back(self.parent_path());
  std::erase_if(places, is_on_volume);
  return places;
}

}  // namespace reprise::agent
