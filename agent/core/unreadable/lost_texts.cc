#include "agent/core/unreadable/lost_texts.h"

namespace reprise::agent {
namespace {

using runtime::Result;

}  // namespace

Result<std::optional<std::string>> write_mark(const VolumeFiles& files, const std::filesystem::path& file) {
  const auto info = files.look(file, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info) return std::nullopt;
  return std::to_string((*info)->modified.time_since_epoch().count()) + "/" + std::to_string((*info)->size);
}

Result<void> read_each(const VolumeFiles& files, const std::vector<std::filesystem::path>& paths,
                       const EachText& each) {
  for (std::size_t next = 0; next < paths.size();) {
    const std::size_t begin = next;
    const std::vector<std::filesystem::path> rest(paths.begin() + static_cast<std::ptrdiff_t>(begin), paths.end());
    const auto read = files.read_all(rest, [&](std::size_t at, const auto& text) {
      each.take(begin + at, text);
      next = begin + at + 1;
    });
    if (read) return {};
    if (!says_lost(read.error()) || next == paths.size()) return read;
    if (auto goes_on = each.lost(next, read.error()); !goes_on) return goes_on;
    ++next;
  }
  return {};
}

Result<std::optional<std::string>> LostTexts::read(const VolumeFiles& files, const Path& path) {
  const std::optional<std::string> lost(kLost);
  if (is_lost(files, path)) return lost;
  auto text = files.read(path);
  if (text || !says_lost(text.error())) return text;
  if (auto given_up = give_up(files, path, text.error()); !given_up) return std::unexpected(given_up.error());
  return lost;
}

Result<void> LostTexts::read_all(
    const VolumeFiles& files, const std::vector<Path>& paths,
    const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) {
  const std::optional<std::string> lost(kLost);
  std::vector<Path> some;
  std::size_t begin = 0;
  // Reads the texts before one that is known to be lost, which has its turn then.
  const auto read_some = [&]() -> Result<void> {
    auto read = read_each(files, some,
                          {.take = [&](std::size_t at, const auto& text) { take(begin + at, text); },
                           .lost = [&](std::size_t at, const runtime::Error& error) -> Result<void> {
                             if (auto given_up = give_up(files, some[at], error); !given_up) return given_up;
                             take(begin + at, lost);
                             return {};
                           }});
    begin += some.size();
    some.clear();
    return read;
  };
  for (const Path& path : paths) {
    if (!is_lost(files, path)) {
      some.push_back(path);
      continue;
    }
    if (auto read = read_some(); !read) return read;
    take(begin++, lost);
  }
  return read_some();
}

void LostTexts::change_last_tries(int by) {
  const std::lock_guard lock(mutex_);
  last_tries_ += by;
}

Result<void> LostTexts::give_up(const VolumeFiles& files, const Path& path, const runtime::Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (last_tries_ == 0) return std::unexpected(error);
  }
  const auto mark = write_mark(files, path);
  if (!mark || !*mark) return std::unexpected(error);
  const std::lock_guard lock(mutex_);
  lost_[path] = **mark;
  return {};
}

bool LostTexts::is_lost(const VolumeFiles& files, const Path& path) {
  std::string before;
  {
    const std::lock_guard lock(mutex_);
    const auto known = lost_.find(path);
    if (known == lost_.end()) return false;
    before = known->second;
  }
  const auto now = write_mark(files, path);
  if (now && *now == before) return true;
  const std::lock_guard lock(mutex_);
  lost_.erase(path);
  return false;
}

std::shared_ptr<LostTexts> make_lost_texts() {
  return std::make_shared<LostTexts>();
}

}  // namespace reprise::agent
