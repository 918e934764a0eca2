#include "examples/trainer/checkpoints.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace reprise::example {
namespace {

namespace fs = std::filesystem;

bool write_file(const fs::path& file, const std::string& bytes) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto written = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool good = done == bytes.size() && ::fsync(fd) == 0;
  return ::close(fd) == 0 && good;
}

void put(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

}  // namespace

bool save(const Model& model, const std::string& directory) {
  const fs::path checkpoint = fs::path(directory) / ("step-" + std::to_string(model.step));
  std::error_code problem;
  fs::create_directories(checkpoint, problem);
  std::string bytes;
  const auto size = static_cast<std::uint64_t>(model.weights.size());
  put(bytes, &model.step, sizeof model.step);
  put(bytes, &size, sizeof size);
  put(bytes, model.weights.data(), size * sizeof(double));
  put(bytes, model.momentum.data(), size * sizeof(double));
  return !problem && write_file(checkpoint / "state.bin", bytes) && write_file(checkpoint / "_COMPLETE", "");
}

std::optional<Model> load(const std::string& checkpoint) {
  std::ifstream in(fs::path(checkpoint) / "state.bin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Model model;
  std::uint64_t size = 0;
  constexpr std::size_t kHead = sizeof model.step + sizeof size;
  if (bytes.size() < kHead) return std::nullopt;
  std::memcpy(&model.step, bytes.data(), sizeof model.step);
  std::memcpy(&size, bytes.data() + sizeof model.step, sizeof size);
  if (bytes.size() != kHead + 2 * size * sizeof(double)) return std::nullopt;
  model.weights.resize(size);
  model.momentum.resize(size);
  std::memcpy(model.weights.data(), bytes.data() + kHead, size * sizeof(double));
  std::memcpy(model.momentum.data(), bytes.data() + kHead + size * sizeof(double), size * sizeof(double));
  return model;
}

bool save_result(const Model& model, const std::string& directory) {
  const fs::path folder = fs::path(directory) / "final";
  std::error_code problem;
  fs::create_directories(folder, problem);
  std::string text = "# weights after step " + std::to_string(model.step) + "\n";
  for (const double weight : model.weights) {
    std::array<char, 64> line{};
    std::snprintf(line.data(), line.size(), "%a\n", weight);
    text += line.data();
  }
  return !problem && write_file(folder / "weights.txt", text);
}

}  // namespace reprise::example
