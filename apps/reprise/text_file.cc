#include "apps/reprise/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace reprise::apps {
namespace {

// Removed with its owner, unless it was renamed.
class FileBeside {
 public:
  explicit FileBeside(const std::filesystem::path& file)
      : name_((file.parent_path() / ("." + file.filename().string() + ".XXXXXX")).string()),
        descriptor_(::mkostemp(name_.data(), O_CLOEXEC)) {}
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  ~FileBeside() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (descriptor_ >= 0 && !renamed_) ::unlink(name_.c_str());
  }

  // False leaves errno.
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(descriptor_, text.data(), text.size());
      if (count < 0 && errno != EINTR) return false;
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  [[nodiscard]] bool take_over(const struct stat& of) const {
    const bool owned = ::fchown(descriptor_, of.st_uid, of.st_gid) == 0 || errno == EPERM;
    return owned && ::fchmod(descriptor_, of.st_mode & 0777) == 0;
  }
  [[nodiscard]] bool rename_to(const std::filesystem::path& file) {
    renamed_ = ::fsync(descriptor_) == 0 && ::rename(name_.c_str(), file.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string name_;
  int descriptor_;
  bool renamed_ = false;
};

}  // namespace

runtime::Result<std::string> text_of_file(const std::filesystem::path& file) {
  const auto problem = [&](int number) {
    return runtime::fail(runtime::ErrorClass::NotFound, file.string() + ": cannot be read: " +
                                                            std::error_code(number, std::generic_category()).message());
  };
  if (std::error_code ignored; std::filesystem::is_directory(file, ignored)) return problem(EISDIR);
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) return problem(errno != 0 ? errno : EIO);
  return text.str();
}

runtime::Result<void> write_text_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text << std::flush;
  if (!out) return runtime::fail(runtime::ErrorClass::Terminal, file.string() + ": cannot be written");
  return {};
}

runtime::Result<void> replace_text_file(const std::filesystem::path& file, std::string_view text) {
  const auto problem = [&](int number) {
    return runtime::fail(runtime::ErrorClass::Terminal, file.string() + ": cannot be written: " +
                                                            std::error_code(number, std::generic_category()).message());
  };
  std::error_code code;
  const std::filesystem::path target = std::filesystem::canonical(file, code);
  if (code) return problem(code.value());
  struct stat status = {};
  if (::stat(target.c_str(), &status) != 0 || ::access(target.c_str(), W_OK) != 0) return problem(errno);
  FileBeside fresh(target);
  if (!fresh.is_open() || !fresh.write(text) || !fresh.take_over(status) || !fresh.rename_to(target))
    return problem(errno);
  return {};
}

}  // namespace reprise::apps
