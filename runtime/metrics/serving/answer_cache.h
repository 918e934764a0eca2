// Answers of reviews, for a while, by a hash of the token: the token itself is not kept.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"
#include "runtime/metrics/serving/authorize.h"

namespace reprise::runtime {

// One thread. A review that failed has no answer, and is made anew.
class AnswerCache {
 public:
  // An answer comes of two reviews, which controller-runtime (pkg/metrics/filters) keeps apart; here it counts for as
  // long as the shorter-lived of both does there.
  static constexpr Duration keep_allowed{60'000};  // CacheTTL of TokenReviews, 1 min (AllowCacheTTL is 5 min)
  static constexpr Duration keep_denied{30'000};   // DenyCacheTTL, 30 s
  static constexpr Duration keep_no_user{60'000};  // CacheTTL, 1 min
  // Our own limit: readers of metrics are few, and made-up tokens must not fill the memory.
  static constexpr std::size_t most = 256;

  // SHA-256, as bytes.
  [[nodiscard]] static std::string hash(std::string_view token);

  // The stored answer, if it still counts.
  [[nodiscard]] std::optional<ReviewAnswer> find(const std::string& hash, Instant now) const;
  // When it is full an answer that allows nothing goes first, of these the one that would end first.
  void put(const std::string& hash, ReviewAnswer answer, Instant now);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    ReviewAnswer answer{};
    Instant until;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace reprise::runtime
