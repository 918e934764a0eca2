#include "simulator/volumes/disk_paths.h"

#include <charconv>
#include <ranges>

namespace reprise::simulator {

Parts parts_of(std::string_view path) {
  Parts parts;
  for (const auto part : std::views::split(path, '/'))
    if (!part.empty()) parts.emplace_back(part.begin(), part.end());
  return parts;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<InAttempt> in_attempt(const Parts& parts) {
  if (parts.size() != 4 || parts[0] != kOwn || parts[1] != "attempts") return std::nullopt;
  const auto attempt = whole(parts[2]);
  const std::string_view file = parts[3];
  const auto dot = file.rfind('.');
  if (!attempt || dot == std::string_view::npos) return std::nullopt;
  if (file == "resume.json") return InAttempt{.kind = InAttempt::Kind::ResumePoint, .attempt = *attempt};
  const auto rank = whole(file.substr(0, dot));
  if (!rank) return std::nullopt;
  auto kind = InAttempt::Kind::Record;
  if (file.substr(dot) == ".alive") kind = InAttempt::Kind::Heartbeat;
  if (file.substr(dot) == ".told") kind = InAttempt::Kind::Told;
  return InAttempt{.kind = kind, .attempt = *attempt, .rank = static_cast<int>(*rank)};
}

bool is_attempts(const Parts& parts, std::size_t size) {
  return parts.size() == size && parts[0] == kOwn && parts[1] == "attempts";
}
bool is_fence(const Parts& parts) {
  return parts.size() == 2 && parts[0] == kOwn && parts[1] == "fence.json";
}
bool is_aside(const Parts& parts, std::string_view place, std::size_t size) {
  return parts.size() == size && parts[0] == kOwn && parts[1] == place;
}

DiskAside aside_at(const Parts& target) {
  return {.directory = target.back(), .place = target.size() == 3 ? target[1] : "quarantine"};
}

}  // namespace reprise::simulator
