#include "examples/trainer/model.h"

#include <cmath>

namespace reprise::example {
namespace {

constexpr double kRate = 0.05;
constexpr double kMomentum = 0.9;

}  // namespace

Model fresh_model(const std::vector<Point>& points) {
  const std::size_t size = points.front().features.size() + 1;
  return {.step = 0, .weights = std::vector<double>(size), .momentum = std::vector<double>(size)};
}

double advance(Model& model, const std::vector<Point>& points) {
  const std::size_t bias = model.weights.size() - 1;
  std::vector<double> gradient(model.weights.size());
  double loss = 0;
  for (const Point& point : points) {
    double sum = model.weights[bias];
    for (std::size_t i = 0; i < bias; ++i) sum += model.weights[i] * point.features[i];
    const double guess = 1.0 / (1.0 + std::exp(-sum));
    const double error = guess - point.label;
    loss += std::log1p(std::exp(point.label > 0.5 ? -sum : sum));
    for (std::size_t i = 0; i < bias; ++i) gradient[i] += error * point.features[i];
    gradient[bias] += error;
  }
  const auto count = static_cast<double>(points.size());
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    model.momentum[i] = kMomentum * model.momentum[i] - kRate * gradient[i] / count;
    model.weights[i] += model.momentum[i];
  }
  ++model.step;
  return loss / count;
}

}  // namespace reprise::example
