// The work at hand, and since when: for probes that look for stuck work, and for the state dump.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::runtime {

// Something of which pieces of work can get stuck. Callable from any thread; does not block.
class StuckCheck {
 public:
  virtual ~StuckCheck() = default;
  // Unavailable, naming the piece of work, when one has been running for longer than it may.
  [[nodiscard]] virtual Result<void> check() const = 0;
};

// Callable from any thread.
class RunningWork final : public StuckCheck {
 public:
  struct Piece {
    std::string what;
    Duration age{};
  };

  // `limit` is how long one piece may run; `clock` outlives this.
  RunningWork(const Clock& clock, Duration limit) : clock_(clock), limit_(limit) {}

  // Runs until the mark is destroyed; the mark may outlive this.
  class Mark;
  [[nodiscard]] std::unique_ptr<Mark> begin(std::string what);
  // The oldest first, at most `most` of them.
  [[nodiscard]] std::vector<Piece> oldest(std::size_t most) const;
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] Result<void> check() const override;

 private:
  struct Begun {
    std::string what;
    Instant at;
  };
  struct Table {
    std::mutex mutex;
    std::map<std::uint64_t, Begun> begun;  // in order of beginning
    std::uint64_t next = 0;
  };
  const Clock& clock_;
  Duration limit_;
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

class RunningWork::Mark {
 public:
  Mark(std::shared_ptr<Table> table, std::uint64_t id) : table_(std::move(table)), id_(id) {}
  ~Mark();
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

 private:
  std::shared_ptr<Table> table_;
  std::uint64_t id_;
};

}  // namespace reprise::runtime
