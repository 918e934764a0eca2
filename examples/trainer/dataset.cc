#include "examples/trainer/dataset.h"

#include <charconv>
#include <fstream>

namespace reprise::example {

std::optional<std::vector<Point>> read_points(const std::string& file, std::string& problem) {
  std::ifstream in(file);
  if (!in) {
    problem = "cannot read " + file;
    return std::nullopt;
  }
  std::vector<Point> points;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::vector<double> values;
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    while (at < end) {
      double value = 0;
      const auto [next, bad] = std::from_chars(at, end, value);
      if (bad != std::errc{} || (next < end && *next != ',')) break;
      values.push_back(value);
      at = next < end ? next + 1 : end;
    }
    const std::size_t width = points.empty() ? values.size() : points.front().features.size() + 1;
    if (at != end || values.size() < 2 || values.size() != width) {
      problem = file + ":" + std::to_string(number) + ": not a point";
      return std::nullopt;
    }
    const double label = values.back();
    values.pop_back();
    points.push_back({.features = std::move(values), .label = label});
  }
  if (points.empty()) {
    problem = file + " holds no points";
    return std::nullopt;
  }
  return points;
}

}  // namespace reprise::example
