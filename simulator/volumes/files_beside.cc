#include "simulator/volumes/files_beside.h"

#include <string>

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

}  // namespace reprise::simulator
