#include "agent/core/fencing/job_history.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <vector>

#include "agent/core/fencing/attempts.h"
#include "agent/core/fencing/former_attempts.h"
#include "agent/core/fencing/own_places.h"
#include "agent/core/restore/resume_point.h"

namespace reprise::agent {

namespace {

// A share answers so many as fast as one (PosixFiles::read_all).
constexpr std::size_t kAtOnce = 16;

// The choices of this job's attempts, the earliest first, as far as they were read.
struct OwnChoices {
  std::vector<std::filesystem::path> files;
  bool any_trained = false;
};

// Reads no further than to the first attempt that trained: a job may have thousands, and each lies in a file of its
// own.
runtime::Result<OwnChoices> earliest_choices(const Volume& volume, const Identity& self) {
  const auto attempts = list_attempts(volume);
  if (!attempts) return std::unexpected(attempts.error());
  std::vector<std::filesystem::path> files;
  for (const std::int32_t attempt : *attempts | std::views::reverse)
    if (attempt < self.attempt) files.push_back(volume.layout.resume_point(attempt));
  OwnChoices own;
  for (std::size_t begin = 0; begin < files.size() && !own.any_trained; begin += kAtOnce) {
    const auto end = std::min(begin + kAtOnce, files.size());
    const std::vector<std::filesystem::path> some(files.begin() + static_cast<std::ptrdiff_t>(begin),
                                                  files.begin() + static_cast<std::ptrdiff_t>(end));
    const auto take = [&](std::size_t at, const std::optional<std::string>& text) {
      const auto point = text ? decode_resume_point(*text) : std::nullopt;
      if (!point || point->job_uid != self.job_uid) return;
      own.files.push_back(some[at]);
      own.any_trained = own.any_trained || point->rejection.empty();
    };
    if (auto read = volume.lost_texts->read_all(volume.files, some, take); !read) return std::unexpected(read.error());
  }
  return own;
}

}  // namespace

runtime::Result<JobHistory> read_history(const Volume& volume, const Identity& self) {
  const auto own = earliest_choices(volume, self);
  if (!own) return std::unexpected(own.error());
  JobHistory history{.has_trained = own->any_trained};
  const auto former = volume.lost_texts->read(volume.files, volume.layout.former());
  if (!former) return std::unexpected(former.error());
  if (*former)
    history.has_trained =
        history.has_trained ||
        std::ranges::any_of(decode_former_jobs(**former), [&](const auto& job) { return job.job_uid == self.job_uid; });
  const auto kind = volume.files.kind();
  if (kind && kind->object_store) return history;  // directories have no times of their own
  for (const auto& file : own->files) {
    const auto info = volume.files.look(file, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (*info) history.began = std::min(history.began.value_or((*info)->modified), (*info)->modified);
  }
  return history;
}

bool is_own(const std::string& name, runtime::WallTime modified, const MadeCheckpoints& made,
            const std::string& job_uid, const JobHistory& history) {
  bool is_listed = false;
  for (const MadeCheckpoint& each : made) {
    if (each.name != name) continue;
    if (each.job_uid == job_uid && !each.doubtful) return true;
    is_listed = true;
  }
  if (is_listed || !history.began || modified <= *history.began) return false;
  const auto places = own_places(made, job_uid);
  if (!places.empty()) return places.have(name);
  return std::ranges::none_of(made, [&, place = place_of(name)](const MadeCheckpoint& each) {
    return each.job_uid == job_uid && place_of(each.name) == place;  // in doubt
  });
}

}  // namespace reprise::agent
