// A list of SHA-256 sums as `sha256sum` writes it: SHA256SUMS, manifest.sha256.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

struct SumList {
  std::optional<Flaw> flaw;
  std::map<std::string, std::string, std::less<>> sums;  // in lower-case hex, by paths below the list's directory
};

// Corrupt when a line is none of `sha256sum`'s, names a path that leads out of the directory or says two sums of one
// file, when the last line does not end, or when the list is larger than 16 MiB; Incomplete when it is empty.
[[nodiscard]] runtime::Result<SumList> read_sum_list(const CheckedFile& file);

}  // namespace reprise::agent
