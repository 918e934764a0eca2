#include "agent/formats/verify/contents_digest.h"

#include <functional>
#include <string>
#include <string_view>

namespace reprise::agent {
namespace {

struct Listing {
  std::string text;  // text of all entries in their order
  std::size_t entries = 0;
};

void add_number(std::string& text, auto number) {
  text += '/';
  text += std::to_string(number);
}

bool add(const VolumeFiles& files, const std::filesystem::path& directory, int depth, Listing& listing) {
  if (depth > kDeepestDigested) return false;
  const auto entries = files.list_infos(directory, kMostDigested);
  if (!entries) return false;
  for (const auto& [name, entry, is_closed] : *entries) {
    if (is_closed || ++listing.entries > kMostDigested) return false;
    listing.text += name;
    add_number(listing.text, static_cast<int>(entry.kind));
    add_number(listing.text, entry.size);
    add_number(listing.text, entry.modified.time_since_epoch().count());
    if (entry.kind == FileInfo::Kind::Directory && !add(files, directory / name, depth + 1, listing)) return false;
    listing.text += '/';
  }
  return true;
}

}  // namespace

std::optional<std::size_t> digest_of_contents(const VolumeFiles& files, const std::filesystem::path& directory) {
  Listing listing;
  if (!add(files, directory, 0, listing)) return std::nullopt;
  return std::hash<std::string_view>{}(listing.text);
}

}  // namespace reprise::agent
