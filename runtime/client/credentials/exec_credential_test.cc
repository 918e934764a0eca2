#include "runtime/client/credentials/exec_credential.h"

#include <gtest/gtest.h>

#include "runtime/http/testing/test_pki.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::VirtualClock;

struct ScriptedRunner final : ExecRunner {
  void start(std::function<void(ExecOutcome)> then) override {
    ++runs;
    done = std::move(then);
  }
  std::function<void(ExecOutcome)> done;
  int runs = 0;
};

struct ExecCredentialTest : ::testing::Test {
  ExecCredentialTest() {
    auto owned = std::make_unique<ScriptedRunner>();
    runner = owned.get();
    source = make_exec_credential(
        std::move(owned), [this](const ExecAnswer& answer) { certificates.push_back(answer.certificate_pem); }, clock,
        metrics);
  }
  void get() {
    source->get([this](Result<Credential> credential) { given.push_back(std::move(credential)); });
  }
  [[nodiscard]] Credential last() const { return given.back().value(); }
  void finish(const std::string& token, std::optional<Duration> lifetime = {}) {
    ExecAnswer answer{.bearer = token};
    if (lifetime) answer.expires = clock.wall() + *lifetime;
    runner->done({answer});
  }
  void break_down() { runner->done({fail(ErrorClass::Unauthorized, "broken"), ExecEnd::PluginExecutionError, 3}); }

  VirtualClock clock;
  MetricsRegistry metrics;
  std::vector<Result<Credential>> given;  // also what the source says at its end
  std::vector<std::string> certificates;
  ScriptedRunner* runner = nullptr;
  std::unique_ptr<CredentialSource> source;
};

TEST_F(ExecCredentialTest, the_plugin_runs_when_first_asked_and_once_for_all_who_wait) {
  EXPECT_EQ(runner->runs, 0);
  get();
  get();
  EXPECT_EQ(runner->runs, 1);
  EXPECT_TRUE(given.empty());
  finish("one");
  ASSERT_EQ(given.size(), 2U);
  EXPECT_EQ(last().bearer, "one");
}

TEST_F(ExecCredentialTest, without_an_expiry_it_is_kept_until_it_is_rejected) {
  get();
  finish("one");
  clock.advance(std::chrono::hours(1000));
  get();
  EXPECT_EQ(runner->runs, 1);
  EXPECT_EQ(given.size(), 2U);
}

TEST_F(ExecCredentialTest, shortly_before_the_expiry_it_is_made_anew_while_nobody_waits) {
  get();
  finish("one", minutes(15));
  clock.advance(minutes(14) - seconds(1));
  get();
  EXPECT_EQ(runner->runs, 1);
  clock.advance(seconds(1));
  get();
  get();
  EXPECT_EQ(runner->runs, 2);
  EXPECT_EQ(given.size(), 4U);
  EXPECT_EQ(last().bearer, "one");
  finish("two", minutes(15));
  get();
  EXPECT_EQ(last().bearer, "two");
}

TEST_F(ExecCredentialTest, a_short_life_is_renewed_in_its_last_fifth) {
  get();
  finish("one", seconds(10));
  clock.advance(seconds(7));
  get();
  EXPECT_EQ(runner->runs, 1);
  clock.advance(seconds(1));
  get();
  EXPECT_EQ(runner->runs, 2);
}

TEST_F(ExecCredentialTest, what_has_expired_is_given_to_nobody) {
  get();
  finish("one", minutes(15));
  clock.advance(minutes(15));
  get();
  EXPECT_EQ(given.size(), 1U);
  finish("two", minutes(15));
  EXPECT_EQ(last().bearer, "two");
}

TEST_F(ExecCredentialTest, what_expires_while_the_plugin_runs_is_waited_for) {
  get();
  finish("one", minutes(15));
  clock.advance(minutes(14));
  get();
  clock.advance(minutes(1));
  get();
  EXPECT_EQ(given.size(), 2U);
  finish("two", minutes(15));
  EXPECT_EQ(last().bearer, "two");
  EXPECT_EQ(runner->runs, 2);
}

TEST_F(ExecCredentialTest, a_rejected_credential_is_made_anew_by_the_next_who_asks) {
  get();
  finish("one");
  clock.advance(seconds(10));
  source->rejected(last());
  get();
  EXPECT_EQ(runner->runs, 2);
  EXPECT_EQ(given.size(), 1U);
}

TEST_F(ExecCredentialTest, a_rejection_of_what_is_not_held_any_more_changes_nothing) {
  get();
  finish("one");
  clock.advance(seconds(10));
  source->rejected(Credential{.bearer = "older"});
  get();
  EXPECT_EQ(runner->runs, 1);
}

