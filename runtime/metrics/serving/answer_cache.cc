#include "runtime/metrics/serving/answer_cache.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <utility>

namespace reprise::runtime {
namespace {

Duration time_of(ReviewAnswer answer) {
  switch (answer) {
    case ReviewAnswer::Allowed:
      return AnswerCache::keep_allowed;
    case ReviewAnswer::Denied:
      return AnswerCache::keep_denied;
    case ReviewAnswer::NoUser:
      return AnswerCache::keep_no_user;
  }
  return Duration{0};
}

}  // namespace

std::string AnswerCache::hash(std::string_view token) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return {digest.begin(), digest.end()};
}

std::optional<ReviewAnswer> AnswerCache::find(const std::string& hash, Instant now) const {
  const auto found = entries_.find(hash);
  if (found == entries_.end() || found->second.until <= now) return std::nullopt;
  return found->second.answer;
}

void AnswerCache::put(const std::string& hash, ReviewAnswer answer, Instant now) {
  std::erase_if(entries_, [now](const auto& each) { return each.second.until <= now; });
  if (entries_.size() >= most && !entries_.contains(hash)) {
    entries_.erase(std::ranges::min_element(entries_, {}, [](const auto& each) {
      return std::pair(each.second.answer == ReviewAnswer::Allowed, each.second.until);
    }));
  }
  entries_[hash] = {answer, now + time_of(answer)};
}

}  // namespace reprise::runtime
