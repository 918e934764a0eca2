#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/testing/temporary_directory.h"
#include "apps/reprise/rehearse/rehearse_command.h"
#include "apps/reprise/rehearse/rehearse_options.h"
#include "rehearsal/plan/strict_manifest.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::apps {
namespace {

using agent::testing_support::put_text;
using agent::testing_support::TemporaryDirectory;
using agent::testing_support::text_in;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kJob = R"(apiVersion: reprise.dev/v1alpha1
kind: ResumableJob
metadata: {name: a}
spec:
  checkpoint: {path: /c, volume: {claimName: c}}
  template: {spec: {containers: [{name: trainer, image: i, command: [train]}]}}
)";
constexpr const char* kPool = R"(apiVersion: reprise.dev/v1alpha1
kind: GpuPool
metadata: {name: p}
spec:
  gpu: {countsPerNode: [1]}
  nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
  capacity: [{type: Spot, maxGpus: 4, noticeSeconds: 120}]
)";

std::string with(std::string yaml, const std::string& from, const std::string& to) {
  return yaml.replace(yaml.find(from), from.size(), to);
}

// The command with a rehearsal that is only written down.
class Rehearse : public ::testing::Test {
 protected:
  int run(std::vector<std::string> arguments) {
    out_.str("");
    err_.str("");
    arguments.insert(arguments.begin(), {"--output-dir", output().string()});
    const RehearseWorld world{.rehearse =
                                  [this](const rehearsal::RehearsalPlan& plan, const auto&) {
                                    plan_ = plan;
                                    if (const auto during = during_) during();
                                    return result_;
                                  },
                              .interrupted = [this] { return interrupted_; },
                              .programs = "/programs"};
    return run_rehearse(arguments, world, out_, err_);
  }
  std::string file(const std::string& name, const std::string& text) const {
    put_text(directory_.path() / name, text);
    return (directory_.path() / name).string();
  }
  std::filesystem::path output() const { return directory_.path() / "out"; }

  TemporaryDirectory directory_;
  std::ostringstream out_, err_;
  rehearsal::RehearsalPlan plan_;
  runtime::Result<rehearsal::RunReport> result_ = rehearsal::RunReport{.title = "Rehearsal", .length = seconds(10)};
  bool interrupted_ = false;
  std::function<void()> during_;  // the rehearsal
};

TEST_F(Rehearse, goes_by_the_scripts_own_pace_when_nothing_is_said) {
  ASSERT_EQ(run({"-f", file("job.yaml", kJob)}), 0) << err_.str();
  EXPECT_TRUE(plan_.own_pace);
  EXPECT_EQ(plan_.speed, 20);
  EXPECT_EQ(plan_.start_limit, runtime::Duration(seconds(120)));
  EXPECT_FALSE(plan_.to_the_end || plan_.verify_weights);
  EXPECT_EQ(plan_.notice, runtime::Duration(seconds(120)));
  EXPECT_EQ(plan_.limit, runtime::Duration(seconds(600)));
  EXPECT_EQ(plan_.agent, "/programs/reprise-agent");
  EXPECT_EQ(plan_.work_directory, output() / "run");
  EXPECT_THAT(out_.str(), HasSubstr((output() / "report.html").string()));
  EXPECT_THAT(text_in(output() / "report.html"), HasSubstr("<html"));
}

TEST_F(Rehearse, a_pace_that_is_named_is_kept) {
  ASSERT_EQ(run({"-f", file("job.yaml", kJob), "--interrupt-every", "40s", "--speed=5", "--start-limit=5m", "--all",
                 "--seed=7"}),
            0);
  EXPECT_FALSE(plan_.own_pace);
  EXPECT_EQ(plan_.interrupt_every, runtime::Duration(seconds(40)));
  EXPECT_EQ(plan_.speed, 5);
  EXPECT_EQ(plan_.start_limit, runtime::Duration(seconds(300)));
  EXPECT_EQ(plan_.seed, 7U);
  EXPECT_TRUE(plan_.to_the_end);
}

