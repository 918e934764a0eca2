// The behaviour of a job's modelled trainer, from annotations on its pods (so from the job's template).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/base/json.h"
#include "simulator/cluster/event_loop.h"
#include "simulator/volumes/library_layouts.h"

namespace reprise::simulator {

enum class OnTerm { Save, Exit, Ignore };
// A hanging trainer's reaction to a stop: only SIGKILL reaches it, or a signal ends it, or it still saves when asked.
enum class OnHang { Deaf, Ends, Saves };

struct TrainingPlan {
  std::int64_t steps = 10'000;          // simulate.reprise.dev/steps
  Duration step{1'000};                 // .../step-milliseconds
  Duration load{15'000};                // .../load-milliseconds: from the start of all ranks to the first step
  Duration save{10'000};                // .../save-milliseconds: one collective checkpoint
  std::int64_t save_every_steps = 600;  // .../save-every-steps; else checkpoint.periodSeconds
  OnTerm on_term = OnTerm::Save;        // .../on-term: Save | Exit | Ignore
  int term_exit_code = 143;             // .../term-exit-code
  // .../fail-at-step, .../fail-exit-code: a defect of the trainer, met by the attempt .../fail-attempt (0: by each)
  std::optional<std::int64_t> fail_at_step = {};
  int fail_exit_code = 1;
  std::int64_t fail_attempt = 0;
  // .../hang-at-step: the trainer hangs there, in each attempt up to .../hang-attempts; .../hung: Deaf | Ends | Saves
  std::optional<std::int64_t> hang_at_step = {};
  std::int64_t hang_attempts = 0;
  OnHang on_hang = OnHang::Deaf;
  bool tells_steps = false;  // in its progress file: .../tells-steps
  // After the last step the ranks end one after the other, the highest first: rank 0 often has something to write yet.
  // Negative: the lowest first.
  Duration end_spread{0};  // .../end-spread-milliseconds: between one rank and the next
  // The time until a gang that has lost a rank fails: an NCCL watchdog or a broken connection.
  // .../peer-loss-milliseconds
  Duration peer_loss{10'000};
  // The same for a rank that stands still: no connection breaks, so it takes a collective's timeout (ten minutes in
  // torch.distributed with NCCL). .../peer-hang-milliseconds
  Duration peer_hang{600'000};
  // The ranks do not wait for each other, and rank 0 alone saves: .../ranks: Together | Apart
  bool apart = false;
  // Names checkpoints after something else than their step, so that the last number in the name goes up and down as the
  // day of a date does: .../names: Steps | Dates
  bool dated = false;
  // For ranks with a volume each: the time between the completions of one checkpoint on two of them, the first rank's
  // first.
  Duration save_spread{0};  // .../save-spread-milliseconds
  // Processes of each rank without which it can neither train nor save, and which handle no signal: a data loader's
  // workers. .../helpers
  std::int64_t helpers = 0;
  // The library that saves, in the layout of its own: .../library: HuggingFace | Lightning | PyTorchDCP | RankFolders |
  // RankNames
  Library library = Library::None;
  std::string folder = {};  // folder of a library's checkpoints below the root: .../folder
  int save_limit = 0;       // checkpoints that the library keeps; 0: all: .../save-limit
  // Directories of former runs that lie on the volume; the trainer deletes one at each of its saves: .../former-runs
  std::int64_t former_runs = 0;
};

// "step-120", "ckpt-28-0-v120", or "out/checkpoint-120"; the directory of `rank` where each rank has its own.
[[nodiscard]] std::string directory_of(const TrainingPlan& plan, std::int64_t step, int rank = 0);

[[nodiscard]] TrainingPlan read_training_plan(const Value& pod, std::int64_t period_seconds);

}  // namespace reprise::simulator
