#include "apps/kubectl-reprise/commands/logs/logs_command.h"

#include <charconv>
#include <ostream>

#include "apps/kubectl-reprise/cluster/job_name.h"
#include "apps/kubectl-reprise/cluster/job_pods.h"
#include "apps/kubectl-reprise/commands/logs/log_choice.h"
#include "apps/kubectl-reprise/commands/logs/log_streams.h"
#include "runtime/client/status.h"

namespace reprise::plugin {
namespace {

using runtime::ErrorClass;

constexpr runtime::Duration kLook{1'000};  // for pods of the next attempt
constexpr runtime::Duration kPrint{100};

runtime::Result<std::optional<std::int32_t>> number(const Session& session, const char* flag) {
  const auto text = session.arguments.value(flag);
  if (!text) return std::nullopt;
  std::int32_t value = -1;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (problem != std::errc() || end != text->data() + text->size() || value < 0)
    return runtime::fail(ErrorClass::Invalid,
                         "--" + std::string(flag) + ": found '" + *text + "', must be a whole number");
  return value;
}

struct Request {
  std::string job;
  LogChoice choice;
  std::string more;  // more of the query
  bool follow = false;
};

runtime::Result<Request> request_of(const Session& session) {
  auto name = job_name(session.arguments.words.front());
  if (!name) return std::unexpected(std::move(name).error());
  const auto attempt = number(session, "attempt");
  const auto index = number(session, "index");
  const auto tail = number(session, "tail");
  for (const auto* each : {&attempt, &index, &tail}) {
    if (!*each) return std::unexpected(each->error());
  }
  Request request{.job = *std::move(name),
                  .choice = {.attempt = *attempt, .index = *index, .all = session.arguments.is_set("all")},
                  .follow = session.arguments.is_set("follow")};
  if (*tail) request.more += "&tailLines=" + std::to_string(**tail);
  if (session.arguments.is_set("timestamps")) request.more += "&timestamps=true";
  return request;
}

struct Look {
  api::ResumableJob job;
  std::vector<kube::Pod> pods;  // their logs are wanted
};

runtime::Result<Look> look(Session& session, const Request& request) {
  auto job = get<api::ResumableJob>(session.client(), session.namespace_(), request.job);
  if (!job) return std::unexpected(std::move(job).error());
  auto pods = pods_of(session.client(), *job);
  if (!pods) return std::unexpected(std::move(pods).error());
  auto chosen = with_logs(*pods, trainer_of(*job), request.choice);
  return Look{*std::move(job), std::move(chosen)};
}

runtime::Result<ExitCode> print_once(Session& session, const Request& request, const Look& seen) {
  const bool prefixes = session.arguments.is_set("prefix", seen.pods.size() > 1);
  LogLines lines(prefixes);
  for (const kube::Pod& pod : seen.pods) {
    const auto answer =
        session.cluster->transport().send({.path_and_query = log_path(pod, trainer_of(seen.job), false, request.more)});
    if (!answer) return std::unexpected(answer.error());
    if (!runtime::is_success(answer->status))
      return std::unexpected(runtime::error_of(*answer).with_context("log of pod " + std::string(pod.meta.name)));
    session.world.out << lines.take(log_source(pod), answer->body) << lines.end(log_source(pod));
  }
  return kDone;
}

// Ends when the job is over and every log that was opened has ended.
runtime::Result<ExitCode> follow(Session& session, const Request& request, Look seen) {
  LogStreams streams(*session.cluster, session.arguments.is_set("prefix", true));
  World& world = session.world;
  for (;;) {
    for (const kube::Pod& pod : seen.pods) {
      if (streams.knows(pod.meta.uid)) continue;
      streams.open(pod.meta.uid, log_source(pod), log_path(pod, trainer_of(seen.job), true, request.more));
    }
    for (runtime::Duration waited{0}; waited < kLook; waited += kPrint) {
      world.pause(kPrint);
      world.out << streams.pump() << std::flush;
      world.err << streams.troubles() << std::flush;
    }
    const bool passed = request.choice.attempt && seen.job.status.attempt > *request.choice.attempt;
    if ((is_over(seen.job) || passed) && streams.running() == 0) return kDone;
    auto next = look(session, request);
    if (next)
      seen = *std::move(next);
    else if (next.error().error_class == ErrorClass::NotFound) {
      world.err << "The job has been deleted.\n";
      return kDone;
    } else if (next.error().error_class != ErrorClass::Unavailable) {
      return std::unexpected(std::move(next).error());
    }
  }
}

runtime::Result<ExitCode> run_logs(Session& session) {
  const auto request = request_of(session);
  if (!request) return std::unexpected(request.error());
  auto seen = look(session, *request);
  if (!seen) return std::unexpected(std::move(seen).error());
  if (request->follow) return follow(session, *request, *std::move(seen));
  if (seen->pods.empty()) {
    session.world.err << "No pod that is asked for has begun; logs of attempts whose pods are gone are not kept.\n";
    return kNotFound;
  }
  return print_once(session, *request, *seen);
}

}  // namespace

Command logs_command() {
  return {
      .name = "logs",
      .operands = "JOB",
      .summary = "print what the trainers of a job say, across its attempts",
      .description =
          "Prints the logs of the container that trains, of the last attempt that has pods. Lines carry attempt and "
          "index in front when there are several: [2/0]. With -f it goes on with the pods of the next attempt after "
          "an interruption, and ends when the job has finished or is suspended. The cluster keeps no logs of pods that "
          "are gone.",
      .flags = {{.name = "follow", .letter = 'f', .help = "go on as more is said"},
                {.name = "attempt", .argument = "N", .help = "of this attempt"},
                {.name = "index", .argument = "I", .help = "of the rank with this index"},
                {.name = "all", .help = "of all attempts that still have pods"},
                {.name = "tail", .argument = "LINES", .help = "only the last lines of each log"},
                {.name = "timestamps", .help = "with the time of each line"},
                {.name = "prefix",
                 .help = "attempt and index in front of each line (default: with -f, or of several)"}},
      .examples = {{"rank 0, through all interruptions", "kubectl reprise logs finetune -n vision -f --index 0"}},
      .least = 1,
      .most = 1,
      .names = Names::Jobs,
      .run = run_logs};
}

}  // namespace reprise::plugin
