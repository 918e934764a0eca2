// A reviewer whose answers are the test's.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/metrics/serving/access_guard.h"

namespace reprise::runtime::testing {

// Tokens that it does not know wait until answer_all().
class ScriptedReviewer final : public AccessReviewer {
 public:
  using Done = std::function<void(Result<ReviewAnswer>)>;

  void review(std::string token, Done done) override {
    std::optional<Result<ReviewAnswer>> known;
    {
      const std::lock_guard lock(mutex_);
      ++reviews_;
      const auto found = known_.find(token);
      if (found != known_.end()) known = found->second;
      if (!known) return waiting_.push_back(std::move(done));
    }
    done(*known);
  }
  void know(const std::string& token, Result<ReviewAnswer> answer) {
    const std::lock_guard lock(mutex_);
    known_.insert_or_assign(token, std::move(answer));
  }
  void answer_all(const Result<ReviewAnswer>& answer) {
    std::vector<Done> told;
    {
      const std::lock_guard lock(mutex_);
      told = std::exchange(waiting_, {});
    }
    for (const Done& done : told) done(answer);
  }
  // The one that has waited longest.
  void answer_first(const Result<ReviewAnswer>& answer) {
    Done done;
    {
      const std::lock_guard lock(mutex_);
      done = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
    }
    done(answer);
  }
  [[nodiscard]] int reviews() const {
    const std::lock_guard lock(mutex_);
    return reviews_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Result<ReviewAnswer>> known_;
  std::vector<Done> waiting_;
  int reviews_ = 0;
};

// All that was logged, as one text.
struct TextLogger final : Logger {
  void log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    const std::lock_guard lock(mutex);
    text += message;
    for (const LogField& field : fields) text += " " + std::string(field.value);
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::mutex mutex;
  std::string text;
};

}  // namespace reprise::runtime::testing