TEST_F(Rehearse, compares_weights_when_it_is_asked_to) {
  ASSERT_EQ(run({"-f", file("job.yaml", kJob), "--verify-weights"}), 0);
  EXPECT_TRUE(plan_.verify_weights);
  EXPECT_EQ(plan_.compare, "");
  ASSERT_EQ(run({"-f", file("job.yaml", kJob), "--compare", "python compare.py"}), 0);
  EXPECT_TRUE(plan_.verify_weights);
  EXPECT_EQ(plan_.compare, "python compare.py");
}

TEST_F(Rehearse, has_an_exit_code_of_its_own_where_nothing_was_shown) {
  result_->survived = false;
  EXPECT_EQ(run({"-f", file("job.yaml", kJob)}), 1);
  result_->shown = false;
  EXPECT_EQ(run({"-f", file("job.yaml", kJob)}), 3);
}

TEST_F(Rehearse, plays_a_trace_with_its_prices) {
  const std::string trace = file("t.csv",
                                 "# gap_seconds=600\n# nodes_probed=1\n# on_demand_usd_per_hour=3\n"
                                 "# value=nodes available\ntick,a,b\n0,1,1\n1,0,1\n2,1,1\n");
  ASSERT_EQ(run({"-f", file("job.yaml", kJob), "--trace", trace, "--zone", "a", "--speed=60", "--notice", "30s"}), 0)
      << err_.str();
  ASSERT_EQ(plan_.spot.zones.size(), 1U);
  EXPECT_EQ(plan_.spot.zones[0].edges.size(), 2U);
  EXPECT_NEAR(plan_.spot.zones[0].price_per_hour, 1.2, 1e-9);
  EXPECT_EQ(plan_.on_demand_price_per_hour, 3);
  EXPECT_EQ(plan_.interrupt_every, runtime::Duration(0));
  EXPECT_EQ(plan_.speed, 60);
}

TEST_F(Rehearse, takes_jobs_and_a_pool_from_any_file) {
  ASSERT_EQ(run({"-f", file("all.yaml", std::string(kPool) + "---\n" + kJob), "-f",
                 file("b.yaml", "# another\n---\n" + with(kJob, "name: a", "name: b"))}),
            0)
      << err_.str();
  EXPECT_EQ(plan_.job_yamls.size(), 2U);
  EXPECT_THAT(plan_.pool_yaml, HasSubstr("GpuPool"));
}

TEST_F(Rehearse, takes_the_manifests_of_a_directory) {
  file("d/b.yml", kPool);
  file("d/a.yaml", kJob);
  file("d/train.py", "print()");
  ASSERT_EQ(run({"-f", (directory_.path() / "d").string()}), 0) << err_.str();
  EXPECT_EQ(plan_.job_yamls.size(), 1U);
  EXPECT_THAT(plan_.pool_yaml, HasSubstr("GpuPool"));
}

