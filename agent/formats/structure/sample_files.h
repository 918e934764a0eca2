// Small files as libraries write them, made of bytes: for tests and for simulated trainers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::agent::samples {

inline std::string little(std::uint64_t number, std::size_t width) {
  std::string text;
  for (std::size_t at = 0; at < width; ++at) text += static_cast<char>(number >> (8 * at) & 0xffU);
  return text;
}

inline std::uint64_t crc32(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1U ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return sum ^ 0xFFFFFFFFU;
}

// An archive whose members are stored, not compressed; `wide`: with zip64 records, as for more than 4 GiB.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members, bool wide = false) {
  std::string text, directory;
  for (const auto& [name, bytes] : members) {
    const std::string sizes = little(bytes.size(), 4) + little(bytes.size(), 4);
    const std::string names = little(name.size(), 2);
    const std::size_t head = text.size();
    text +=
        "PK\x03\x04" + std::string(10, '\0') + little(crc32(bytes), 4) + sizes + names + little(0, 2) + name + bytes;
    const std::string extra =
        wide ? little(1, 2) + little(24, 2) + little(bytes.size(), 8) + little(bytes.size(), 8) + little(head, 8) : "";
    directory += "PK\x01\x02" + std::string(12, '\0') + little(crc32(bytes), 4) +
                 (wide ? little(0xFFFFFFFF, 4) + little(0xFFFFFFFF, 4) : sizes) + names + little(extra.size(), 2) +
                 std::string(10, '\0') + little(wide ? 0xFFFFFFFF : head, 4) + name + extra;
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

// A file as torch.save writes it.
inline std::string torch_file() {
  return zip_of({{"archive/data.pkl", "\x80\x02N."}, {"archive/data/0", "12345678"}, {"archive/version", "3\n"}});
}

// A file as torch.save wrote it before it wrote archives: the object's pickle, the storages that it refers to behind
// it.
inline std::string legacy_torch_file(const std::string& object, const std::string& keys = "",
                                     const std::string& storages = "") {
  const std::string magic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 15);
  return magic + "\x80\x02M\xe9\x03." + "\x80\x02}." + object + "\x80\x02]" + keys + "." + storages;
}

inline std::string safetensors_file() {
  const std::string head = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  return little(head.size(), 8) + head + "12345678";
}

// `.metadata` of torch.distributed.checkpoint: of one tensor in each of these files, by their names and lengths.
inline std::string dcp_metadata(const std::vector<std::pair<std::string, std::size_t>>& shards,
                                std::string_view called = "weights of ") {
  const auto text = [](std::string_view word) { return "X" + little(word.size(), 4) + std::string(word); };
  const auto object = [](std::string_view module, std::string_view name) {
    return "c" + std::string(module) + "\n" + std::string(name) + "\n)\x81";
  };
  std::string stored;
  for (const auto& [file, length] : shards) {
    stored += text(std::string(called) + file) + object("torch.distributed.checkpoint.filesystem", "_StorageInfo") +
              "}(" + text("relative_path") + text(file) + text("offset") + "K" + little(0, 1) + text("length") + "J" +
              little(length, 4) + "ub";
  }
  return "\x80\x02" + object("torch.distributed.checkpoint.metadata", "Metadata") + "}" + text("storage_data") + "}(" +
         stored + "usb.";
}

}  // namespace reprise::agent::samples
