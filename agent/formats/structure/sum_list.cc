#include "agent/formats/structure/sum_list.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reprise::agent {
namespace {

constexpr std::uint64_t kLargestList = std::uint64_t{16} << 20U;
constexpr std::size_t kHexDigits = 64;

// The sum in lower case; empty where that is no sum.
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

// "\\<sum>  <path>" of one in whose name stands a line's end or a backslash. Empty: that is no such name.
std::optional<std::string> unescaped(std::string_view name) {
  std::string plain;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] != '\\') {
      plain += name[at];
      continue;
    }
    if (++at == name.size()) return std::nullopt;
    const char c = name[at];
    if (c != '\\' && c != 'n' && c != 'r') return std::nullopt;
    plain += c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return plain;
}

struct SumOfPath {
  std::string sum, path;
};

// "<sum>  <path>", or "<sum> *<path>" of one that was read as binary, or "SHA256 (<path>) = <sum>".
std::optional<SumOfPath> read_line(std::string_view line) {
  constexpr std::string_view kTag = "SHA256 (", kEndOfTag = ") = ";
  const bool is_escaped = line.starts_with('\\');
  if (is_escaped) line.remove_prefix(1);
  SumOfPath one;
  if (const std::size_t end = line.rfind(kEndOfTag); line.starts_with(kTag) && end != std::string_view::npos) {
    const std::string_view digits = line.substr(end + kEndOfTag.size());
    if (digits.size() == kHexDigits && end > kTag.size())
      one = {.sum = sum_of(digits), .path = std::string(line.substr(kTag.size(), end - kTag.size()))};
  } else if (line.size() >= kHexDigits + 2 && (line[kHexDigits] == ' ' || line[kHexDigits] == '\t')) {
    const char kind = line[kHexDigits + 1];
    const bool is_said = line[kHexDigits] == ' ' && (kind == ' ' || kind == '*');  // scripts write one space
    one = {.sum = sum_of(line.substr(0, kHexDigits)), .path = std::string(line.substr(kHexDigits + (is_said ? 2 : 1)))};
  }
  if (is_escaped) one.path = unescaped(one.path).value_or("");
  return one.sum.empty() || one.path.empty() || one.path.contains('\0') ? std::nullopt : std::optional(std::move(one));
}

// True if the list holds the sum for a file of its own directory.
bool take(const CheckedFile& file, const SumOfPath& one, SumList& list) {
  std::filesystem::path path(one.path);
  if (path.is_absolute()) {
    const auto here = path.lexically_normal().lexically_relative(file.path.parent_path());
    path = leads_out(here) ? path.relative_path() : here;  // of another mount
  }
  if (leads_out(path)) return false;
  std::string name = path.lexically_normal().string();
  if (name == file.path.filename()) return true;  // as it was before it was written
  const auto [at, added] = list.sums.emplace(std::move(name), one.sum);
  return added || at->second == one.sum;
}

// All but the last part of what all paths have in common, each with the slash behind it: "a/", "a/b/".
std::vector<std::string> directories_in_common(const SumList& list) {
  std::vector<std::string> common;
  const std::string& first = list.sums.begin()->first;
  for (std::size_t slash = first.find('/'); slash != std::string::npos; slash = first.find('/', slash + 1)) {
    std::string above = first.substr(0, slash + 1);
    if (std::ranges::any_of(list.sums, [&](const auto& each) { return !each.first.starts_with(above); })) break;
    common.push_back(std::move(above));
  }
  return common;
}

// "step_10/model.pt", where the list lies in "step_10", or "ckpt/step_10.tmp/model.pt", which was renamed. The sums
// tell whether that is the file.
runtime::Result<void> take_as_given_here(const CheckedFile& file, SumList& list) {
  if (list.sums.empty()) return {};
  const std::string first = list.sums.begin()->first;
  const auto is_there = [&](std::size_t above) {
    const auto there = file.files.look(file.path.parent_path() / first.substr(above), Links::Follow);
    return there ? runtime::Result<bool>(there->has_value()) : std::unexpected(there.error());
  };
  auto found = is_there(0);
  if (!found) return std::unexpected(found.error());
  if (*found) return {};
  for (const std::string& above : directories_in_common(list)) {
    found = is_there(above.size());
    if (!found) return std::unexpected(found.error());
    if (!*found) continue;
    SumList here;
    for (auto& [name, sum] : list.sums)
      if (name.substr(above.size()) != file.path.filename())
        here.sums.emplace(name.substr(above.size()), std::move(sum));
    list = std::move(here);
    return {};
  }
  return {};
}

}  // namespace

runtime::Result<SumList> read_sum_list(const CheckedFile& file) {
  SumList list;
  const auto flawed = [&](FlawKind kind, const std::string& what) {
    return SumList{.flaw = Flaw{kind, file.name + ": " + what},
                   .is_of_another_make = list.sums.empty() && kind == FlawKind::Corrupt};
  };
  if (file.size == 0) return flawed(FlawKind::Incomplete, "is empty");
  if (file.size > kLargestList) return flawed(FlawKind::Corrupt, "is larger than 16 MiB");
  const auto text = file.bytes(0, file.size);
  if (!text) return std::unexpected(text.error());
  constexpr std::string_view kByteOrder = "\xef\xbb\xbf";  // in front, as on Windows
  constexpr char kComment = '#';
  const char ends = text->ends_with('\0') ? '\0' : '\n';
  std::size_t number = 1;
  for (std::size_t at = text->starts_with(kByteOrder) ? kByteOrder.size() : 0; at < text->size(); ++number) {
    const std::size_t end = std::min(text->find(ends, at), text->size());
    std::string_view line = std::string_view(*text).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == kComment) continue;
    const auto one = read_line(line);
    if (one && take(file, *one, list)) continue;
    if (!one && end == text->size()) return flawed(FlawKind::Corrupt, "ends within a line: it was cut off");
    return flawed(FlawKind::Corrupt, "line " + std::to_string(number) +
                                         " is not \"<64 hex digits>  <path below this directory>\", as sha256sum "
                                         "writes it, or says another sum than a line before");
  }
  if (auto given = take_as_given_here(file, list); !given) return std::unexpected(given.error());
  if (list.sums.empty()) return flawed(FlawKind::Incomplete, "names no file");
  return list;
}

}  // namespace reprise::agent
