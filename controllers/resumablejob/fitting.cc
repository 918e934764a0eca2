#include "controllers/resumablejob/fitting.h"

#include <algorithm>
#include <utility>

#include "runtime/base/utf8_cut.h"

namespace reprise::controllers::resumablejob {
namespace {

// An Event's; the status takes more.
constexpr std::size_t kLongestReason = 128;
constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kLongestMessage = 4096;

constexpr bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

constexpr bool is_word_character(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

bool is_reason(std::string_view text) {
  if (text.empty() || text.size() > kLongestReason || !is_letter(text.front()) || !is_word_character(text.back()))
    return false;
  return std::ranges::all_of(text, [](char c) { return is_word_character(c) || c == ',' || c == ':'; });
}

void cut(kube::Text& message) {
  if (message.size() > kLongestMessage) message = std::string(runtime::utf8_cut(message, kLongestMessage));
}

}  // namespace

std::string fitting_reason(std::string reason) {
  return is_reason(reason) ? std::move(reason) : std::string(kOtherReason);
}

protocol::Record fitting_record(protocol::Record record) {
  // Without one the agent has started the trainer.
  if (!record.reason.empty()) record.reason = fitting_reason(std::move(record.reason));
  if (record.step && *record.step < 0) record.step.reset();
  if (record.size_bytes && *record.size_bytes < 0) record.size_bytes.reset();
  // The step alone is what the next attempt has to find then.
  if (record.path.size() > kLongestPath) record.path.clear();
  return record;
}

void cut_messages(api::ResumableJobStatus& status) {
  if (status.attempt_end) cut(status.attempt_end->message);
  if (status.last_end) cut(status.last_end->message);
  if (status.checkpoint_lost) cut(status.checkpoint_lost->message);
}

}  // namespace reprise::controllers::resumablejob
