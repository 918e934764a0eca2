#include "agent/formats/recognise/checkpoint_format.h"

#include <string>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/all_layouts.h"
#include "agent/formats/recognise/layout_format.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {

runtime::Result<Checkpoints> CheckpointFormat::glance(const VolumeFiles& /*files*/, const Path& /*root*/,
                                                      const Known& /*known*/) const {
  return Checkpoints{};
}

runtime::Result<std::optional<CloseLook>> CheckpointFormat::look_closely(const VolumeFiles& files, const Path& root,
                                                                         const std::string& name) const {
  const auto info = files.look(root / name, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind == FileInfo::Kind::Other) return std::nullopt;
  const auto when = completed(files, root / name);
  if (!when) return std::unexpected(when.error());
  CloseLook seen{.checkpoint = {.name = name,
                                .step = step_of(name).value_or(0),
                                .complete = when->has_value(),
                                .time = when->value_or(runtime::WallTime{})},
                 .flaw = {}};
  if (!seen.checkpoint.complete) seen.flaw = Flaw{.kind = FlawKind::Incomplete, .reason = name + ": is not complete"};
  return seen;
}

runtime::Result<void> CheckpointFormat::put_aside(const VolumeFiles& files, const Path& root, const std::string& name,
                                                  const Path& to) const {
  return files.move(root / name, to);
}

CheckpointFormat::Path CheckpointFormat::resume_path(const Path& root, const std::string& name) const {
  return root / name;
}

runtime::Result<std::unique_ptr<CheckpointFormat>> make_format(std::string_view name, HeldParts held) {
  auto layouts = layouts_named(name, held);
  if (layouts) return std::make_unique<LayoutFormat>(*std::move(layouts));
  return runtime::fail(runtime::ErrorClass::Terminal,
                       "environment variable " + std::string(protocol::kFormat) + ": " + layouts.error().message);
}

}  // namespace reprise::agent
