#include "agent/core/space/full_volume.h"

#include <algorithm>
#include <array>

#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

// A directory, its files and what the file system keeps about them.
constexpr std::int64_t kLeast = std::int64_t{64} << 10U;
// Size where nobody knows how much a save takes.
constexpr std::int64_t kUnknownSave = std::int64_t{1} << 20U;
constexpr std::int64_t kFewFiles = 8;

constexpr auto kNoRoom = std::to_array<std::string_view>(
    {"No space left on device", "Errno 28]", "os error 28", "errno 28", "errno = 28", "errno: 28", "ENOSPC"});
constexpr auto kNoQuota =
    std::to_array<std::string_view>({"Disk quota exceeded", "Errno 122]", "os error 122", "EDQUOT"});
// Errors of writers that do not pass on the cause: a file of torch.save.
constexpr auto kNotWritten = std::to_array<std::string_view>({"file write failed", "PytorchStreamWriter failed"});

template <std::size_t N>
bool has_one_of(std::string_view line, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view each) { return line.find(each) != std::string_view::npos; });
}

struct Said {
  bool no_room = false, no_quota = false, not_written = false;
  bool names_volume = false;       // a line about room or quota does
  bool no_quota_of_other = false;  // a line about quota names a file elsewhere
};

// ENOSPC of inotify_add_watch(2): the user has too many watches, whatever the volume has room for.
bool is_about_watches(std::string_view line) {
  return line.contains("inotify");
}

// An absolute path, which no "https://" and no "data/0" is.
bool names_path(std::string_view line) {
  constexpr std::string_view kBefore = " \t'\"([{=:`", kAfter = "/ \t";
  for (std::size_t at = line.find('/'); at != std::string_view::npos; at = line.find('/', at + 1)) {
    const bool begins = at == 0 || kBefore.contains(line[at - 1]);
    if (begins && at + 1 < line.size() && !kAfter.contains(line[at + 1])) return true;
  }
  return false;
}

Said read_output(std::string_view output, std::string_view root) {
  Said said;
  while (!output.empty()) {
    const std::size_t end = output.find_first_of("\r\n");
    const std::string_view line = output.substr(0, end);
    const bool room = has_one_of(line, kNoRoom) && !is_about_watches(line), quota = has_one_of(line, kNoQuota);
    const bool named = !root.empty() && line.contains(root), of_other = !named && names_path(line);
    said.no_room = said.no_room || room;
    said.no_quota = said.no_quota || (quota && !of_other);
    said.no_quota_of_other = said.no_quota_of_other || (quota && of_other);
    said.not_written = said.not_written || has_one_of(line, kNotWritten);
    said.names_volume = said.names_volume || ((room || quota) && named);
    if (end == std::string_view::npos) break;
    output.remove_prefix(end + 1);
  }
  return said;
}

// The rest of the save that broke off, or all of the next one, has no room.
bool is_short(const FailedTrainer& end) {
  if (!end.free) return false;
  if (end.free->files && *end.free->files < kFewFiles) return true;
  const std::int64_t left = end.save_size ? *end.save_size - (end.broke_off ? end.broken_size : 0) : kUnknownSave;
  return end.free->bytes < std::max(left, kLeast);
}

}  // namespace

bool says_no_room(std::string_view line) {
  return has_one_of(line, kNoRoom) || has_one_of(line, kNoQuota);
}

std::string_view reason_of_volume(std::string_view problem) {
  return says_no_room(problem) ? protocol::kReasonVolumeFull : std::string_view("VolumeUnavailable");
}

bool failed_for_want_of_room(const FailedTrainer& end) {
  const Said said = read_output(end.output, end.root);
  if (said.names_volume) return true;
  const bool no_save = end.broke_off || end.saved_nothing;
  // A quota of the user's shows in no free space. "No space left" alone may be about /dev/shm or /tmp; a file elsewhere
  // may be the volume's by another name, which a save that broke off tells.
  if ((said.no_quota && no_save) || (said.no_quota_of_other && end.broke_off)) return true;
  const bool is_full = is_short(end);
  if (is_full && (said.no_room || said.not_written)) return true;
  if (end.stopped) return false;
  if (says_no_room(end.volume_problem)) return true;
  const bool nothing_fits = end.free && end.free->bytes < (end.save_size ? kLeast : kUnknownSave);
  return is_full && (end.broke_off || ((end.saved_nothing || !end.looked) && nothing_fits));
}

}  // namespace reprise::agent