TEST_F(Rehearse, leaves_out_kinds_that_are_not_ours_and_says_so) {
  ASSERT_EQ(run({"-f", file("all.yaml", std::string("apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n---\n") +
                                            kJob + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")}),
            0)
      << err_.str();
  EXPECT_EQ(plan_.job_yamls.size(), 1U);
  EXPECT_THAT(err_.str(), HasSubstr("all.yaml: line 1: Namespace ml is left out: a rehearsal takes ResumableJobs"));
  EXPECT_THAT(err_.str(), HasSubstr("all.yaml: line 12: ConfigMap c is left out"));
}

TEST_F(Rehearse, takes_a_directory_for_a_claim) {
  ASSERT_EQ(run({"-f", file("job.yaml", kJob), "--mount", "data=" + directory_.path().string() + "/"}), 0)
      << err_.str();
  EXPECT_EQ(plan_.claims.at("data"), directory_.path() / "");
}

TEST_F(Rehearse, a_command_needs_no_manifest) {
  ASSERT_EQ(run({"--checkpoints", "ckpt/", "--ranks", "2", "--speed", "5", "--", "python3", "-u", "My_train.py",
                 "--version", "$(HOME) \"x\""}),
            0)
      << err_.str();
  ASSERT_EQ(plan_.job_yamls.size(), 1U);
  const auto job = simulator::read_yaml(plan_.job_yamls[0]);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_TRUE(rehearsal::check_manifest(*job)) << rehearsal::check_manifest(*job).error().message;
  EXPECT_EQ(simulator::name_of(*job), "my-train");
  EXPECT_EQ(simulator::number(*job, {"spec", "parallelism"}), 2);
  EXPECT_EQ(simulator::text(*job, {"spec", "checkpoint", "path"}), (std::filesystem::current_path() / "ckpt").string());
  const simulator::Value& trainer = simulator::array(*job, {"spec", "template", "spec", "containers"})[0];
  EXPECT_EQ(*simulator::find(trainer, {"command"}),
            simulator::Value(simulator::JsonArray{"python3", "-u", "My_train.py", "--version", "$$(HOME) \"x\""}));
  EXPECT_EQ(plan_.speed, 5);
}

TEST_F(Rehearse, a_command_saves_where_it_is_told_to_unless_somebody_says_otherwise) {
  const auto place = [&](std::vector<std::string> arguments) {
    EXPECT_EQ(run(std::move(arguments)), 0) << err_.str();
    const auto job = simulator::read_yaml(plan_.job_yamls.at(0));
    return std::filesystem::path(simulator::text(*job, {"spec", "checkpoint", "path"}));
  };
  const auto here = std::filesystem::current_path();
  EXPECT_EQ(place({"--", "python3", "t.py", "--output_dir", "ckpt", "--lr", "1"}), here / "ckpt");
  EXPECT_EQ(place({"--", "python3", "t.py", "--output-dir=out/a"}), here / "out/a");
  EXPECT_EQ(place({"--checkpoints", "other", "--", "python3", "t.py", "--output_dir", "ckpt"}), here / "other");
  EXPECT_EQ(place({"--", "python3", "t.py", "--output_dir"}), "/checkpoints");
  EXPECT_EQ(place({"--", "python3", "t.py", "--output_dirs", "a"}), "/checkpoints");
}

TEST_F(Rehearse, a_script_that_does_not_survive_ends_with_1_and_the_reason) {
  result_->survived = false;
  result_->reasons = {"NoHandler: it died"};
  EXPECT_EQ(run({"-f", file("job.yaml", kJob)}), 1);
  EXPECT_THAT(out_.str(), HasSubstr("NoHandler: it died"));
  EXPECT_EQ(run({"-f", file("job.yaml", kJob), "--output", "json"}), 1);
  EXPECT_THAT(out_.str(), HasSubstr("\"survived\""));
  EXPECT_TRUE(out_.str().starts_with("{"));
}

TEST_F(Rehearse, a_job_that_is_rejected_ends_with_2) {
  result_ = runtime::fail(runtime::ErrorClass::Invalid, "ResumableJob a: spec.parallelism: must be at least 1");
  EXPECT_EQ(run({"-f", file("job.yaml", kJob)}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("spec.parallelism"));
}

TEST_F(Rehearse, an_interrupted_run_still_reports) {
  interrupted_ = true;
  EXPECT_EQ(run({"-f", file("job.yaml", kJob)}), 130);
  EXPECT_THAT(out_.str(), HasSubstr("report.html"));
}

TEST_F(Rehearse, removes_only_what_it_has_made) {
  put_text(output() / "mine", "x");
  EXPECT_EQ(run({"-f", file("job.yaml", kJob)}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("holds something else"));
  std::filesystem::remove_all(output());
  ASSERT_EQ(run({"-f", file("job.yaml", kJob)}), 0);
  put_text(output() / "run" / "volumes" / "old", "x");
  ASSERT_EQ(run({"-f", file("job.yaml", kJob)}), 0);
  EXPECT_FALSE(std::filesystem::exists(output() / "run" / "volumes"));
}

TEST_F(Rehearse, a_second_run_into_the_same_directory_is_rejected_while_the_first_goes_on) {
  const std::string job = file("job.yaml", kJob);
  int second = 0;
  std::string why;
  during_ = [&] {
    during_ = nullptr;
    put_text(output() / "run" / "volumes" / "old", "x");
    second = run({"-f", job});
    why = err_.str();
  };
  ASSERT_EQ(run({"-f", job}), 0);
  EXPECT_EQ(second, 2);
  EXPECT_THAT(why, HasSubstr("is in use by process " + std::to_string(getpid())));
  EXPECT_TRUE(std::filesystem::exists(output() / "run" / "volumes" / "old")) << "the first one's";
  EXPECT_EQ(run({"-f", job}), 0) << "it has ended";
}

TEST_F(Rehearse, wrong_arguments_and_files_end_with_2_and_say_what_is_allowed) {
  const std::string job = file("job.yaml", kJob), pod = file("pod.yaml", "kind: Pod\n---\nkind: Job\n");
  const std::string other = file("other.yaml", "---\napiVersion: reprise.dev/v1alpha1\nkind: ResumableJobs\n");
  const std::string nothing = file("nothing.yaml", "metadata: {}\n"),
                    twice = file("twice.yaml", kJob + std::string("spec: {}\n"));
  const std::string pools = file("pools.yaml", std::string(kPool) + "---\n" + kPool);
  const std::string trace = file("t.csv", "nonsense\n");
  const std::string typo = file("typo.yaml", with(kJob, "spec:\n", "spec:\n  parallelizm: 3\n"));
  file("nothing/train.py", "print()");
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{}, "found neither -f FILE with a ResumableJob nor a command behind --"},
      {{"--"}, "a command is missing"},
      {{"--", "/nonexistent/train"}, "--: found '/nonexistent/train', must be a program that runs here"},
      {{"--", "/etc/passwd"}, "--: found '/etc/passwd', must be a program"},
      {{"--", "no-such-trainer"}, "--: found 'no-such-trainer', must be a program"},
      {{"-f", job, "--", "true"}, "exclude each other"},
      {{"-f", job, "--ranks", "2"}, "--ranks needs a command behind --"},
      {{"--ranks", "0", "--", "true"}, "--ranks: found '0', must be a whole number from 1 to 64"},
      {{"--checkpoints", "/", "--", "true"}, "--checkpoints: found /"},
      {{"--mount", "a=/", "--", "true"}, "--mount needs -f"},
      {{"-f", job, "--mount", "data"}, "--mount: found 'data', must be CLAIM=DIR"},
      {{"-f", job, "--mount", "data=/nowhere"}, "--mount data: found /nowhere, which is no directory"},
      {{"-f", job, "--mount", "data=/", "--mount", "data=/tmp"}, "found claim data a second time"},
      {{"-f", "none.yaml"}, "none.yaml"},
      {{"-f", pod}, "there is no ResumableJob in it; found Pod, Job"},
      {{"-f", other}, "other.yaml: line 2: found kind 'ResumableJobs', must be ResumableJob or GpuPool"},
      {{"-f", nothing}, "nothing.yaml: line 1: kind is missing"},
      {{"-f", twice}, "twice.yaml: line 7, column 1: found the key 'spec' a second time, the first is in line 4"},
      {{"-f", typo}, "typo.yaml: ResumableJob a\n  spec.parallelizm: unknown field; allowed: "},
      {{"-f", (directory_.path() / "nothing").string()}, "found a directory without .yaml, .yml or .json files"},
      {{"-f", pools}, "pools.yaml: line 9: found a second GpuPool"},
      {{"-f", file("pool.yaml", kPool)}, "no ResumableJob"},
      {{"-f", job, "--trace", trace}, "t.csv"},
      {{"-f", job, "--trace", trace, "--interrupt-every", "5s"}, "exclude each other"},
      {{"-f", job, "--zone", "a"}, "--zone needs --trace"},
      {{"-f", job, "--notice", "5"}, "--notice: found '5', must be a duration such as 30s"},
      {{"-f", job, "--notice", "1ms"}, "at least 1000ms"},
      {{"-f", job, "--limit", "-1s"}, "--limit: found '-1s'"},
      {{"-f", job, "--speed", "0.5"}, "--speed: found '0.5', must be a number from 1 to 1000"},
      {{"-f", job, "--output", "xml"}, "must be text or json"},
      {{"-f", job, "--frobnicate"}, "unknown flag '--frobnicate'"},
      {{"-f", job, "frobnicate"}, "unknown argument 'frobnicate'"}};
  for (const auto& [arguments, expected] : rows) {
    EXPECT_EQ(run(arguments), 2) << expected;
    EXPECT_THAT(err_.str(), HasSubstr(expected));
  }
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Exit codes: 0"));
}

}  // namespace
}  // namespace reprise::apps
