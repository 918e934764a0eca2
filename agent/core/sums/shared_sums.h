// One reader per volume reads a checkpoint that has to be read as a whole (SumsReader). The first one says so in a file
// and how far it is, all others wait for as long as that moves, and take what it writes down where names, sizes and
// times are still the same; so does the next attempt, unless an end lies between that no agent saw (seen_ends.h). Two
// that begin at the same moment may both read: that costs time and nothing else.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/core/sums/sums_record.h"
#include "agent/formats/verify/sums_reader.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct Session;

class SharedSums final : public SumsReader {
 public:
  struct Options {
    Identity self{};
    std::chrono::milliseconds period{5'000};                             // period of heartbeats
    std::function<runtime::Instant()> now{};                             // steady
    std::function<bool()> may_write = [] { return true; };               // false once fenced
    std::function<void(std::chrono::milliseconds)> pause = [](auto) {};  // pauses the thread that looks
  };
  SharedSums(VolumeLayout layout, Options options) : layout_(std::move(layout)), options_(std::move(options)) {}

  // Before the first heartbeat: whether what was written down until now may be taken.
  void look_back(const VolumeFiles& files);
  // Lets the threads that look wait for others from now on.
  void wait_for_others() { waits_ = true; }
  // A stop's grace belongs to the save: from now on what nobody has read yet counts by its structure, and what is being
  // read is given up. The next start reads it. From any thread.
  void hurry() { hurries_ = true; }

  [[nodiscard]] runtime::Result<SumsRead> read(const VolumeFiles& files, const std::filesystem::path& root,
                                               const std::string& name, const FileInfo& info) const override;

 private:
  struct Waiting;  // for another reader
  struct Question {
    const VolumeFiles& files;
    std::filesystem::path path;
    const std::string& name;
    const FileInfo& info;
    Extent extent;
  };
  [[nodiscard]] std::optional<SumsRead> written_down(const Question& question) const;
  [[nodiscard]] bool is_trusted(const VolumeFiles& files, const SumsRecord& record) const;
  [[nodiscard]] bool may_read(const Identity& pod) const;
  [[nodiscard]] std::optional<SumsClaim> claim_on(const Question& question) const;
  [[nodiscard]] bool is_read_by_another(const Question& question, Waiting& waiting) const;
  [[nodiscard]] bool is_claimed_by_self(const Question& question) const;
  void claim(const Question& question, std::int64_t bytes) const;
  void give_up_claim(const Question& question) const;
  [[nodiscard]] runtime::Result<SumsRead> read_now(const Question& question) const;
  void write_down(const Question& question, const std::optional<Flaw>& flaw) const;
  void forget_gone(const VolumeFiles& files) const;

  VolumeLayout layout_;
  Options options_;
  std::atomic<bool> waits_{false}, hurries_{false}, distrusts_{false};
};

// The sums that this agent's looks at the volume share.
[[nodiscard]] std::shared_ptr<SharedSums> share_sums(Session& session);

}  // namespace reprise::agent
