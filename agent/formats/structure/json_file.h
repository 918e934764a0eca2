// Files of a checkpoint that hold one JSON value, mostly an object, as Python's json module writes it.
#pragma once

#include <boost/json/array.hpp>
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

struct JsonArray {
  std::optional<Flaw> flaw;
  boost::json::array array;  // empty with a flaw
};
// The same of an array.
[[nodiscard]] runtime::Result<JsonArray> read_json_array(const CheckedFile& file);

// The same of a value of any kind; what it is does not matter.
[[nodiscard]] Flawed check_json_value(const CheckedFile& file);

// Checks that everything that opens in it is closed at its end: a file of several values, or with more than JSON knows,
// passes, and so does one that begins as neither an object nor an array. Beyond 256 KiB only the last bytes are looked
// at.
[[nodiscard]] Flawed check_json_ends(const CheckedFile& file);

}  // namespace reprise::agent
