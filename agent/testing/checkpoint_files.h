// Files as torch.save and safetensors write them, made of bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "agent/testing/temporary_directory.h"

namespace reprise::agent::testing_support {

inline std::string little(std::uint64_t number, std::size_t width) {
  std::string text;
  for (std::size_t at = 0; at < width; ++at) text += static_cast<char>(number >> (8 * at) & 0xffU);
  return text;
}

// An archive whose members are stored, not compressed; `wide`: with zip64 records, as for more than 4 GiB.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members, bool wide = false) {
  std::string text, directory;
  for (const auto& [name, bytes] : members) {
    const std::string sizes = little(bytes.size(), 4) + little(bytes.size(), 4);
    const std::string names = little(name.size(), 2);
    const std::size_t head = text.size();
    text += "PK\x03\x04" + std::string(14, '\0') + sizes + names + little(0, 2) + name + bytes;
    const std::string extra =
        wide ? little(1, 2) + little(24, 2) + little(bytes.size(), 8) + little(bytes.size(), 8) + little(head, 8) : "";
    directory += "PK\x01\x02" + std::string(16, '\0') + (wide ? little(0xFFFFFFFF, 4) + little(0xFFFFFFFF, 4) : sizes) +
                 names + little(extra.size(), 2) + std::string(10, '\0') + little(wide ? 0xFFFFFFFF : head, 4) + name +
                 extra;
  }
  const std::size_t at = text.size(), end = at + directory.size();
  text += directory;
  if (wide)
    text += "PK\x06\x06" + little(44, 8) + std::string(12, '\0') + little(members.size(), 8) +
            little(members.size(), 8) + little(directory.size(), 8) + little(at, 8) + "PK\x06\x07" + little(0, 4) +
            little(end, 8) + little(1, 4);
  return text + "PK\x05\x06" + std::string(4, '\0') + little(wide ? 0xFFFF : members.size(), 2) +
         little(wide ? 0xFFFF : members.size(), 2) + little(wide ? 0xFFFFFFFF : directory.size(), 4) +
         little(wide ? 0xFFFFFFFF : at, 4) + little(0, 2);
}

inline std::string torch_file() {
  return zip_of({{"archive/data.pkl", "\x80\x02N."}, {"archive/data/0", "12345678"}, {"archive/version", "3\n"}});
}

inline std::string safetensors_file() {
  const std::string head = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  return little(head.size(), 8) + head + "12345678";
}

// As Trainer leaves one of that step.
inline void put_hugging_face(const std::filesystem::path& directory, int step) {
  put_text(directory / "model.safetensors", safetensors_file());
  for (const char* file : {"optimizer.pt", "scheduler.pt", "rng_state.pth", "training_args.bin"})
    put_text(directory / file, torch_file());
  put_text(directory / "trainer_state.json", R"({"global_step": )" + std::to_string(step) + "}");
}

}  // namespace reprise::agent::testing_support
