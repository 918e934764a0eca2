// Files of a checkpoint that hold one JSON object.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

struct JsonFile {
  std::optional<Flaw> flaw;
  boost::json::object object;  // empty with a flaw
};

// Incomplete when it is empty, Corrupt when it is no JSON object or larger than 64 MiB.
[[nodiscard]] runtime::Result<JsonFile> read_json(const CheckedFile& file);

}  // namespace reprise::agent
