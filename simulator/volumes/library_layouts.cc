#include "simulator/volumes/library_layouts.h"

#include <array>
#include <utility>

#include "agent/formats/structure/sample_files.h"

namespace reprise::simulator {
namespace {

namespace samples = agent::samples;

constexpr std::array<std::pair<Library, std::string_view>, 5> kNames{{
    {Library::HuggingFace, "HuggingFace"},
    {Library::Lightning, "Lightning"},
    {Library::PyTorchDcp, "PyTorchDCP"},
    {Library::RankFolders, "RankFolders"},
    {Library::RankNames, "RankNames"},
}};
constexpr std::int64_t kStepsOfAnEpoch = 100, kStepsOfASave = 60;

// An archive of one member: each member costs the agent a call.
std::string torch_file() {
  return samples::zip_of({{"archive/data.pkl", "\x80\x02N."}});
}

// Trainer writes the files it resumes with before the file that records the step.
std::vector<LibraryFile> hugging_face(std::int64_t step, int ranks) {
  std::vector<LibraryFile> files{{.name = "config.json", .text = R"({"model_type": "simulated"})", .is_needed = false},
                                 {.name = "model.safetensors", .text = samples::safetensors_file()},
                                 {.name = "training_args.bin", .text = torch_file(), .is_needed = false},
                                 {.name = "optimizer.pt", .text = torch_file()},
                                 {.name = "scheduler.pt", .text = torch_file()}};
  for (int rank = 0; rank < ranks; ++rank)
    files.push_back(
        {.name = ranks == 1 ? "rng_state.pth" : "rng_state_" + std::to_string(rank) + ".pth", .text = torch_file()});
  files.push_back({.name = "trainer_state.json", .text = R"({"global_step": )" + std::to_string(step) + "}"});
  return files;
}

// Each rank writes its shard, then the first rank the index of all.
std::vector<LibraryFile> pytorch_dcp(int ranks) {
  std::vector<LibraryFile> files;
  std::vector<std::pair<std::string, std::size_t>> shards;
  for (int rank = 0; rank < ranks; ++rank) {
    files.push_back({.name = "__" + std::to_string(rank) + "_0.distcp", .text = torch_file()});
    shards.emplace_back(files.back().name, files.back().text.size());
  }
  files.push_back({.name = ".metadata", .text = samples::dcp_metadata(shards), .begun = ".metadata.tmp"});
  return files;
}

// One rank after the other; which one begins differs from step to step.
std::vector<LibraryFile> directory_for_each_rank(std::int64_t step, int ranks) {
  std::vector<LibraryFile> files;
  for (int at = 0; at < ranks; ++at) {
    const int rank = static_cast<int>((step / kStepsOfASave + at) % ranks);
    files.push_back({.name = "state.bin", .text = "state of step " + std::to_string(step), .rank = rank});
    files.push_back({.name = "_COMPLETE", .text = "", .rank = rank});
  }
  return files;
}

bool is_needed(std::string_view name) {
  for (const LibraryFile& each : hugging_face(0, 1))
    if (each.name == name) return each.is_needed;
  return true;
}

}  // namespace

std::string_view name_of(Library library) {
  for (const auto& [each, name] : kNames)
    if (each == library) return name;
  return "Marker";
}

bool has_a_directory_for_each_rank(Library library) {
  return library == Library::RankFolders || library == Library::RankNames;
}

Library library_named(std::string_view name) {
  for (const auto& [library, its_name] : kNames)
    if (its_name == name) return library;
  return Library::None;
}

std::string checkpoint_named(Library library, std::int64_t step, int rank) {
  const std::string number = std::to_string(step);
  switch (library) {
    case Library::HuggingFace:
      return "checkpoint-" + number;
    case Library::Lightning:
      return "epoch=" + std::to_string(step / kStepsOfAnEpoch) + "-step=" + number + ".ckpt";
    case Library::RankFolders:
      return "rank" + std::to_string(rank) + "/step-" + number;
    case Library::RankNames:
      return "step-" + number + "-rank" + std::to_string(rank);
    case Library::None:
    case Library::PyTorchDcp:
      break;
  }
  return "step-" + number;
}

std::vector<LibraryFile> files_of(Library library, std::int64_t step, int ranks) {
  switch (library) {
    case Library::None:
      break;
    case Library::HuggingFace:
      return hugging_face(step, ranks);
    case Library::Lightning:
      return {{.name = "", .text = torch_file()}};
    case Library::PyTorchDcp:
      return pytorch_dcp(ranks);
    case Library::RankFolders:
    case Library::RankNames:
      return directory_for_each_rank(step, ranks);
  }
  return {};
}

void lose_bytes(FilesByName& files, std::int64_t step) {
  constexpr std::size_t kGroups = 3;
  std::size_t at = static_cast<std::size_t>(step / kStepsOfASave);
  bool any = false;
  for (auto& [name, file] : files) {
    if (++at % kGroups != 0) continue;
    file.text.clear();
    any = any || is_needed(name);
  }
  for (auto& [name, file] : files)
    if (!any) file.text.clear();
}

void cut_off(FilesByName& files, std::int64_t step) {
  std::vector<DiskFile*> needed;
  for (auto& [name, file] : files)
    if (is_needed(name)) needed.push_back(&file);
  if (needed.empty()) return;
  std::string& text = needed[static_cast<std::size_t>(step / kStepsOfASave + 1) % needed.size()]->text;
  text.resize(text.size() / 2);
}

}  // namespace reprise::simulator
