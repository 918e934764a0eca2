// Logistic regression by gradient descent with momentum. Deterministic: the same state and data give the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/trainer/dataset.h"

namespace reprise::example {

struct Model {
  std::int64_t step = 0;
  std::vector<double> weights;   // one for each feature and the bias last
  std::vector<double> momentum;  // as many
};

[[nodiscard]] Model fresh_model(const std::vector<Point>& points);
// One step over all points; returns the loss before it.
double advance(Model& model, const std::vector<Point>& points);

}  // namespace reprise::example
