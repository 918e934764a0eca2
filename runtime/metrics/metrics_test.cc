#include "runtime/metrics/metrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <future>
#include <limits>
#include <thread>

#include "runtime/metrics/process_metrics.h"

namespace reprise::runtime {
namespace {

TEST(Metrics, text_form_is_what_prometheus_reads) {
  MetricsRegistry metrics;
  metrics.counter("b_total", "Counts b.", {{"x", "a\"\\\nz"}}).add(3);
  metrics.gauge("a", "Shows a.").set(1.5);
  metrics.gauge_of("c", "Reads c.", {}, [] { return 7.0; });
  auto& histogram = metrics.histogram("d_seconds", "Times d.", {{"k", "v"}}, {0.1, 1});
  histogram.observe(0.1);
  histogram.observe(0.5);
  histogram.observe(9);
  EXPECT_EQ(metrics.expose(),
            "# HELP a Shows a.\n# TYPE a gauge\na 1.5\n"
            "# HELP b_total Counts b.\n# TYPE b_total counter\nb_total{x=\"a\\\"\\\\\\nz\"} 3\n"
            "# HELP c Reads c.\n# TYPE c gauge\nc 7\n"
            "# HELP d_seconds Times d.\n# TYPE d_seconds histogram\n"
            "d_seconds_bucket{k=\"v\",le=\"0.1\"} 1\nd_seconds_bucket{k=\"v\",le=\"1\"} 2\n"
            "d_seconds_bucket{k=\"v\",le=\"+Inf\"} 3\nd_seconds_sum{k=\"v\"} 9.6\nd_seconds_count{k=\"v\"} 3\n");
}

TEST(Metrics, a_counter_is_shown_from_its_making_on_and_is_one_for_one_name) {
  MetricsRegistry metrics;
  (void)metrics.counter("x_total", "X.");
  EXPECT_NE(metrics.expose().find("x_total 0"), std::string::npos);
  EXPECT_EQ(&metrics.counter("x_total", "X."), &metrics.counter("x_total", "X."));
}

TEST(Metrics, labels_in_another_order_are_the_same_metric) {
  MetricsRegistry metrics;
  EXPECT_EQ(&metrics.counter("x_total", "X.", {{"a", "1"}, {"b", "2"}}),
            &metrics.counter("x_total", "X.", {{"b", "2"}, {"a", "1"}}));
}

TEST(Metrics, help_is_one_line_and_values_beyond_numbers_have_their_words) {
  MetricsRegistry metrics;
  metrics.gauge("a", "Two\nlines, one \\ and \"quotes\".").set(std::numeric_limits<double>::infinity());
  metrics.gauge("b", "B.").set(-std::numeric_limits<double>::infinity());
  metrics.gauge("c", "C.").set(std::nan(""));
  metrics.gauge("d", "D.").set(1e300);
  EXPECT_EQ(metrics.expose(),
            "# HELP a Two\\nlines, one \\\\ and \"quotes\".\n# TYPE a gauge\na +Inf\n"
            "# HELP b B.\n# TYPE b gauge\nb -Inf\n# HELP c C.\n# TYPE c gauge\nc NaN\n"
            "# HELP d D.\n# TYPE d gauge\nd 1e+300\n");
}

TEST(Metrics, a_histogram_without_an_observation_shows_all_its_buckets) {
  MetricsRegistry metrics;
  (void)metrics.histogram("h_seconds", "H.", {}, {1});
  EXPECT_NE(metrics.expose().find("h_seconds_bucket{le=\"1\"} 0\nh_seconds_bucket{le=\"+Inf\"} 0\nh_seconds_sum 0\n"
                                  "h_seconds_count 0\n"),
            std::string::npos);
}

TEST(Metrics, a_label_with_ever_new_values_does_not_grow_without_end) {
  MetricsRegistry metrics;
  for (int i = 0; i < 100'000; ++i) metrics.counter("x_total", "X.", {{"name", std::to_string(i)}}).add();
  const std::string text = metrics.expose();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + static_cast<int>(MetricsRegistry::most_series) + 1);
  EXPECT_NE(text.find("x_total{name=\"overflow\"} 99000\n"), std::string::npos);
  EXPECT_NE(text.find("x_total{name=\"999\"} 1\n"), std::string::npos);
}

TEST(Metrics, what_only_grows_and_is_read_is_a_counter) {
  MetricsRegistry metrics;
  metrics.counter_of("x_total", "X.", {}, [] { return 7.0; });
  EXPECT_EQ(metrics.expose(), "# HELP x_total X.\n# TYPE x_total counter\nx_total 7\n");
}

TEST(Metrics, gauges_that_come_and_go_are_shown_as_they_are_found_and_bounded_like_others) {
  MetricsRegistry metrics;
  std::vector<Reading> found{{"b", {{"x", "1"}}, 2}, {"b", {{"x", "1"}}, 3}};
  metrics.gauges_of({{"b", "B."}, {"a", "A."}}, [&] { return found; });
  EXPECT_EQ(metrics.expose(), "# HELP a A.\n# TYPE a gauge\n# HELP b B.\n# TYPE b gauge\nb{x=\"1\"} 5\n");
  found.clear();
  for (std::size_t i = 0; i < MetricsRegistry::most_series + 7; ++i)
    found.push_back({"b", {{"x", std::to_string(i)}}, 1});
  EXPECT_NE(metrics.expose().find("b{x=\"overflow\"} 7\n"), std::string::npos);
}

// Requests are counted on the thread that all of them share.
TEST(Metrics, nobody_who_counts_waits_for_what_is_read) {
  MetricsRegistry metrics;
  std::promise<void> counted;
  const auto happened = counted.get_future().share();
  const auto in_time = [happened] { return happened.wait_for(std::chrono::seconds(10)) == std::future_status::ready; };
  std::promise<void> begun;
  metrics.gauge_of("single", "", {}, [&] {
    begun.set_value();
    return in_time() ? 1.0 : 0.0;
  });
  metrics.gauges_of({{"many", ""}}, [&] { return std::vector<Reading>{{"many", {}, in_time() ? 1.0 : 0.0}}; });
  auto scrape = std::async(std::launch::async, [&] { return metrics.expose(); });
  begun.get_future().wait();
  metrics.counter("x_total", "", {{"code", "200"}}).add();
  metrics.histogram("x_seconds", "", {}).observe(1);
  counted.set_value();
  const std::string text = scrape.get();
  EXPECT_NE(text.find("single 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("many 1\n"), std::string::npos) << text;
}

TEST(Metrics, what_is_read_is_read_by_one_at_a_time_and_not_after_it_was_replaced) {
  MetricsRegistry metrics;
  int reads = 0;
  std::promise<void> begun;
  std::atomic<bool> over{false};
  metrics.gauge_of("a", "", {}, [&] {
    if (++reads == 1) begun.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    over = true;
    return 1.0;
  });
  std::vector<std::jthread> scrapes;
  for (int i = 0; i < 4; ++i) scrapes.emplace_back([&] { (void)metrics.expose(); });
  begun.get_future().wait();
  metrics.gauge_of("a", "", {}, [] { return 2.0; });
  EXPECT_TRUE(over);
  const int before = reads;
  scrapes.clear();
  EXPECT_NE(metrics.expose().find("a 2\n"), std::string::npos);
  EXPECT_EQ(reads, before);
}

TEST(ProcessMetrics, are_read_from_the_kernels_words_whatever_the_program_is_called) {
  const auto usage = parse_proc_stat(
      "42 (a) b (c) S 1 42 42 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 7 0 9000 1000000 300 18446744073709551615 1 1",
      100, 4096);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->cpu_seconds, 4);
  EXPECT_EQ(usage->threads, 7);
  EXPECT_EQ(usage->started_after_boot_seconds, 90);
  EXPECT_EQ(usage->virtual_bytes, 1'000'000);
  EXPECT_EQ(usage->resident_bytes, 300 * 4096);
  for (const char* broken : {"", "42", "42 (a) S 1", "42 (a) S x x x x x x x x x x x x x x x x x x x x x x"}) {
    EXPECT_FALSE(parse_proc_stat(broken, 100, 4096)) << broken;
  }
  EXPECT_EQ(parse_boot_time("cpu 1 2\nbtime 1790000000\nprocesses 3\n"), 1790000000);
  EXPECT_FALSE(parse_boot_time("cpu 1 2\n"));
}

TEST(ProcessMetrics, tell_of_this_process_what_is_true) {
  MetricsRegistry metrics;
  add_process_metrics(metrics);
  const auto value = [&metrics](const std::string& name) {
    const std::string text = metrics.expose();
    return std::stod(text.substr(text.find("\n" + name + " ") + name.size() + 2));
  };
  const double before = value("process_open_fds");
  const int descriptor = dup(0);
  EXPECT_EQ(value("process_open_fds"), before + 1);
  close(descriptor);
  EXPECT_GT(value("process_resident_memory_bytes"), 1e6);
  EXPECT_GE(value("process_virtual_memory_bytes"), value("process_resident_memory_bytes"));
  EXPECT_GE(value("process_max_fds"), before);
  EXPECT_GE(value("process_threads"), 1);
  EXPECT_GE(value("process_cpu_seconds_total"), 0);
  const auto now = static_cast<double>(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  EXPECT_LE(value("process_start_time_seconds"), now + 2);
  EXPECT_GT(value("process_start_time_seconds"), now - 3600);
}

}  // namespace
}  // namespace reprise::runtime
