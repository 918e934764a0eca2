#include "simulator/scenarios/habits/library_habits.h"

#include <array>
#include <string>
#include <vector>

#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr double share_of_scenarios = 0.25, share_of_jobs = 0.8;
constexpr double share_named = 0.2, share_pruned = 0.4, share_with_files_beside = 0.7;

// Trainer keeps all of them or save_total_limit, Lightning the last one (save_top_k=1) or all, DCP knows no rotation.
int draw_save_limit(runtime::Random& random, Library library) {
  const double drawn = random.uniform();
  if (library == Library::HuggingFace) return drawn < 0.4 ? 0 : drawn < 0.8 ? 2 : 3;
  return library == Library::Lightning && drawn < 0.5 ? 1 : 0;
}

std::string draw_folder(runtime::Random& random, Library library) {
  const auto folder = pick(random, std::vector<std::string>{"", "out", "out", "runs/exp-1/out"});
  if (library != Library::Lightning) return folder;
  return (folder.empty() ? "" : folder + "/") + "lightning_logs/version_0/checkpoints";
}

}  // namespace

void draw_libraries(std::uint64_t seed, Workload& workload) {
  runtime::SeededRandom random = own_stream(seed, "workload/libraries");
  if (random.uniform() >= share_of_scenarios) return;
  for (JobPlan& job : workload.jobs) {
    const bool saves_by_one = random.uniform() < share_of_jobs && !job.dated_names;
    LibraryPlan plan{.library = pick(random, std::vector<Library>{Library::HuggingFace, Library::HuggingFace,
                                                                  Library::Lightning, Library::PyTorchDcp})};
    plan.save_limit = draw_save_limit(random, plan.library);
    plan.folder = draw_folder(random, plan.library);
    plan.is_named = random.uniform() < share_named;
    plan.files_beside = random.uniform() < share_with_files_beside;
    const bool pruned = random.uniform() < share_pruned;
    const int keep = 1 + static_cast<int>(random.uniform() * 3);
    if (pruned) plan.keep = keep;
    if (saves_by_one) job.library = plan;
  }
}

}  // namespace reprise::simulator
