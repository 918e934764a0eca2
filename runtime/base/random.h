// Randomness is injected so that a failing run replays from its seed.
#pragma once

#include <cstdint>
#include <mutex>
#include <random>

namespace reprise::runtime {

class Random {
 public:
  virtual ~Random() = default;
  // Uniform in [0, 1). Callable from any thread.
  [[nodiscard]] virtual double uniform() = 0;
};

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  [[nodiscard]] double uniform() override {
    const std::lock_guard lock(mutex_);
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine_);
  }

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

}  // namespace reprise::runtime
