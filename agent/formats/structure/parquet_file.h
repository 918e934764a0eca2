// Files of Apache Parquet: a mark at both ends, and in front of the last one how long the description is.
#pragma once

#include <string_view>

#include "agent/formats/structure/checked_file.h"
#include "agent/formats/structure/flaw.h"

namespace reprise::agent {

[[nodiscard]] bool begins_as_parquet(std::string_view head);

// Checks the last eight bytes: a program that writes such a file sets them last.
[[nodiscard]] Flawed check_parquet(const CheckedFile& file);

}  // namespace reprise::agent
