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
  bool is_of_another_make = false;                       // the list has a flaw, and no line before it was a sum
};

// Reads each form that `sha256sum` writes or reads: also with `--tag`, `--zero`, names that are escaped, comments
// (`#`), and lines that end as on Windows or have one space or a tab in them. Paths that are absolute or were given
// from a directory above count as below this one, where their first file is found so: the volume may be mounted
// elsewhere, and the directory may have had another name. What the list says of itself is left out. Corrupt when a line
// is none of these, names a path that leads out of the directory or says two sums of one file, when the last line does
// not end and is none, or when the list is larger than 16 MiB; Incomplete when it names no file.
[[nodiscard]] runtime::Result<SumList> read_sum_list(const CheckedFile& file);

}  // namespace reprise::agent
