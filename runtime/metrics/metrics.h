// Counters, gauges and histograms with labels, and their Prometheus text form.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace reprise::runtime {

using Labels = std::vector<std::pair<std::string, std::string>>;

// All three: callable from any thread.
class Counter {
 public:
  void add(double amount = 1.0) { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0.0};
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0.0};
};

class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);

  struct Snapshot {
    std::vector<double> bounds;
    std::vector<std::uint64_t> counts;  // per bucket, not summed; one more than bounds
    double sum = 0;
  };
  [[nodiscard]] Snapshot snapshot() const;

 private:
  mutable std::mutex mutex_;
  Snapshot data_;
};

// 1 ms to 60 s, controller-runtime's buckets in short.
[[nodiscard]] std::vector<double> default_time_bounds();

// One gauge of a family, as it is found when metrics are read.
struct Reading {
  std::string name;  // the family's
  Labels labels;
  double value = 0;
};
struct GaugeFamily {
  std::string name, help;
};

// Callable from any thread. The same name and labels, in any order, give the same metric; it lives as long as the
// registry. A metric that exists is exposed, also while it is 0: create counters at start. `help` and type of the first
// call count. Labels take values of a small set: never names of objects that come by the thousand, such as pods. Names
// of the few objects that an administrator names and watches are allowed, and in gauges_of() those of a bounded number
// that exist now. A family that reached `most_series` gives further label values one metric, whose values read
// "overflow".
class MetricsRegistry {
 public:
  static constexpr std::size_t most_series = 1000;

  MetricsRegistry();
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  [[nodiscard]] Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  [[nodiscard]] Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  [[nodiscard]] Histogram& histogram(const std::string& name, const std::string& help, const Labels& labels = {},
                                     const std::vector<double>& bounds = default_time_bounds());
  // `read` is called when metrics are read, from that thread and by one at a time, while no counting thread waits; what
  // it looks at outlives the registry's last reader. It must not use the registry. The same name and labels replace it:
  // it is not called any more then.
  void gauge_of(const std::string& name, const std::string& help, const Labels& labels, std::function<double()> read);
  // The same for values that only grow.
  void counter_of(const std::string& name, const std::string& help, const Labels& labels, std::function<double()> read);

  // Families whose series come and go with their objects. `read` is called once each time that metrics are read, as
  // that of gauge_of, and names no other family than these; a family with no reading is shown without a series.
  void gauges_of(std::vector<GaugeFamily> families, std::function<std::vector<Reading>()> read);

  // Text format 0.0.4, families and series in order of name.
  [[nodiscard]] std::string expose() const;

 private:
  struct Family;
  Family& family(const std::string& name, const std::string& help, const char* type);

  // Held while metrics are read, and to change the readers; taken before the other.
  mutable std::mutex reading_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Family>> families_;
  std::vector<std::function<std::vector<Reading>()>> readers_;
};

}  // namespace reprise::runtime
