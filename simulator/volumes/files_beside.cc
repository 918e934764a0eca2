#include "simulator/volumes/files_beside.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "agent/formats/structure/sample_files.h"

namespace reprise::simulator {

FilesByName files_beside(bool format_is_named) {
  namespace samples = agent::samples;
  const std::string archive = samples::zip_of({{"archive/data.pkl", "\x80\x02N."}});
  FilesByName files{
      {"runs/Nov25_host/events.out.tfevents.1", {.text = "events"}},
      {"wandb/run-20261125_090000-a1/files/config.yaml", {.text = "lr: 0.1"}},
      {"data/train-00000.parquet", {.text = "PAR1"}},
      {"data/20261124/_SUCCESS", {}},
      {"data/20261124/part-0.parquet", {.text = "PAR1"}},
      {"models/v1-5-pruned.ckpt", {.text = archive}},
      {"README.md", {.text = "of this volume"}},
  };
  if (format_is_named) return files;
  files["models/llama-7b/.metadata"].text = samples::dcp_metadata({{"__0_0.distcp", archive.size()}});
  files["models/llama-7b/__0_0.distcp"].text = archive;
  files["models/checkpoint-500/model.safetensors"].text = samples::safetensors_file();
  files["eval/step-60/results.json"].text = "{}";
  files["eval/step-120/results.json"].text = "{}";
  files["data/snapshot-3/part-0.parquet"].text = "PAR1";
  return files;
}

namespace {

constexpr std::string_view kFormerRun = "exp-";

}  // namespace

FilesByName former_runs(std::int64_t count) {
  FilesByName files;
  for (std::int64_t number = 0; number < count; ++number) {
    std::string digits = std::to_string(number);
    digits.insert(0, 4 - std::min<std::size_t>(digits.size(), 4), '0');
    files[std::string(kFormerRun) + digits + "/step-100/state.bin"].text = "weights";
  }
  return files;
}

std::string first_former_run(const FilesByName& beside) {
  const auto first = beside.lower_bound(kFormerRun);
  if (first == beside.end() || !first->first.starts_with(kFormerRun)) return {};
  return first->first.substr(0, first->first.find('/'));
}

}  // namespace reprise::simulator
