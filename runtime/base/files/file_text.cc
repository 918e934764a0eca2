#include "runtime/base/files/file_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace reprise::runtime {
namespace {

std::error_code last_error() {
  return {errno, std::generic_category()};
}

class OpenedFile {
 public:
  explicit OpenedFile(const std::filesystem::path& file) : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::expected<std::string, std::error_code> file_text(const std::filesystem::path& file) {
  const OpenedFile opened(file);
  if (opened.get() < 0) return std::unexpected(last_error());
  std::string text;
  std::array<char, 16384> piece{};
  for (;;) {
    const ssize_t got = ::read(opened.get(), piece.data(), piece.size());
    if (got == 0) return text;
    if (got > 0)
      text.append(piece.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR)
      return std::unexpected(last_error());
  }
}

}  // namespace reprise::runtime
