#include "apps/kubectl-reprise/commands/report/archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace reprise::plugin {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kLongestName = 99;

void put(std::string& header, std::size_t at, const std::string& text) {
  std::ranges::copy(text, header.begin() + static_cast<std::ptrdiff_t>(at));
}

// POSIX ustar.
std::string header_of(const ArchivedFile& file, std::int64_t seconds) {
  std::string header(kBlock, '\0');
  put(header, 0, file.name.substr(0, kLongestName));
  put(header, 100, "0000600");
  put(header, 108, "0000000");
  put(header, 116, "0000000");
  put(header, 124, fmt::format("{:011o}", file.content.size()));
  put(header, 136, fmt::format("{:011o}", seconds));
  put(header, 148, "        ");  // the checksum counts as blanks
  put(header, 156, "0");
  put(header, 257, std::string("ustar\0", 6) + "00");
  unsigned sum = 0;
  for (const char each : header) sum += static_cast<unsigned char>(each);
  put(header, 148, fmt::format("{:06o}", sum) + '\0' + ' ');
  return header;
}

}  // namespace

std::string tar_of(const std::vector<ArchivedFile>& files, kube::Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  std::string tar;
  for (const ArchivedFile& file : files) {
    tar += header_of(file, seconds) + file.content;
    tar.append((kBlock - file.content.size() % kBlock) % kBlock, '\0');
  }
  return tar + std::string(2 * kBlock, '\0');
}

std::string gzip_of(const std::string& bytes) {
  constexpr int gzip_window = 15 + 16, memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib reads it only
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(whole ? stream.total_out : 0);
  deflateEnd(&stream);
  return packed;
}

}  // namespace reprise::plugin
