#include "agent/formats/layouts/lightning.h"

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/pytorch_dcp.h"
#include "agent/formats/structure/zip_archive.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kEnding = ".ckpt", kMeta = "meta.pt";

runtime::Result<Judgement> judge_file(const CheckpointContents& contents) {
  const auto flaw =
      check_zip({.files = contents.files, .path = contents.path, .name = contents.name, .size = contents.itself.size});
  if (!flaw) return std::unexpected(flaw.error());
  return Judgement{.flaw = *flaw, .completed = contents.itself.modified};
}

}  // namespace

std::optional<std::int64_t> LightningLayout::recognise(const CheckpointContents& contents) const {
  const std::string_view name = contents.name;
  if (!name.ends_with(kEnding) || contents.itself.kind == FileInfo::Kind::Other) return std::nullopt;
  // A number alone is no step: "v1-5-pruned.ckpt" is somebody's model.
  const std::string_view stem = name.substr(0, name.size() - kEnding.size());
  return names_checkpoint(stem) ? step_of(stem) : std::nullopt;
}

runtime::Result<Judgement> LightningLayout::judge(const CheckpointContents& contents) const {
  if (contents.itself.kind == FileInfo::Kind::File) return judge_file(contents);
  auto judged = PyTorchDcpLayout().judge(contents);
  if (!judged || judged->flaw) return judged;
  if (auto flaw = missing(contents, kMeta)) return Judgement{.flaw = std::move(flaw)};
  const auto flaw = check_structure(contents, kMeta);
  if (!flaw) return std::unexpected(flaw.error());
  return Judgement{.flaw = *flaw, .completed = contents.file(kMeta)->modified, .mark = std::string(kMeta)};
}

}  // namespace reprise::agent
