#include "agent/formats/structure/gzip_file.h"

#include <zlib.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reprise::agent {
namespace {

constexpr std::size_t kPieceRead = std::size_t{256} << 10U;
constexpr std::uint64_t kMostGrown = std::uint64_t{1} << 30U;

// Unpacks what follows, throws it away, and remembers where it is.
class Unpacking {
 public:
  enum class State { Within, AtEnd, Broken };

  Unpacking() {
    constexpr int kWithHeadOfGzip = 16;
    is_open_ = inflateInit2(&stream_, MAX_WBITS + kWithHeadOfGzip) == Z_OK;
  }
  ~Unpacking() {
    if (is_open_) inflateEnd(&stream_);
  }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  // Behind a member that has ended another one may follow, or zeros that fill up a block, or what gzip leaves alone.
  State take(std::string packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(packed.data());  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    stream_.avail_in = static_cast<uInt>(packed.size());
    bool may_go_on = is_open_;
    while (may_go_on) {
      if (state_ == State::AtEnd) {
        if (stream_.avail_in == 0 || *stream_.next_in != kFirstByte) return state_;
        inflateReset(&stream_);
        state_ = State::Within;
      }
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int outcome = inflate(&stream_, Z_NO_FLUSH);
      grown_ += out_.size() - stream_.avail_out;
      if (outcome == Z_STREAM_END) state_ = State::AtEnd;
      if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) return State::Broken;
      may_go_on = (stream_.avail_in > 0 || stream_.avail_out == 0) && grown_ <= kMostGrown;
    }
    return state_;
  }
  [[nodiscard]] bool may_tell() const { return is_open_ && grown_ <= kMostGrown; }

 private:
  static constexpr unsigned char kFirstByte = 0x1f;

  z_stream stream_{};
  bool is_open_ = false;
  State state_ = State::Within;
  std::uint64_t grown_ = 0;
  std::vector<Bytef> out_ = std::vector<Bytef>(std::size_t{64} << 10U);
};

}  // namespace

bool begins_as_gzip(std::string_view head) {
  return head.starts_with("\x1f\x8b\x08");
}

Flawed check_gzip(const CheckedFile& file) {
  if (file.size > kMostUnpacked) return std::nullopt;
  Unpacking unpacking;
  auto state = Unpacking::State::Within;
  for (std::uint64_t at = 0; at < file.size && unpacking.may_tell();) {
    auto packed = file.bytes(at, kPieceRead);
    if (!packed) return std::unexpected(packed.error());
    if (packed->empty()) return incomplete(file.name + ": became shorter meanwhile");
    at += packed->size();
    state = unpacking.take(*std::move(packed));
    if (state == Unpacking::State::Broken) break;
  }
  const bool is_whole = state == Unpacking::State::AtEnd || !unpacking.may_tell();
  return is_whole ? Flawed{std::nullopt} : corrupt(file.name + ": ends before its data does: it was cut off");
}

}  // namespace reprise::agent
