#include "agent/formats/structure/arrays/msgpack_map.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace reprise::agent {
namespace {

constexpr std::uint64_t kMsgpackWindow = std::uint64_t{64} << 10U, kMostMsgpackRead = std::uint64_t{64} << 20U;
constexpr std::size_t kDeepestMsgpack = 64, kLongestKey = 256;

// The first byte of a value describes the rest of it.
struct MsgpackHead {
  std::uint64_t bytes = 0;        // bytes that follow, but for those of the length
  std::size_t length_bytes = 0;   // bytes of a number that says how many more follow, or how many values
  std::uint64_t values = 0;       // in it
  std::uint64_t values_each = 0;  // for each that the length says
  bool is_text = false;
};

std::optional<MsgpackHead> short_head(unsigned char byte) {
  if (byte <= 0x7f || byte >= 0xe0) return MsgpackHead{};
  if (byte <= 0x8f) return MsgpackHead{.values = 2 * std::uint64_t{byte & 0x0fU}};
  if (byte <= 0x9f) return MsgpackHead{.values = byte & 0x0fU};
  if (byte <= 0xbf) return MsgpackHead{.bytes = byte & 0x1fU, .is_text = true};
  return std::nullopt;
}

// From the specification of MessagePack, "Formats".
std::optional<MsgpackHead> msgpack_head(unsigned char byte) {
  if (const auto head = short_head(byte)) return head;
  const auto width = [&](unsigned char first) { return std::size_t{1} << (byte - first); };
  if (byte == 0xc0 || byte == 0xc2 || byte == 0xc3) return MsgpackHead{};
  if (byte >= 0xc4 && byte <= 0xc6) return MsgpackHead{.length_bytes = width(0xc4)};
  if (byte >= 0xc7 && byte <= 0xc9) return MsgpackHead{.bytes = 1, .length_bytes = width(0xc7)};
  if (byte == 0xca || byte == 0xcb) return MsgpackHead{.bytes = 4 * width(0xca)};
  if (byte >= 0xcc && byte <= 0xcf) return MsgpackHead{.bytes = width(0xcc)};
  if (byte >= 0xd0 && byte <= 0xd3) return MsgpackHead{.bytes = width(0xd0)};
  if (byte >= 0xd4 && byte <= 0xd8) return MsgpackHead{.bytes = 1 + width(0xd4)};
  if (byte >= 0xd9 && byte <= 0xdb) return MsgpackHead{.length_bytes = width(0xd9), .is_text = true};
  if (byte == 0xdc || byte == 0xdd) return MsgpackHead{.length_bytes = 2 * width(0xdc), .values_each = 1};
  if (byte == 0xde || byte == 0xdf) return MsgpackHead{.length_bytes = 2 * width(0xde), .values_each = 2};
  return std::nullopt;
}

class MsgpackWalk {
 public:
  explicit MsgpackWalk(const CheckedFile& file) : file_(file) {}

  runtime::Result<MsgpackMap> run() {
    MsgpackMap map;
    while (true) {
      const auto went = one_value(map);
      if (!went) return std::unexpected(went.error());
      if (*went != Step::On) {
        map.end = *went == Step::RanOut ? MsgpackMap::End::CutOff : MsgpackMap::End::NotKnown;
        return map;
      }
      while (!left_.empty() && left_.back() == 0) left_.pop_back();
      if (!left_.empty()) continue;
      if (at_ == file_.size) map.end = MsgpackMap::End::AtTheFiles;
      return map;
    }
  }

 private:
  enum class Step { On, RanOut, NotKnown };

  runtime::Result<Step> one_value(MsgpackMap& map) {
    const auto first = take(1);
    if (!first) return std::unexpected(first.error());
    if (first->empty()) return ended();
    const auto head = msgpack_head(static_cast<unsigned char>(first->front()));
    const bool is_first = left_.empty(), is_key = left_.size() == 1 && left_.back() % 2 == 0;
    if (!is_first) --left_.back();
    if (!head || (is_first && !is_map(static_cast<unsigned char>(first->front())))) return Step::NotKnown;
    const auto length = take_length(head->length_bytes);
    if (!length) return std::unexpected(length.error());
    if (!*length) return ended();
    const std::uint64_t bytes = head->bytes + (head->values_each == 0 ? **length : 0);
    if (bytes > file_.size - at_) return Step::RanOut;
    if (is_key && head->is_text && bytes <= kLongestKey) {
      const auto key = take(bytes);
      if (!key) return std::unexpected(key.error());
      map.keys.push_back(*key);
    } else {
      at_ += bytes;
    }
    const std::uint64_t values = head->values + head->values_each * **length;
    if (is_first || values > 0) left_.push_back(values);
    return left_.size() > kDeepestMsgpack ? Step::NotKnown : Step::On;
  }

  static bool is_map(unsigned char byte) { return (byte >= 0x80 && byte <= 0x8f) || byte == 0xde || byte == 0xdf; }

  [[nodiscard]] Step ended() const { return read_ > kMostMsgpackRead ? Step::NotKnown : Step::RanOut; }

  // The most significant byte first.
  runtime::Result<std::optional<std::uint64_t>> take_length(std::size_t width) {
    const auto bytes = take(width);
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->size() < width) return std::nullopt;
    std::uint64_t number = 0;
    for (const char byte : *bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return number;
  }

  // Fewer where the file ends, and where too many have been read.
  runtime::Result<std::string> take(std::uint64_t count) {
    if (at_ < begin_ || at_ + count > begin_ + window_.size()) {
      if (read_ > kMostMsgpackRead) return std::string();
      auto read = file_.bytes(at_, std::min(kMsgpackWindow, file_.size - at_));
      if (!read) return std::unexpected(std::move(read).error());
      window_ = *std::move(read);
      begin_ = at_;
      read_ += window_.size();
    }
    std::string taken = window_.substr(at_ - begin_, count);
    at_ += taken.size();
    return taken;
  }

  const CheckedFile& file_;
  std::string window_;
  std::uint64_t begin_ = 0, at_ = 0, read_ = 0;
  std::vector<std::uint64_t> left_;  // values to come, of each map and array that has begun
};

}  // namespace

runtime::Result<MsgpackMap> read_msgpack_map(const CheckedFile& file) {
  return MsgpackWalk(file).run();
}

}  // namespace reprise::agent
