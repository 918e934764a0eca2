#include "agent/formats/layouts/lightning.h"

#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/pytorch_dcp.h"
#include "agent/formats/structure/saved_object.h"
#include "agent/formats/structure/zip_archive.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kEnding = ".ckpt", kMeta = "meta.pt";

// Without a step in its name the epoch counts, and no metric behind it: "epoch=3-val_loss=0.25".
std::string_view up_to_epoch(std::string_view stem) {
  constexpr std::string_view kStep = "step", kEpoch = "epoch", kDigits = "0123456789";
  const std::size_t epoch = stem.find(kEpoch);
  if (stem.find(kStep) != std::string_view::npos || epoch == std::string_view::npos) return stem;
  const std::size_t number = stem.find_first_of(kDigits, epoch);
  return number == std::string_view::npos ? stem : stem.substr(0, stem.find_first_not_of(kDigits, number));
}

// Of a file of Lightning's without a flaw.
runtime::Result<Judgement> with_step_inside(Judgement judged, const CheckedFile& file) {
  const auto saved = read_saved_object(file);
  if (!saved) return std::unexpected(saved.error());
  if (*saved) judged.step = number_in((*saved)->nodes, 0, "global_step");
  if (!judged.step) judged.flaw = Flaw{FlawKind::Corrupt, file.name + ": does not say its global_step"};
  return judged;
}

runtime::Result<Judgement> judge_file(const CheckpointContents& contents) {
  const CheckedFile file{
      .files = contents.files, .path = contents.path, .name = contents.name, .size = contents.itself.size};
  const auto flaw = check_zip(file);
  if (!flaw) return std::unexpected(flaw.error());
  Judgement judged{.flaw = *flaw, .completed = contents.itself.modified};
  return is_lightnings_last(contents.name) && !judged.flaw ? with_step_inside(std::move(judged), file) : judged;
}

}  // namespace

std::optional<std::int64_t> LightningLayout::recognise(const CheckpointContents& contents) const {
  const std::string_view name = contents.name;
  if (!name.ends_with(kEnding) || contents.itself.kind == FileInfo::Kind::Other) return std::nullopt;
  // A number alone is no step: "v1-5-pruned.ckpt" is somebody's model.
  if (is_lightnings_last(name)) return 0;
  const std::string_view stem = name.substr(0, name.size() - kEnding.size());
  return names_checkpoint(stem) ? step_of(up_to_epoch(stem)) : std::nullopt;
}

runtime::Result<Judgement> LightningLayout::judge(const CheckpointContents& contents) const {
  if (contents.itself.kind == FileInfo::Kind::File) return judge_file(contents);
  auto judged = PyTorchDcpLayout().judge(contents);
  if (!judged || judged->flaw) return judged;
  if (auto flaw = missing(contents, kMeta)) return Judgement{.flaw = std::move(flaw)};
  const auto flaw = check_structure(contents, kMeta);
  if (!flaw) return std::unexpected(flaw.error());
  judged = Judgement{.flaw = *flaw, .completed = contents.file(kMeta)->modified, .mark = std::string(kMeta)};
  if (!is_lightnings_last(contents.name) || judged->flaw) return judged;
  return with_step_inside(*std::move(judged), contents.checked(kMeta));
}

bool is_lightnings_last(std::string_view name) {
  constexpr std::string_view kLast = "last", kVersion = "-v";
  if (!name.starts_with(kLast) || !name.ends_with(kEnding)) return false;
  const std::string_view rest = name.substr(kLast.size(), name.size() - kLast.size() - kEnding.size());
  if (rest.empty()) return true;
  return rest.starts_with(kVersion) && rest.size() > kVersion.size() &&
         rest.find_first_not_of("0123456789", kVersion.size()) == std::string_view::npos;
}

}  // namespace reprise::agent