TEST_F(ExecCredentialTest, a_plugin_that_keeps_giving_what_is_rejected_is_not_run_all_the_time) {
  get();
  finish("one");
  for (int i = 0; i < 100; ++i) {
    source->rejected(last());
    get();
    clock.advance(Duration{50});
  }
  EXPECT_EQ(runner->runs, 1);
}

TEST_F(ExecCredentialTest, a_failure_is_told_to_all_and_the_plugin_rests_ever_longer) {
  get();
  get();
  break_down();
  ASSERT_EQ(given.size(), 2U);
  EXPECT_EQ(given[1].error().message, "broken");
  get();
  EXPECT_EQ(given.size(), 3U);
  EXPECT_EQ(runner->runs, 1);
  clock.advance(seconds(1));
  get();
  EXPECT_EQ(runner->runs, 2);
  break_down();
  clock.advance(seconds(1));
  get();
  EXPECT_EQ(runner->runs, 2);
  clock.advance(seconds(1));
  get();
  EXPECT_EQ(runner->runs, 3);
  finish("one");
  EXPECT_EQ(last().bearer, "one");
}

TEST_F(ExecCredentialTest, a_failed_renewal_costs_nothing_while_the_old_one_is_valid) {
  get();
  finish("one", minutes(15));
  clock.advance(minutes(14) + seconds(30));
  get();
  break_down();
  get();
  EXPECT_EQ(last().bearer, "one");
  EXPECT_EQ(runner->runs, 2);
  clock.advance(seconds(1));
  get();
  EXPECT_EQ(runner->runs, 3);
}

TEST_F(ExecCredentialTest, a_certificate_reaches_the_transport_before_anyone_goes_on_and_counts_as_another) {
  get();
  std::size_t seen = 0;
  source->get([&](const Result<Credential>&) { seen = certificates.size(); });
  runner->done({ExecAnswer{.certificate_pem = "CERT 1", .key_pem = "KEY"}});
  EXPECT_EQ(seen, 1U);
  const Credential first = last();
  clock.advance(seconds(10));
  source->rejected(first);
  get();
  runner->done({ExecAnswer{.certificate_pem = "CERT 2", .key_pem = "KEY"}});
  EXPECT_FALSE(last() == first);
  EXPECT_EQ(certificates, (std::vector<std::string>{"CERT 1", "CERT 2"}));
}

TEST_F(ExecCredentialTest, a_credential_that_has_expired_already_is_a_failure) {
  get();
  finish("one", Duration{0});
  EXPECT_EQ(given.back().error().error_class, ErrorClass::Unauthorized);
  get();
  EXPECT_EQ(runner->runs, 1);
}

TEST_F(ExecCredentialTest, who_waits_at_the_end_is_told) {
  get();
  source.reset();
  EXPECT_EQ(given.back().error().error_class, ErrorClass::Cancelled);
}

TEST_F(ExecCredentialTest, runs_are_counted_by_how_they_ended_from_zero_on) {
  const auto shows = [this](const std::string& labels, int count) {
    return metrics.expose().find("rest_client_exec_plugin_call_total{" + labels + "} " + std::to_string(count)) !=
           std::string::npos;
  };
  EXPECT_TRUE(shows(R"(call_status="no_error",code="0")", 0));
  EXPECT_TRUE(shows(R"(call_status="plugin_not_found_error",code="1")", 0));
  EXPECT_TRUE(shows(R"(call_status="client_internal_error",code="1")", 0));
  get();
  break_down();
  EXPECT_TRUE(shows(R"(call_status="plugin_execution_error",code="3")", 1));
  clock.advance(seconds(1));
  get();
  finish("one");
  EXPECT_TRUE(shows(R"(call_status="no_error",code="0")", 1));
}

TEST_F(ExecCredentialTest, tells_how_long_its_certificate_still_holds) {
  const auto ttl = [this] {
    const std::string text = metrics.expose(), name = "\nrest_client_exec_plugin_ttl_seconds ";
    return text.substr(text.find(name) + name.size(),
                       text.find('\n', text.find(name) + 1) - text.find(name) - name.size());
  };
  EXPECT_EQ(ttl(), "+Inf");
  get();
  finish("one");
  EXPECT_EQ(ttl(), "+Inf");
  source->rejected(last());
  const testing::CertifiedKey made = testing::TestAuthority("a").issue("me");
  clock.advance(minutes(1));
  source->rejected(last());
  get();
  runner->done({ExecAnswer{.certificate_pem = made.certificate_pem, .key_pem = made.key_pem}});
  const auto day = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch() +
                                                 std::chrono::hours(24) - clock.wall().time_since_epoch());
  EXPECT_NEAR(std::stod(ttl()), day.count(), 600);
}

}  // namespace
}  // namespace reprise::runtime
