#include "agent/formats/structure/sum_list.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace reprise::agent {
namespace {

constexpr std::uint64_t kLargestList = std::uint64_t{16} << 20U;
constexpr std::size_t kHexDigits = 64;

// In lower case; empty where that is no sum.
std::string sum_of(std::string_view digits) {
  std::string sum;
  for (const char c : digits) {
    const char low = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!((low >= '0' && low <= '9') || (low >= 'a' && low <= 'f'))) return {};
    sum += low;
  }
  return sum;
}

bool leads_out(const std::filesystem::path& path) {
  return path.empty() || path.is_absolute() || std::ranges::any_of(path, [](const auto& part) { return part == ".."; });
}

// "<sum>  <path>", or "<sum> *<path>" of one that was read as binary.
bool take_line(std::string_view line, SumList& list) {
  if (line.size() < kHexDigits + 3 || line[kHexDigits] != ' ') return false;
  const char kind = line[kHexDigits + 1];
  const std::string sum = sum_of(line.substr(0, kHexDigits));
  const std::filesystem::path path(line.substr(kHexDigits + 2));
  if (sum.empty() || (kind != ' ' && kind != '*') || leads_out(path) || line.contains('\0')) return false;
  const auto [at, added] = list.sums.emplace(path.lexically_normal().string(), sum);
  return added || at->second == sum;
}

}  // namespace

runtime::Result<SumList> read_sum_list(const CheckedFile& file) {
  const auto flawed = [&](FlawKind kind, const std::string& what) {
    return SumList{.flaw = Flaw{kind, file.name + ": " + what}, .sums = {}};
  };
  if (file.size == 0) return flawed(FlawKind::Incomplete, "is empty");
  if (file.size > kLargestList) return flawed(FlawKind::Corrupt, "is larger than 16 MiB");
  const auto text = file.bytes(0, file.size);
  if (!text) return std::unexpected(text.error());
  if (!text->ends_with('\n')) return flawed(FlawKind::Corrupt, "ends within a line: it was cut off");
  SumList list;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text->size(); ++number) {
    const std::size_t end = text->find('\n', at);
    const std::string_view line = std::string_view(*text).substr(at, end - at);
    at = end + 1;
    if (line.empty() || take_line(line, list)) continue;
    return flawed(FlawKind::Corrupt, "line " + std::to_string(number) +
                                         " is not \"<64 hex digits>  <path below this directory>\", as sha256sum "
                                         "writes it, or says another sum than a line before");
  }
  if (list.sums.empty()) return flawed(FlawKind::Incomplete, "names no file");
  return list;
}

}  // namespace reprise::agent
