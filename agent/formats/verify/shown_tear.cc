#include "agent/formats/verify/shown_tear.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/layouts/hugging_face/exported_model.h"
#include "agent/formats/layouts/hugging_face/hugging_face.h"
#include "agent/formats/layouts/marked/marked_files.h"
#include "agent/formats/recognise/stand_ins.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// Formats in which a directory is any that is named like a checkpoint.
bool is_of_no_library(std::string_view format) {
  constexpr std::array<std::string_view, 4> kOfScripts{"", kMarkerFormat, "Manifest", "Plain"};
  return std::ranges::find(kOfScripts, format) != kOfScripts.end();
}

// Others save weights in a directory of that name as well, and no state of Trainer's beside them.
Result<bool> is_of_trainer(const VolumeFiles& files, const std::filesystem::path& path) {
  const auto names = files.list(path);
  if (!names) return std::unexpected(names.error());
  return std::ranges::any_of(
      *names, [](const auto& each) { return each == "training_args.bin" || each == "trainer_state.json"; });
}

// Looks as if a mark stood for what is in there, set before all of it.
Result<bool> holds_torn_files(const VolumeFiles& files, const std::filesystem::path& path, const std::string& name) {
  CheckpointContents contents{
      .files = files, .path = path, .name = name, .itself = {.kind = FileInfo::Kind::Directory}};
  auto entries = entries_of(files, path);
  if (!entries) return std::unexpected(entries.error());
  contents.entries = *std::move(entries);
  PassedFiles passed;
  const auto flaw = check_marked_files(contents, FileInfo{.kind = FileInfo::Kind::File}, passed);
  if (!flaw) return std::unexpected(flaw.error());
  return *flaw && !(*flaw)->unread;
}

Result<bool> is_torn_model(const VolumeFiles& files, const std::filesystem::path& path) {
  CheckpointContents contents{
      .files = files, .path = path, .name = path.filename().string(), .itself = {.kind = FileInfo::Kind::Directory}};
  auto entries = entries_of(files, path);
  if (!entries) return std::unexpected(entries.error());
  contents.entries = *std::move(entries);
  const auto flaw = check_model_alone(contents);
  if (!flaw) return std::unexpected(flaw.error());
  return *flaw && !(*flaw)->unread;
}

}  // namespace

Result<bool> shows_tear_by_itself(const VolumeFiles& files, const std::filesystem::path& path, const FileInfo& itself,
                                  const CloseLook& seen) {
  if (!seen.flaw || seen.flaw->unread) return false;
  if (itself.kind == FileInfo::Kind::File) return is_cut_off(files, path, itself);
  if (itself.kind != FileInfo::Kind::Directory) return false;
  if (seen.flaw->exported) return is_torn_model(files, path);
  const bool lacks_a_part = seen.flaw->kind == FlawKind::Incomplete && !seen.flaw->by_name;
  if (lacks_a_part && !is_of_no_library(seen.checkpoint.format)) {
    const auto own =
        seen.checkpoint.format == HuggingFaceLayout().name() ? is_of_trainer(files, path) : Result<bool>(true);
    if (!own || *own) return own;
  }
  return holds_torn_files(files, path, std::string(last_part(seen.checkpoint.name)));
}

}  // namespace reprise::agent
