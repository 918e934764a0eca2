#include "agent/formats/checkpoint_format.h"

#include <string>

#include "agent/formats/layout_format.h"
#include "agent/formats/layouts/all_layouts.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {

runtime::Result<Checkpoints> CheckpointFormat::glance(const VolumeFiles& /*files*/, const Path& /*root*/,
                                                      const Known& /*known*/) const {
  return Checkpoints{};
}

runtime::Result<void> CheckpointFormat::put_aside(const VolumeFiles& files, const Path& root, const std::string& name,
                                                  const Path& to) const {
  return files.move(root / name, to);
}

CheckpointFormat::Path CheckpointFormat::resume_path(const Path& root, const std::string& name) const {
  return root / name;
}

runtime::Result<std::unique_ptr<CheckpointFormat>> make_format(std::string_view name) {
  auto layouts = layouts_named(name);
  if (layouts) return std::make_unique<LayoutFormat>(*std::move(layouts));
  return runtime::fail(runtime::ErrorClass::Terminal,
                       "environment variable " + std::string(protocol::kFormat) + ": " + layouts.error().message);
}

}  // namespace reprise::agent
