#include "agent/core/run/volume.h"

#include "agent/core/generations/halves/halves_by_pieces.h"

namespace reprise::agent {

runtime::Result<Checkpoints> Volume::scan_all() const {
  format->expect_pieces(kinds_that_saves_bring(known_saves->get()));
  auto found = format->discover(files, layout.root);
  const auto left_out = found ? set_aside->read(files, layout) : std::unexpected(found.error());
  if (!left_out) return left_out;
  return without_set_aside(std::move(*found), *left_out);
}

}  // namespace reprise::agent
