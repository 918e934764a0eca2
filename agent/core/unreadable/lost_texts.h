// The agent's own texts on the volume of which the storage has lost the bytes, as a mount does that answers writes
// before it has uploaded them (JuiceFS --writeback) when its node is lost: for good. For as long as the volume is tried
// again such an error is one. After that the text says nothing, as one that cannot be decoded.
// Heartbeats and the fence are none of them: what says who may write is judged by itself (lost_hearts.h).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

// The mark that shows that a file was written again; empty: it is not there.
[[nodiscard]] runtime::Result<std::optional<std::string>> write_mark(const VolumeFiles& files,
                                                                     const std::filesystem::path& file);

// VolumeFiles::read_all(), and on with the others where the storage gives an error for one: `lost` is called for that
// one, in its turn, and may end all with an error.
struct EachText {
  std::function<void(std::size_t at, const std::optional<std::string>& text)> take;
  std::function<runtime::Result<void>(std::size_t at, const runtime::Error& error)> lost;
};
[[nodiscard]] runtime::Result<void> read_each(const VolumeFiles& files, const std::vector<std::filesystem::path>& paths,
                                              const EachText& each);

// Safe from any thread.
class LostTexts {
 public:
  using Path = std::filesystem::path;
  // The stand-in for a text that is lost: nothing can be decoded from it, and it is not empty, since some empty files
  // are promises that nobody has made yet.
  static constexpr std::string_view kLost = "?";

  // The volume is tried for the last time: what the storage gives an error for meanwhile is lost.
  template <class T>
  [[nodiscard]] T try_last(const std::function<T()>& reads) {
    change_last_tries(1);
    T got = reads();
    change_last_tries(-1);
    return got;
  }

  // Reads a text; one that was found lost stays so, and is not read again, until somebody writes it again.
  [[nodiscard]] runtime::Result<std::optional<std::string>> read(const VolumeFiles& files, const Path& path);
  [[nodiscard]] runtime::Result<void> read_all(
      const VolumeFiles& files, const std::vector<Path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take);

 private:
  void change_last_tries(int by);
  [[nodiscard]] runtime::Result<void> give_up(const VolumeFiles& files, const Path& path, const runtime::Error& error);
  [[nodiscard]] bool is_lost(const VolumeFiles& files, const Path& path);

  std::mutex mutex_;
  int last_tries_ = 0;
  std::map<Path, std::string> lost_;  // with the mark by which it is still the same
};

[[nodiscard]] std::shared_ptr<LostTexts> make_lost_texts();
// True if it stands for a text that is lost.
[[nodiscard]] inline bool is_lost_text(const std::optional<std::string>& text) {
  return text == LostTexts::kLost;
}

}  // namespace reprise::agent
