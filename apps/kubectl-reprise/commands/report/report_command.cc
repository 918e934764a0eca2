#include "apps/kubectl-reprise/commands/report/report_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>

#include "api/karpenter.h"
#include "api/labels.h"
#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/commands/report/report_files.h"
#include "runtime/client/status.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"
#include "version.h"

namespace reprise::plugin {
namespace {

struct Collected {
  const char* file;
  kube::KindInfo kind;
  std::string_view labels;  // selects the wanted objects
};

const std::array kOfJobs = {Collected{"resumablejobs.json", kube::KindOf<api::ResumableJob>::info(), ""},
                            Collected{"pods.json", kube::KindOf<kube::Pod>::info(), api::kJobUidLabel},
                            Collected{"claims.json", kube::KindOf<kube::PersistentVolumeClaim>::info(), ""},
                            Collected{"events.json", kube::KindOf<kube::Event>::info(), ""}};
const std::array kOfCluster = {Collected{"gpupools.json", kube::KindOf<api::GpuPool>::info(), ""},
                               Collected{"nodes.json", kube::KindOf<kube::Node>::info(), ""},
                               Collected{"nodepools.json", kube::KindOf<api::NodePool>::info(), ""},
                               Collected{"nodeclaims.json", kube::KindOf<api::NodeClaim>::info(), ""},
                               Collected{"nodeoverlays.json", kube::KindOf<api::NodeOverlay>::info(), ""}};

void collect(Session& session, const Collected& what, const std::string& ns, Bundle& bundle) {
  auto objects = list_json(session.client(), what.kind, ns, {.label_selector = std::string(what.labels)});
  if (objects)
    bundle.add_objects(what.file, *objects);
  else
    bundle.lack(what.file, objects.error());
}

void collect_log(Session& session, const std::string& ns, const std::string& pod, bool previous, Bundle& bundle) {
  const std::string file = "operator/" + pod + (previous ? ".previous.log" : ".log");
  const auto answer =
      session.cluster->transport().send({.path_and_query = kube::KindOf<kube::Pod>::info().path(ns, pod, "log") +
                                                           "?tailLines=5000" + (previous ? "&previous=true" : "")});
  if (answer && runtime::is_success(answer->status)) bundle.add_text(file, answer->body);
  // Says nothing of a previous log: most containers have never been restarted.
  else if (!previous)
    bundle.lack(file, answer ? runtime::error_of(*answer) : answer.error());
}

void collect_operator(Session& session, const std::string& ns, Bundle& bundle) {
  const auto pods = list_json(session.client(), kube::KindOf<kube::Pod>::info(), ns,
                              {.label_selector = "app.kubernetes.io/name=reprise"});
  if (!pods) {
    bundle.lack("operator/pods.json", pods.error());
    return;
  }
  bundle.add_objects("operator/pods.json", *pods);
  for (const Json& pod : *pods) {
    const std::string name = text_at(pod, {"metadata", "name"});
    collect_log(session, ns, name, false, bundle);
    collect_log(session, ns, name, true, bundle);
  }
}

Bundle collect_all(Session& session, const std::string& folder) {
  Bundle bundle(folder);
  const std::string scope = session.scope();
  std::string versions = std::string("kubectl-reprise ") + apps::kVersion + "\n";
  const auto server = session.cluster->transport().send({.path_and_query = "/version"});
  versions +=
      server && runtime::is_success(server->status) ? server->body + "\n" : "the API server's version: not known\n";
  bundle.add_text("versions.txt", versions);
  if (const auto found = find_scene(session.client(), scope, {})) {
    if (const auto scene = decoded_scene(*found))
      bundle.add_text("status.txt",
                      status_screen(*scene, session.world.clock.wall(), {.namespaces = scope.empty(), .wide = true}));
  }
  for (const Collected& each : kOfJobs) collect(session, each, scope, bundle);
  for (const Collected& each : kOfCluster) collect(session, each, {}, bundle);
  collect_operator(session, session.arguments.value("operator-namespace").value_or("reprise-system"), bundle);
  return bundle;
}

// Writes a new file that only the owner may read; never over another file.
runtime::Result<void> write_new(const std::string& path, const std::string& bytes) {
  const auto problem = [&] { return runtime::fail(runtime::ErrorClass::Terminal, path + ": " + std::strerror(errno)); };
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return problem();
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      auto error = problem();
      ::close(file);
      return error;
    }
    written += static_cast<std::size_t>(count);
  }
  if (::close(file) != 0) return problem();
  return {};
}

runtime::Result<ExitCode> run_report(Session& session) {
  const kube::Time now = session.world.clock.wall();
  std::string folder = "reprise-report-" + kube::format_time(now);
  std::erase_if(folder, [](char each) { return each == ':'; });
  const Bundle bundle = collect_all(session, folder);
  if (const runtime::Error* why = bundle.why_empty()) {
    runtime::Error error = *why;
    error.message = "nothing could be read of the cluster, and no bundle was written: " + error.message;
    return std::unexpected(std::move(error));
  }
  if (session.arguments.is_set("list")) {
    session.world.out << bundle.index();
    return kDone;
  }
  const std::string path = session.arguments.value("file").value_or(folder + ".tar.gz");
  const std::string packed = gzip_of(tar_of(bundle.files(), now));
  if (packed.empty()) return runtime::fail(runtime::ErrorClass::Terminal, "the bundle could not be packed: no memory");
  if (auto written = write_new(path, packed); !written) return std::unexpected(std::move(written).error());
  session.world.out << path << "\n";
  session.world.err << bundle.index();
  return kDone;
}

}  // namespace

Command report_command() {
  return {.name = "report",
          .summary = "write a support bundle from which secrets have been taken out",
          .description =
              "Writes a .tar.gz with pools, jobs, their pods, claims and Events, nodes, Karpenter's objects and the "
              "operator's "
              "logs, and lists what is in it. Values of environment variables, copies of manifests, compressed texts, "
              "and what looks like a "
              "token, a key or a password are taken out. Secrets, ConfigMaps and the trainers' logs are not read.",
          .flags = {all_namespaces_flag(),
                    {.name = "file",
                     .letter = 'f',
                     .argument = "FILE",
                     .help = "write to this new file (default: reprise-report-TIME.tar.gz here)",
                     .names = Names::Files},
                    {.name = "list", .help = "write nothing, only list what would be in it"},
                    {.name = "operator-namespace",
                     .argument = "NAME",
                     .help = "where the operator runs (default: reprise-system)",
                     .names = Names::Namespaces}},
          .examples = {{"of everything", "kubectl reprise report -A"}},
          .run = run_report};
}

}  // namespace reprise::plugin
