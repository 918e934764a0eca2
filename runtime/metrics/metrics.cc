#include "runtime/metrics/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <variant>

namespace reprise::runtime {
namespace {

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  if (std::isnan(value)) return "NaN";
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

void append_escaped(std::string& out, const std::string& text, bool quotes) {
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quotes)
      out += "\\\"";
    else
      out += c;
  }
}

std::string render(Labels labels) {
  std::sort(labels.begin(), labels.end());
  std::string out;
  for (const auto& [key, value] : labels) {
    if (!out.empty()) out += ',';
    out += key + "=\"";
    append_escaped(out, value, true);
    out += '"';
  }
  return out;
}

std::string line(const std::string& name, const std::string& labels, const std::string& value) {
  return name + (labels.empty() ? "" : "{" + labels + "}") + " " + value + "\n";
}

Labels overflowed(Labels labels) {
  for (auto& [name, value] : labels) value = "overflow";
  return labels;
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds) {
  std::sort(bounds.begin(), bounds.end());
  data_.counts.assign(bounds.size() + 1, 0);
  data_.bounds = std::move(bounds);
}

void Histogram::observe(double value) {
  const std::lock_guard lock(mutex_);
  const auto bucket = std::lower_bound(data_.bounds.begin(), data_.bounds.end(), value) - data_.bounds.begin();
  ++data_.counts[static_cast<std::size_t>(bucket)];
  data_.sum += value;
}

Histogram::Snapshot Histogram::snapshot() const {
  const std::lock_guard lock(mutex_);
  return data_;
}

std::vector<double> default_time_bounds() {
  return {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60};
}

struct MetricsRegistry::Family {
  using Read = std::function<double()>;
  using Series = std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>, Read>;
  std::string help, type;
  std::map<std::string, Series> series;

  [[nodiscard]] std::string key(Labels labels) const {
    std::string rendered = render(labels);
    if (series.size() < most_series || series.contains(rendered)) return rendered;
    return render(overflowed(std::move(labels)));
  }

  template <class Metric, class... Args>
  Metric& at(const Labels& labels, Args&&... args) {
    auto [found, added] = series.try_emplace(key(labels));
    if (added) found->second = std::make_unique<Metric>(std::forward<Args>(args)...);
    return *std::get<std::unique_ptr<Metric>>(found->second);
  }

  void collect(std::map<const Read*, double>& readers) const {
    for (const auto& [labels, metric] : series)
      if (const auto* read = std::get_if<Read>(&metric)) readers.emplace(read, 0);
  }

  void expose(const std::string& name, const std::map<const Read*, double>& found, std::string& out) const {
    out += "# HELP " + name + " ";
    append_escaped(out, help, false);
    out += "\n# TYPE " + name + " " + type + "\n";
    for (const auto& [labels, metric] : series) {
      if (const auto* counter = std::get_if<std::unique_ptr<Counter>>(&metric)) {
        out += line(name, labels, number((*counter)->value()));
      } else if (const auto* gauge = std::get_if<std::unique_ptr<Gauge>>(&metric)) {
        out += line(name, labels, number((*gauge)->value()));
      } else if (const auto* read = std::get_if<Read>(&metric)) {
        out += line(name, labels, number(found.at(read)));
      } else {
        expose_histogram(name, labels, std::get<std::unique_ptr<Histogram>>(metric)->snapshot(), out);
      }
    }
  }

  static void expose_histogram(const std::string& name, const std::string& labels, const Histogram::Snapshot& data,
                               std::string& out) {
    const std::string prefix = labels.empty() ? "" : labels + ",";
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < data.counts.size(); ++i) {
      total += data.counts[i];
      const std::string bound = i < data.bounds.size() ? number(data.bounds[i]) : "+Inf";
      out += line(name + "_bucket", prefix + "le=\"" + bound + "\"", std::to_string(total));
    }
    out += line(name + "_sum", labels, number(data.sum));
    out += line(name + "_count", labels, std::to_string(total));
  }
};

MetricsRegistry::MetricsRegistry() = default;
MetricsRegistry::~MetricsRegistry() = default;

MetricsRegistry::Family& MetricsRegistry::family(const std::string& name, const std::string& help, const char* type) {
  auto& found = families_[name];
  if (!found) {
    found = std::make_unique<Family>();
    found->help = help;
    found->type = type;
  }
  return *found;
}

Counter& MetricsRegistry::counter(const std::string& name, const std::string& help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  return family(name, help, "counter").at<Counter>(labels);
}

Gauge& MetricsRegistry::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  return family(name, help, "gauge").at<Gauge>(labels);
}

Histogram& MetricsRegistry::histogram(const std::string& name, const std::string& help, const Labels& labels,
                                      const std::vector<double>& bounds) {
  const std::lock_guard lock(mutex_);
  return family(name, help, "histogram").at<Histogram>(labels, bounds);
}

void MetricsRegistry::gauge_of(const std::string& name, const std::string& help, const Labels& labels,
                               std::function<double()> read) {
  const std::scoped_lock lock(reading_, mutex_);
  Family& gauges = family(name, help, "gauge");
  gauges.series[gauges.key(labels)] = std::move(read);
}

void MetricsRegistry::counter_of(const std::string& name, const std::string& help, const Labels& labels,
                                 std::function<double()> read) {
  const std::scoped_lock lock(reading_, mutex_);
  Family& counters = family(name, help, "counter");
  counters.series[counters.key(labels)] = std::move(read);
}

void MetricsRegistry::gauges_of(std::vector<GaugeFamily> families, std::function<std::vector<Reading>()> read) {
  const std::scoped_lock lock(reading_, mutex_);
  for (const GaugeFamily& each : families) (void)family(each.name, each.help, "gauge");
  readers_.push_back(std::move(read));
}

std::string MetricsRegistry::expose() const {
  const std::lock_guard alone(reading_);
  std::map<const Family::Read*, double> single;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) family->collect(single);
  }
  for (auto& [read, value] : single) value = (*read)();
  std::map<std::string, std::map<std::string, double>> found;  // by family, then by labels as shown
  for (const auto& read : readers_) {
    for (const Reading& reading : read()) {
      std::map<std::string, double>& series = found[reading.name];
      std::string labels = render(reading.labels);
      if (series.size() >= most_series && !series.contains(labels)) labels = render(overflowed(reading.labels));
      series[labels] += reading.value;
    }
  }
  std::map<std::string, std::string> lines;
  for (const auto& [name, series] : found)
    for (const auto& [labels, value] : series) lines[name] += line(name, labels, number(value));
  std::string out;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, family] : families_) {
    family->expose(name, single, out);
    out += lines[name];
  }
  return out;
}

}  // namespace reprise::runtime
