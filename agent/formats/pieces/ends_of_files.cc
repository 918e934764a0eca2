#include "agent/formats/pieces/ends_of_files.h"

#include <algorithm>
#include <array>

#include "agent/formats/structure/gzip_file.h"
#include "agent/formats/structure/json_file.h"
#include "agent/formats/structure/parquet_file.h"
#include "agent/formats/structure/state_file.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kJsonEnding = ".json";
constexpr std::array<std::string_view, 3> kShowTheirEnds{".gz", ".parquet", kJsonEnding};
constexpr std::size_t kHeadOfFile = 64;

bool is_packed(const CheckedFile& file, std::string_view head) {
  return begins_as_gzip(head) && file.size <= kMostUnpacked;
}

bool begins_as_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

}  // namespace

bool may_show_its_end(std::string_view path) {
  return is_named_as_state(path) ||
         std::ranges::any_of(kShowTheirEnds, [&](std::string_view ending) { return path.ends_with(ending); });
}

Flawed check_its_end(const CheckedFile& file) {
  if (is_named_as_state(file.name)) return check_state_file(file);
  if (file.size == 0) return incomplete(file.name + ": is empty");
  const auto head = file.bytes(0, kHeadOfFile);
  if (!head) return std::unexpected(head.error());
  if (head->find_first_not_of('\0') == std::string::npos) return corrupt(file.name + ": begins with zeros");
  if (begins_as_gzip(*head)) return check_gzip(file);
  if (begins_as_parquet(*head)) return check_parquet(file);
  return file.name.ends_with(kJsonEnding) ? check_json_ends(file) : Flawed{std::nullopt};
}

bool shows_its_end(const CheckedFile& file, std::string_view head) {
  constexpr std::array<std::string_view, 4> kBegins{"PK\x03\x04", "\x89HDF", "\x93NUMPY", "\x80"};
  return file.name.ends_with(".safetensors") || is_packed(file, head) || begins_as_parquet(head) ||
         (file.name.ends_with(kJsonEnding) && begins_as_json(head)) ||
         std::ranges::any_of(kBegins, [&](std::string_view begin) { return head.starts_with(begin); });
}

}  // namespace reprise::agent
