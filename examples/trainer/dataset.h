// Labelled points read from a CSV file: features..., label (0 or 1). Lines that start with # are comments.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace reprise::example {

struct Point {
  std::vector<double> features;
  double label = 0;
};

// Empty when the file cannot be read or a line is no point; `problem` then says why.
[[nodiscard]] std::optional<std::vector<Point>> read_points(const std::string& file, std::string& problem);

}  // namespace reprise::example
