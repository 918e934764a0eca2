#include "runtime/metrics/serving/status_pages.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace reprise::runtime {
namespace {

std::string heading(const std::string& name, const char* page) {
  return "\n" + name + " " + page +
         "\nWarning: this page is for people who look for a problem; its format may change at any time.\n\n";
}

std::string date(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S UTC %Y", &parts)};
}

std::string span(WallTime from, WallTime to) {
  const auto seconds = std::max<long long>(0, std::chrono::floor<std::chrono::seconds>(to - from).count());
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%lld hr %02lld min %02lld sec", seconds / 3600,
                                 seconds / 60 % 60, seconds % 60);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

HttpRoutes status_routes(ProcessDescription process, const HttpRoutes& beside, const Clock& clock) {
  std::vector<std::string> paths{"/flagz", "/statusz"};
  for (const auto& [path, route] : beside) paths.push_back(path);
  std::ranges::sort(paths);
  std::string all_paths;
  for (const std::string& path : paths) all_paths += " " + path;

  std::string flags = heading(process.name, "flagz");
  for (const auto& [name, value] : process.flags) flags.append(name).append("=").append(value).append("\n");
  const auto status = [process = std::move(process), all_paths, &clock](const std::string&) {
    std::string body = heading(process.name, "statusz");
    body += "Started: " + date(process.started) + "\n";
    body += "Up: " + span(process.started, clock.wall()) + "\n";
    body += "Binary version: " + process.version + "\n";
    body += "Paths:" + all_paths + "\n";
    return HttpAnswer{.body = std::move(body)};
  };
  return {{"/statusz", status}, {"/flagz", [flags](const std::string&) { return HttpAnswer{.body = flags}; }}};
}

}  // namespace reprise::runtime
