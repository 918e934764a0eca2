#include "agent/core/unreadable/read_in_time.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "agent/core/aside/set_aside.h"
#include "agent/formats/verify/lost_bytes.h"
#include "agent/volume/wrappers/paced_files.h"
#include "runtime/base/size_text.h"

namespace reprise::agent {
namespace {

constexpr std::chrono::minutes kLongestReadThrough{10};

bool bears_other_sums(const std::optional<FullRead>& read) {
  return read && read->flaw && read->flaw->kind == FlawKind::Corrupt && !read->flaw->lost && !read->flaw->unread;
}

std::optional<FullRead> read_all(const VolumeFiles& files, const std::filesystem::path& path) {
  const auto info = files.look(path, Links::Follow);
  if (!info || !*info) return std::nullopt;
  auto read = read_and_judge_sums(files, path, **info);
  if (read) return *std::move(read);
  if (!says_lost(read.error())) return std::nullopt;
  return FullRead{.flaw = flaw_of_lost(read.error(), path), .unsummed = path.filename().string()};
}

}  // namespace

bool ReadingTime::is_over() {
  const auto at = now();
  if (!begun_) begun_ = at;
  return at - *begun_ >= kLongestReadThrough;
}

ReadInTime read_in_time(const Volume& volume, const Checkpoint& checkpoint, ReadingTime& time) {
  const auto begun = time.now();
  bool cut_short = false;
  std::uint64_t bytes = 0;
  const PacedFiles files(volume.files, [&](std::size_t read) -> runtime::Result<void> {
    bytes += read;
    cut_short = time.is_over();
    if (cut_short) return runtime::fail(runtime::ErrorClass::Unavailable, "it takes too long");
    return {};
  });
  const auto path = volume.layout.root / checkpoint.name;
  ReadInTime all{.read = read_all(files, path)};
  if (bears_other_sums(all.read)) all.read = read_all(files, path);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time.now() - begun).count();
  all.took_a_moment = seconds > 0;
  all.said = checkpoint.name + " was read " + (cut_short ? "for " : "through in ") + std::to_string(seconds) +
             " s before it was resumed from" + (cut_short ? ", and not to its end" : "") + " (" +
             runtime::size_text(static_cast<std::int64_t>(bytes)) + ")";
  return all;
}

std::optional<Flaw> flaw_in_all_bytes(const Volume& volume, const Identity& self, const Checkpoint& checkpoint,
                                      ReadingTime& time, std::vector<std::string>& notes) {
  auto [read, said, is_worth_saying] = read_in_time(volume, checkpoint, time);
  if (is_worth_saying) notes.push_back(std::move(said));
  if (!read || !read->flaw || read->flaw->unread) return std::nullopt;
  if (!bears_other_sums(read)) return read->flaw;
  const auto written = SetAside::add(volume.files, volume.layout, {checkpoint}, self, SetAside::Why::Damaged);
  notes.push_back("checkpoint " + checkpoint.name + " has other bytes than its sums say, and counts no more" +
                  (written ? std::string() : ": " + written.error().message));
  return read->flaw;
}

}  // namespace reprise::agent
