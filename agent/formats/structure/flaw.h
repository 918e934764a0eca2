// A flaw of a file or a directory of a checkpoint, as far as its structure shows.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "runtime/base/error.h"

namespace reprise::agent {

// Incomplete: something is not there yet, or no more; so a save looks that was cut off. Corrupt: what is there
// contradicts itself.
enum class FlawKind { Incomplete, Corrupt };

struct Flaw {
  FlawKind kind = FlawKind::Incomplete;
  std::string reason;  // starts with the path that it is about, below the checkpoint
  // The library's names alone call for what is not there, and nothing in the checkpoint lists it: of a trainer that
  // borrows these names it may be whole.
  bool by_name = false;
  // A file may not be read by this user: that says nothing about what is in it.
  bool unread = false;
  // The storage gives an error for bytes of it (says_lost in volume_files.h): of what is in it nothing more is known.
  bool lost = false;
  // Only the mark is missed: a program that writes none may have made it, output of other kinds as well.
  bool no_mark = false;
  // A model is there by its names, and nothing of a training's state: an export, unless a file of it is cut off.
  bool exported = false;
  bool operator==(const Flaw&) const = default;
};

// Empty: no flaw was found. An error: the volume could not be read, which says nothing about the checkpoint.
using Flawed = runtime::Result<std::optional<Flaw>>;

inline Flawed incomplete(std::string reason) {
  return Flaw{.kind = FlawKind::Incomplete, .reason = std::move(reason)};
}
inline Flawed corrupt(std::string reason) {
  return Flaw{.kind = FlawKind::Corrupt, .reason = std::move(reason)};
}

}  // namespace reprise::agent
