// Searches for others that may still be writing to the volume: every heartbeat without an end record beside it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/fencing/attempt_span.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/run/identity.h"
#include "agent/core/unreadable/lost_hearts.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// One heartbeat of somebody else that has not ended.
struct Sighting {
  std::string who;   // for people: "attempt 3 index 0 of this job (pod UID ...)"
  std::string file;  // tells sightings apart
  std::string text;  // changes while its writer lives; with the time of the file, where that moves
  std::chrono::milliseconds period{};
  std::optional<runtime::Instant> at{};  // when it was read; empty: at the end of the look
  bool lost = false;                     // the heartbeat cannot be read, and counts until the search gives it up
};

// Looks for them, again and again. Other ranks of the same attempt are no strangers; a pod of the same attempt and
// index with another UID is. What is not there at one look, or cannot be understood, may be on its way: only who is
// missing at two looks in a row has gone, and who could be read before is who it was.
class WriterSearch {
 public:
  WriterSearch(const VolumeFiles& files, VolumeLayout layout, Identity self)
      : files_(files), layout_(std::move(layout)), self_(std::move(self)) {}

  // Limits what a look reads: the heartbeats in these attempts, and the end records of those that it has not seen
  // ended.
  void look_in(AttemptSpans open) { open_ = std::move(open); }
  // Reads from now on also the next attempts of this job, whatever the fence says: one that was raised late hides them.
  void look_ahead();
  // Counts from now on a file for which the storage gives an error as a heartbeat, and not as an outage
  // (unreadable/lost_hearts.h); so is an end record none.
  void judge_lost(std::chrono::milliseconds own_period) { lost_.judge_from_now_on(own_period); }
  // `answered` gives the time; it is called whenever the volume has answered.
  [[nodiscard]] runtime::Result<std::vector<Sighting>> look(const std::function<runtime::Instant()>& answered);

 private:
  // Somebody else whose heartbeat was read.
  struct Stranger {
    Sighting sighting;
    std::optional<Heartbeat> heartbeat;
    std::filesystem::path path;
  };

  // Later attempts that are not open: those that this job has made after this one.
  [[nodiscard]] runtime::Result<std::vector<std::string>> later_ones(
      const std::vector<std::string>& attempts, const std::function<runtime::Instant()>& answered) const;
  // The hearts in an attempt that are to be read; those that cannot be are added to the sightings.
  [[nodiscard]] runtime::Result<std::vector<std::filesystem::path>> hearts_to_read(
      const std::string& attempt, const std::vector<std::string>& names,
      const std::function<runtime::Instant()>& answered, std::vector<Sighting>& sightings);
  void add_lost(const std::filesystem::path& heart, runtime::Instant now, std::vector<Sighting>& sightings);
  // The heartbeats that are somebody else's and were not seen ended before.
  [[nodiscard]] runtime::Result<std::vector<Stranger>> strangers_among(
      const std::vector<std::filesystem::path>& heartbeats, const std::function<runtime::Instant()>& answered,
      std::vector<Sighting>& sightings);
  [[nodiscard]] runtime::Result<std::vector<Stranger>> without_end_record(
      std::vector<Stranger> strangers, const std::function<runtime::Instant()>& answered);
  [[nodiscard]] runtime::Result<void> look_into(const std::string& attempt,
                                                const std::function<runtime::Instant()>& answered,
                                                std::vector<Sighting>& sightings);
  // The heartbeat as it says itself, or as it said before.
  [[nodiscard]] std::optional<Heartbeat> heartbeat_in(const std::string& file, const std::optional<std::string>& text);
  [[nodiscard]] runtime::Result<void> add_time(const std::filesystem::path& heartbeat, std::string& text) const;
  // Adds heartbeats that the last look has seen and this one has not.
  void add_missing(std::vector<Sighting>& sightings);

  const VolumeFiles& files_;
  VolumeLayout layout_;
  Identity self_;
  AttemptSpans open_;
  bool ahead_ = false;
  LostHearts lost_;
  std::map<std::string, std::string> ended_;     // by file: the last state of who has ended
  std::map<std::string, Heartbeat> heartbeats_;  // by file: the last that could be understood
  std::map<std::string, Sighting> last_;         // by file: of the last look, without who was missing there
};

// Decides over repeated sightings whether they are all still. Pure: time is handed in.
class WriterWatch {
 public:
  enum class Verdict { Clear, Wait, Reject };

  // A heartbeat counts as still after two periods (its own or ours, the longer) and a half; a volume on which one was
  // seen to move, and may still, after ten is rejected. A look may take long. But a volume that answers slowly holds up
  // the others' heartbeats as well, each by several calls: they are given so much longer. Where an answer takes more
  // than one and a half periods, or two looks are so far apart, the volume did not answer; that time counts for
  // neither, and stillness begins anew. One that goes on like this for 240 periods is rejected.
  explicit WriterWatch(std::chrono::milliseconds own_period) : own_period_(own_period) {}

  // A look begins; the volume has answered in the midst of it; the look has ended. Looks are to be four a period.
  void begin(runtime::Instant now);
  void answered(runtime::Instant now);
  [[nodiscard]] Verdict see(runtime::Instant now, const std::vector<Sighting>& sightings);
  // The message of a rejection: the remaining writers, and what to do.
  [[nodiscard]] const std::string& rejection() const { return rejection_; }

 private:
  struct Seen {
    std::string text;
    runtime::Instant since;
    bool moved = false;  // moved since then: if nobody could look long enough, that says nothing against its writer
    bool lost = false;
  };
  void leave_out(runtime::Instant now, runtime::Instant::duration gap);
  // How long its writer takes from one heartbeat to the next, at most.
  [[nodiscard]] runtime::Instant::duration interval_of(std::chrono::milliseconds period) const;

  std::chrono::milliseconds own_period_;
  std::optional<runtime::Instant> began_, start_, last_answer_, look_;
  runtime::Instant::duration slowest_{0};  // the volume's slowest answer
  std::map<std::string, Seen> seen_;
  std::string rejection_;
};

}  // namespace reprise::agent
