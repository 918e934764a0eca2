// A file read from its beginning to its end: the next piece comes while the one before is summed.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/volume/posix_files.h"

namespace reprise::agent {

using runtime::Result;

namespace {

// Pieces on their way from the thread that reads to the one that takes.
class ReadAhead {
 public:
  using Piece = Result<std::string>;
  // Throws std::system_error where no thread can be had. `read` is called on that one until it gives nothing.
  explicit ReadAhead(std::function<Piece()> read)
      : read_(std::move(read)), thread_([this](const std::stop_token& stop) { go_on(stop); }) {}
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() {
    thread_.request_stop();
    free_.release();
  }

  // The one before is not used any more.
  [[nodiscard]] const Piece& next() {
    if (taken_++ > 0) free_.release();
    full_.acquire();
    return pieces_[(taken_ - 1) % pieces_.size()];
  }

 private:
  void go_on(const std::stop_token& stop) {
    for (std::size_t at = 0;; ++at) {
      free_.acquire();
      if (stop.stop_requested()) return;
      Piece& piece = pieces_[at % pieces_.size()];
      piece = read_();
      const bool last = !piece || piece->empty();
      full_.release();
      if (last) return;
    }
  }

  std::function<Piece()> read_;
  std::array<Piece, 2> pieces_;
  std::counting_semaphore<3> free_{2}, full_{0};
  std::size_t taken_ = 0;
  std::jthread thread_;  // ends before what it uses
};

}  // namespace

Result<std::uint64_t> PosixFiles::read_through(const Path& path, std::uint64_t offset, std::uint64_t length,
                                               const std::function<void(std::string_view bytes)>& take) const {
  if (length <= kPiece) return VolumeFiles::read_through(path, offset, length, take);
  std::optional<ReadAhead> ahead;
  try {
    ahead.emplace([&, at = std::uint64_t{0}]() mutable -> Result<std::string> {
      auto bytes = at < length ? read_range(path, offset + at, std::min(kPiece, length - at)) : std::string();
      if (bytes) at += bytes->size();
      return bytes;
    });
  } catch (const std::system_error&) {  // the container may have no more threads
    return VolumeFiles::read_through(path, offset, length, take);
  }
  for (std::uint64_t count = 0;;) {
    const auto& bytes = ahead->next();
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) return count;
    take(*bytes);
    count += bytes->size();
  }
}

}  // namespace reprise::agent
