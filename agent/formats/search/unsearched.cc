#include "agent/formats/search/unsearched.h"

#include "agent/formats/search/checkpoint_search.h"

namespace reprise::agent {
namespace {

std::string part(const Unsearched::Some& some, const std::string& bound) {
  if (some.count == 0) return {};
  const std::string others = some.count > 1 ? " and " + std::to_string(some.count - 1) + " more" : "";
  return "; " + some.first + others + " (" + bound + ")";
}

}  // namespace

void Unsearched::Some::add(const std::string& path, std::size_t more) {
  if (count == 0) first = path;
  count += more;
}

std::string text(const Unsearched& left, const SearchLimits& limits) {
  const std::string parts =
      part(left.beyond, "a look reads " + std::to_string(limits.directories) + " directories that are no checkpoints") +
      part(left.crowded, "more than " + std::to_string(limits.entries) + " entries") +
      part(left.deep, "more than " + std::to_string(limits.depth) + " levels down") +
      part(left.closed, "this user may not read it") + part(left.lost, "the storage gives an error for it");
  return parts.empty() ? parts : "not looked into for checkpoints: " + parts.substr(2);
}

std::string text_of_lost(const Unsearched& left) {
  if (left.lost.count == 0) return {};
  return left.lost.first + (left.lost.count > 1 ? " and " + std::to_string(left.lost.count - 1) + " more" : "");
}

}  // namespace reprise::agent
