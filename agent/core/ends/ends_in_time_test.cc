// How long the last work on a volume is waited for, by a clock that goes on while it is.
#include "agent/core/ends/ends_in_time.h"

#include <gtest/gtest.h>

#include <csignal>
#include <utility>

#include "agent/core/stop/stop_request.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using std::chrono::seconds;

class CourseClock final : public runtime::Clock {
 public:
  [[nodiscard]] runtime::WallTime wall() const override { return {}; }
  [[nodiscard]] runtime::Instant steady() const override { return now; }
  runtime::Instant now{std::chrono::hours(1)};
};

// The disk has done its work after `takes`; the kubelet asks for a stop after `stops`.
struct Course {
  CourseClock clock;
  std::optional<runtime::Instant> done_at, stop_at;
  std::function<void()> work;
};

class CourseSignals final : public Signals {
 public:
  explicit CourseSignals(Course& course) : course_(course) {}
  [[nodiscard]] std::optional<ReceivedSignal> wait(runtime::Instant until) const override {
    const auto comes = [&](const auto& at) { return at && *at <= until; };
    if (comes(course_.stop_at) && !(comes(course_.done_at) && *course_.done_at < *course_.stop_at)) {
      go_to(*std::exchange(course_.stop_at, std::nullopt));
      return ReceivedSignal{.number = SIGTERM, .from_outside = true};
    }
    if (comes(course_.done_at)) {
      go_to(*std::exchange(course_.done_at, std::nullopt));
      course_.work();
    } else {
      go_to(until);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<ReceivedSignal> wait_idle(runtime::Instant until) const override { return wait(until); }
  void wake() const override {}

 private:
  void go_to(runtime::Instant at) const { course_.clock.now = at; }
  Course& course_;
};

class CourseThreads final : public Threads {
 public:
  explicit CourseThreads(Course& course) : course_(course) {}
  [[nodiscard]] std::unique_ptr<Worker> repeat(std::chrono::milliseconds /*period*/,
                                               std::function<void()> tick) override {
    course_.work = std::move(tick);
    return std::make_unique<Once>();
  }
  bool run_bounded(std::chrono::milliseconds /*timeout*/, std::function<void()> /*work*/) override { return false; }
  [[nodiscard]] std::shared_ptr<Exclusion> make_exclusion() override { return nullptr; }
  void pause(std::chrono::milliseconds /*time*/) override {}

 private:
  struct Once final : Worker {
    void kick() override {}
    void set_period(std::chrono::milliseconds /*period*/) override {}
    bool finish(std::chrono::milliseconds /*timeout*/) override { return true; }
  };
  Course& course_;
};

class CourseHost final : public Host {
 public:
  explicit CourseHost(Course& course)
      : course_(course), signals_(std::make_shared<CourseSignals>(course)), threads_(course) {}
  [[nodiscard]] const runtime::Clock& clock() const override { return course_.clock; }
  [[nodiscard]] std::shared_ptr<const Signals> signals() const override { return signals_; }
  [[nodiscard]] Threads& threads() override { return threads_; }
  [[nodiscard]] runtime::Result<std::unique_ptr<Trainer>> start_trainer(const std::vector<std::string>& /*command*/,
                                                                        const std::string& /*checkpoint*/) override {
    return nullptr;
  }
  [[nodiscard]] pid_t pid() const override { return 1; }
  [[nodiscard]] std::vector<Process> processes() const override { return {}; }
  [[nodiscard]] bool is_running(pid_t /*pid*/) const override { return false; }
  bool send(pid_t /*pid*/, int /*signal*/) const override { return false; }
  void write_termination_log(const std::string& /*path*/, const std::string& /*text*/) override {}
  void say(std::string_view /*text*/) override {}

 private:
  Course& course_;
  std::shared_ptr<const Signals> signals_;
  CourseThreads threads_;
};

class EndsInTimeTest : public testing_support::VolumeTest {
 protected:
  EndsInTimeTest() {
    calls_->mount = MountKind{.type = "ext4", .proof = DurabilityProof::Sync, .local = true};
    env_.grace = seconds(30);
  }
  // Seconds from the trainer's end on. Whether the work ended.
  bool ends(int takes, std::optional<int> stops = {}) {
    const auto begun = course_.clock.steady();
    course_.done_at = begun + seconds(takes);
    if (stops) course_.stop_at = begun + seconds(*stops);
    Session session{.env = env_, .self = self_, .volume = volume_, .host = host_};
    const bool ended = ends_in_time(session, [] {});
    EXPECT_EQ(session.stop_requested.has_value(), stops.has_value());
    took_ = std::chrono::duration_cast<seconds>(course_.clock.steady() - begun);
    return ended;
  }
  Course course_;
  CourseHost host_{course_};
  seconds took_{};
};

TEST_F(EndsInTimeTest, a_disk_has_minutes_where_nobody_asked_for_a_stop) {
  EXPECT_TRUE(ends(590));
  EXPECT_FALSE(ends(1'000));
  EXPECT_EQ(took_, kLongestAtEnd);
}

TEST_F(EndsInTimeTest, a_stop_that_is_requested_meanwhile_leaves_half_of_its_grace) {
  EXPECT_TRUE(ends(114, 100));
  EXPECT_FALSE(ends(120, 100));
  EXPECT_EQ(took_, seconds(115));
}

// Bytes that a share has not taken by then prove nothing in the next attempt either.
TEST_F(EndsInTimeTest, on_a_share_the_grace_bounds_it) {
  calls_->mount = MountKind{.type = "nfs4"};
  EXPECT_TRUE(ends(29));
  EXPECT_FALSE(ends(31));
}

}  // namespace
}  // namespace reprise::agent
