#include "agent/formats/tracker_file.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kTracker = "latest", kSpace = " \t\r\n";

}  // namespace

runtime::Result<std::optional<std::string>> read_tracker(const VolumeFiles& files,
                                                         const std::filesystem::path& directory) {
  const auto info = files.look(directory / kTracker, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::File) return std::nullopt;  // others call a link so, or a directory
  auto text = files.read(directory / kTracker);
  if (!text || !*text) return text;
  std::string_view name = **text;
  name.remove_suffix(name.size() - (name.find_last_not_of(kSpace) + 1));
  name.remove_prefix(std::min(name.find_first_not_of(kSpace), name.size()));
  return std::string(name);
}

runtime::Result<void> write_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                    std::string_view checkpoint) {
  if (checkpoint.empty()) return files.remove(directory / kTracker);
  return files.write(directory / kTracker, checkpoint, Sync::Yes);
}

}  // namespace reprise::agent
