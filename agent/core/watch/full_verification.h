// spec.checkpoint.verify: Full. Reads each newest durable checkpoint to its last byte, once, slowly and beside the
// trainer; until that has passed nothing older is pruned (watch.h). One that is damaged is set aside where it lies, so
// that neither this attempt nor a later one counts it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"

namespace reprise::agent {

struct Session;

// Bandwidth that a trainer's loading and saving leaves of most volumes; 100 GB take half an hour.
inline constexpr std::int64_t kVerifiedBytesPerSecond = std::int64_t{64} << 20U;

class FullVerification {
 public:
  struct Options {
    Identity self{};
    std::function<bool()> may_write = [] { return true; };                // false once fenced
    std::function<void(std::chrono::milliseconds)> pause = [](auto) {};   // pauses the thread that looks
    std::function<void(std::string_view)> say = [](std::string_view) {};  // one line for people
  };
  FullVerification(std::shared_ptr<const Volume> volume, Options options)
      : volume_(std::move(volume)), options_(std::move(options)) {}

  // The newest that is durable, to be read by look(), and where that stands in for another one the newest that does
  // not: older ones go for that alone. From any thread.
  void offer(const std::optional<Checkpoint>& newest, const std::optional<Checkpoint>& lasting = {});
  // Reads what was offered last and was not read yet; takes as long as that takes. On a Worker.
  void look();
  // Gives up the reading under way soon; nothing is read from then on. From any thread.
  void stop() { stopped_ = true; }

  // Safe from any thread.
  [[nodiscard]] bool has_passed(const Checkpoint& checkpoint) const;
  // The last that was found damaged, and how; empty: none was.
  [[nodiscard]] std::string damaged() const;

 private:
  struct Read;
  [[nodiscard]] Read read(const Checkpoint& checkpoint) const;
  [[nodiscard]] bool is_unchanged(const Checkpoint& checkpoint) const;
  [[nodiscard]] bool is_to_be_read(const std::optional<Checkpoint>& checkpoint) const;
  void could_not_read(const Checkpoint& checkpoint, const std::string& why);
  void set_aside(const Checkpoint& checkpoint, const std::string& flaw);

  std::shared_ptr<const Volume> volume_;
  Options options_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  std::optional<Checkpoint> offered_, lasting_;
  std::vector<Checkpoint> passed_;
  std::string damaged_;
  std::optional<Checkpoint> unread_;  // and how often that was tried; of the thread that looks
  int tries_ = 0;
};

// Verifies beside the trainer, by whoever keeps the volume; null where structure is enough.
[[nodiscard]] std::shared_ptr<FullVerification> verify_in_full(Session& session);

}  // namespace reprise::agent
