#include "agent/formats/verify/lost_bytes.h"

#include <string>
#include <utility>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

// Parts of "read /volume/step-4/weights.bin: Input/output error".
struct Said {
  std::string file;  // below the checkpoint; empty: the checkpoint itself, or it is not said
  std::string why;
};

Said said_of(const std::string& message, const std::filesystem::path& checkpoint) {
  const std::string path = checkpoint.string();
  const std::size_t at = message.find(path), colon = message.rfind(": ");
  if (at == std::string::npos || colon == std::string::npos || colon < at + path.size()) return {{}, message};
  std::string file = message.substr(at + path.size(), colon - at - path.size());
  while (file.starts_with('/')) file.erase(0, 1);
  return {std::move(file), message.substr(colon + 2)};
}

}  // namespace

Flaw flaw_of_lost(const runtime::Error& error, const std::filesystem::path& checkpoint) {
  const Said said = said_of(error.message, checkpoint);
  const std::string file = said.file.empty() ? checkpoint.filename().string() : said.file;
  return {.kind = FlawKind::Corrupt, .reason = file + ": cannot be read: " + said.why, .lost = true};
}

FoundCheckpoint lost_checkpoint(const Layouts& layouts, const CheckpointContents& contents, Flaw flaw) {
  FoundCheckpoint found{.path = {},
                        .format = layouts.empty() ? std::string_view() : layouts.front()->name(),
                        .step = step_of(contents.name).value_or(0),
                        .itself = contents.itself,
                        .judgement = {.flaw = std::move(flaw)}};
  for (const auto& layout : layouts) {
    const auto step = layout->recognise(contents);
    if (!step) continue;
    found.format = layout->name();
    found.step = *step;
    break;
  }
  return found;
}

Flawed lost_is_flaw(Flawed flaw, const std::filesystem::path& checkpoint) {
  if (flaw || !says_lost(flaw.error())) return flaw;
  return flaw_of_lost(flaw.error(), checkpoint);
}

}  // namespace reprise::agent
