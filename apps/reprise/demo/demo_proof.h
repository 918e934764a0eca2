// The demo's proof: interrupted or not, a job ends with the same bits.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/reprise/demo/demo_plan.h"
#include "runtime/base/error.h"

namespace reprise::apps {

struct DemoProof {
  std::vector<std::string> equal;      // names of jobs
  std::vector<std::string> different;  // the difference, with the job's name
};

// Runs the trainer undisturbed: its words, first the program. False: it failed.
using RunProgram = bool (*)(const std::vector<std::string>& words);
// Runs it as a process and waits for it; its output is dropped.
[[nodiscard]] bool run_program(const std::vector<std::string>& words);

// Compares the final/weights.txt of each job, found anywhere below `run`, with that of an undisturbed run of the same
// trainer into `undisturbed`.
[[nodiscard]] DemoProof prove(const std::vector<DemoJob>& jobs, const std::filesystem::path& run,
                              const std::filesystem::path& undisturbed, const std::filesystem::path& trainer,
                              const std::filesystem::path& data, RunProgram program);

}  // namespace reprise::apps
