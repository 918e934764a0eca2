// Checkpoints of libraries in a directory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/formats/structure/sample_files.h"
#include "agent/formats/structure/sha256.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent::testing_support {

using samples::dcp_metadata;
using samples::little;
using samples::safetensors_file;
using samples::torch_file;
using samples::zip_of;

// As Trainer leaves one of that step.
inline void put_hugging_face(const std::filesystem::path& directory, int step) {
  put_text(directory / "model.safetensors", safetensors_file());
  for (const char* file : {"optimizer.pt", "scheduler.pt", "rng_state.pth", "training_args.bin"})
    put_text(directory / file, torch_file());
  put_text(directory / "trainer_state.json", R"({"global_step": )" + std::to_string(step) + "}");
}

inline std::string sum_of(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

// With a list of the sums of its two files, as `sha256sum * > SHA256SUMS` writes it.
inline void put_listed(const std::filesystem::path& directory, const std::string& list = "SHA256SUMS") {
  const std::string weights = "weights of " + directory.filename().string();
  put_text(directory / "model.npz", weights);
  put_text(directory / "state.json", "{}");
  put_text(directory / list, sum_of(weights) + "  model.npz\n" + sum_of("{}") + " *state.json\n");
}

// As Lightning writes it: torch.save of {"global_step": step}, and more.
inline std::string lightning_file(int step) {
  return zip_of({{"archive/data.pkl", "\x80\x02}X" + little(11, 4) + "global_stepq\x01M" +
                                          little(static_cast<std::uint64_t>(step), 2) + "s."},
                 {"archive/version", "3\n"}});
}

// As scripts write it: torch.save of {"optimizer_state_dict": {}}, and more.
inline std::string plain_file() {
  return zip_of(
      {{"archive/data.pkl", "\x80\x02}X" + little(20, 4) + "optimizer_state_dict}s."}, {"archive/version", "3\n"}});
}

// A part of a model as Megatron writes it: {"args": Namespace(...)}.
inline std::string megatron_part(const std::vector<std::pair<std::string, int>>& arguments) {
  const auto text = [](const std::string& word) { return "X" + little(word.size(), 4) + word; };
  std::string state;
  for (const auto& [name, value] : arguments) state += text(name) + "M" + little(static_cast<std::uint64_t>(value), 2);
  return zip_of(
      {{"model_optim_rng/data.pkl", "\x80\x02}" + text("args") + "cargparse\nNamespace\n)\x81}(" + state + "ubs."}});
}

// As torch.save writes {"num_processes": ranks}, which Trainer's arguments hold.
inline std::string training_arguments(int ranks, const std::string& field = "num_processes") {
  return zip_of({{"training_args/data.pkl", "\x80\x02}X" + little(field.size(), 4) + field + "q\x01K" +
                                                little(static_cast<std::uint64_t>(ranks), 1) + "s."}});
}

}  // namespace reprise::agent::testing_support
