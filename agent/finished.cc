#include "agent/finished.h"

#include <string>

namespace reprise::agent {

runtime::Result<std::optional<Record>> find_finished(const Volume& volume, const Identity& self) {
  const auto attempts = volume.files.list(volume.layout.attempts());
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::string& attempt : *attempts) {
    const auto text =
        volume.files.read(volume.layout.attempts() / attempt / (std::to_string(self.index) + ".json"));
    if (!text) return std::unexpected(text.error());
    const auto record = *text ? decode_record(**text) : std::nullopt;
    if (record && record->finished && record->job_uid == self.job_uid) return record;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
