#include "agent/formats/checkpoint_format.h"

#include <string>

#include "agent/formats/marker_format.h"
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
  if (name == "Auto" || name == "Marker") return std::make_unique<MarkerFormat>();
  return runtime::fail(runtime::ErrorClass::Terminal, "environment variable " + std::string(protocol::kFormat) +
                                                          ": found \"" + std::string(name) +
                                                          "\", allowed: Auto, Marker");
}

}  // namespace reprise::agent
