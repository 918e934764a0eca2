#include "agent/report.h"

#include <fcntl.h>
#include <unistd.h>

#include "agent/beat.h"

namespace reprise::agent {
namespace {

constexpr std::chrono::milliseconds kPatience{5'000};

// In place and without a temporary file: the kubelet has mounted this very file. One that is not there is not made.
void write_termination_log(const std::string& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK));
  if (file.valid()) {
    [[maybe_unused]] const auto written = ::write(file.get(), text.data(), text.size());
  }
}

}  // namespace

void describe_checkpoint(const CheckpointWatch::Seen& seen, Record& record) {
  const auto& checkpoint = seen.newest ? seen.newest : seen.durable;
  if (!checkpoint) return;
  record.step = checkpoint->step;
  record.path = checkpoint->name;
  record.checkpoint_time = checkpoint->time;
  record.durable = seen.durable == checkpoint;
  record.size_bytes = record.durable ? seen.size_bytes : std::nullopt;
}

void describe_volume(Session& session, Record& record) {
  auto seen = std::make_shared<CheckpointWatch::Seen>();
  const bool ended = session.bounded(kPatience, [volume = session.volume, seen] {
    CheckpointWatch watch(volume, {.made = read_made(*volume).value_or(MadeCheckpoints{})});
    watch.look();
    *seen = watch.seen();
  });
  if (ended) describe_checkpoint(*seen, record);
}

void leave_record(Session& session, Record record) {
  const std::string text = encode_record(record);
  write_termination_log(session.env.termination_log, text);
  auto problem = std::make_shared<std::string>();
  const bool ended = session.bounded(kPatience, [volume = session.volume, self = session.self, text, problem] {
    if (!owns_files(volume->files, volume->layout, self)) {
      *problem = "the files of this attempt and index belong to another pod, or cannot be read";
      return;
    }
    const auto written = volume->files.write(volume->layout.record(self.attempt, self.index), text, Sync::Yes);
    if (!written) *problem = written.error().message;
  });
  const std::string why = ended ? *problem : "the volume did not answer";
  if (why.empty()) return;
  say("no record on the volume: " + why);
  record.message += (record.message.empty() ? "" : "; ") + ("no record on the volume: " + why);
  write_termination_log(session.env.termination_log, encode_record(record));
}

}  // namespace reprise::agent
