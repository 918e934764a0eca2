// The seam for libraries: how one of them lays a checkpoint out. Callable from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/checkpoint.h"
#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/verify/holds.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct Judgement {
  std::optional<Flaw> flaw;          // empty: complete
  runtime::WallTime completed = {};  // when the file was written that makes it complete
  std::string mark = {};             // and that file's name within the checkpoint; empty: the checkpoint is one file
  std::optional<std::int64_t> step = {};  // step that the files say, where the name says none
  std::vector<StateFiles> state = {};     // state that is in it, where no library says what has to be
  HeldPieces pieces = {};                 // beside it, or in it and none of its library's
  bool needs_reading = false;       // complete only if the sums of its files are right as well (read_everything.h)
  bool is_somebody_elses = false;   // on a closer look it is none of this library's: the next layout is asked
  bool holds_no_optimizer = false;  // a readable file of weights alone, where others have more
  bool is_no_checkpoint = false;    // and this one: what was exported from one, which is left alone
};

class Layout {
 public:
  Layout() = default;
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  virtual ~Layout() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;  // as in spec.checkpoint.format
  // The step, when this is one of the library's, complete or torn; 0 where its name does not say one. Of the entries
  // only names and kinds are known yet.
  [[nodiscard]] virtual std::optional<std::int64_t> recognise(const CheckpointContents& contents) const = 0;
  // Judges a checkpoint that this layout has recognised.
  [[nodiscard]] virtual runtime::Result<Judgement> judge(const CheckpointContents& contents) const = 0;

  // Sets which parts of a checkpoint have to be on this volume; called once, before it judges anything.
  void is_held_as(HeldParts held) { held_ = held; }
  [[nodiscard]] HeldParts held() const { return held_; }

 private:
  HeldParts held_{};
};

}  // namespace reprise::agent
