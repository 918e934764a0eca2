// One sync of a save serves all ranks of a gang whose writes wait in one memory: on one host, of one device. The rank
// that syncs writes down of which save it was, as that was before the sync and after it; the others take that word
// where they see the very same files. The agent that keeps the volume believes nobody: what is deleted rests on its own
// sync alone. Elsewhere whoever comes first syncs, and is followed for as long as its heart beats.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agent/core/proofs/sync_word.h"
#include "agent/core/run/identity.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct Session;
struct Volume;

class SharedSyncs {
 public:
  struct Options {
    Identity self{};
    bool keeps_volume = false;
    // False for a pod that follows another one in the same attempt: errors may have been told before it was there.
    bool speaks = true;
    std::chrono::milliseconds heartbeat_period{5'000};
    std::chrono::milliseconds watch{1'000};
    std::function<runtime::Instant()> now{};                // steady
    std::function<bool()> may_write = [] { return true; };  // false once fenced
  };
  // A sync takes as long as the disk does; nobody waits for one that has taken longer.
  static constexpr std::chrono::minutes kLongestSync{10};

  explicit SharedSyncs(Options options) : options_(std::move(options)) {}

  // Once, by who keeps the volume: the others on its host know from then on whom to wait for.
  void step_forward(const Volume& volume);

  enum class Answer {
    IsSynced,
    Wait,        // somebody else is about to sync it
    SyncAlone,   // and tell nobody
    SyncForAll,  // between begin() and tell() or give_up()
  };
  // `save`: as it is now (shape_of_save).
  [[nodiscard]] Answer ask(const Volume& volume, const CheckpointShape& save);
  void begin(const Volume& volume, const std::string& save);
  // Tells that the save was as `shape` says before the sync and afterwards, and no write has failed since this process
  // began to look.
  void tell(const Volume& volume, const std::string& save, const CheckpointShape& shape);
  // Tells that nothing is shown: others that want to know find out.
  void give_up(const Volume& volume);

  // Makes nobody wait from now on: a stop's grace is short, and after the trainer's end there is no further look. From
  // any thread.
  void hurry() { hurries_ = true; }

 private:
  [[nodiscard]] static std::optional<std::filesystem::path> file_on(const Volume& volume);
  [[nodiscard]] bool is_of_this_attempt(const Identity& pod) const;
  [[nodiscard]] bool may_speak(const Volume& volume) const;
  [[nodiscard]] bool is_waited_for(const Volume& volume, const SyncWord& word);
  [[nodiscard]] bool write(const Volume& volume, const std::filesystem::path& file, const SyncWord& word) const;
  void forget_others(const Volume& volume, const std::filesystem::path& own) const;

  Options options_;
  std::atomic<bool> hurries_{false};
  std::atomic<bool> has_stepped_forward_{false};
  std::mutex mutex_;
  struct Waiting {  // for the word of another
    std::string word, heart;
    runtime::Instant word_since{}, heart_since{};  // unchanged
  };
  Waiting waiting_;
};

// The syncs that the looks of this attempt share; null where no other rank writes to the volume.
[[nodiscard]] std::shared_ptr<SharedSyncs> share_syncs(const Session& session);

}  // namespace reprise::agent
