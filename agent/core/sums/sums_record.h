// A record of a checkpoint whose sums were read: .reprise/sums/<its name>.json, and .reader beside it while somebody
// reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/run/identity.h"
#include "agent/formats/structure/flaw.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

// The extent of all files that such a reading reads: the same names, sizes and times give the same sum.
struct Extent {
  std::string sum;
  std::int64_t files = 0, bytes = 0;
  bool operator==(const Extent&) const = default;
};
// `path` is a directory, or a file with `info`. Lists and looks; reads nothing but a list of sums.
[[nodiscard]] runtime::Result<Extent> extent_of(const VolumeFiles& files, const std::filesystem::path& path,
                                                const FileInfo& info);

struct SumsRecord {
  std::string name;  // name of the checkpoint, below the root
  Identity reader;
  Extent extent;
  std::optional<Flaw> flaw;
};
[[nodiscard]] std::string encode_sums_record(const SumsRecord& record);
[[nodiscard]] std::optional<SumsRecord> decode_sums_record(std::string_view text);

struct SumsClaim {
  Identity reader;
  std::int64_t bytes = 0;  // read so far
  bool operator==(const SumsClaim& other) const {
    return reader.pod_uid == other.reader.pod_uid && bytes == other.bytes;
  }
};
[[nodiscard]] std::string encode_sums_claim(const SumsClaim& claim);
[[nodiscard]] std::optional<SumsClaim> decode_sums_claim(std::string_view text);

}  // namespace reprise::agent
