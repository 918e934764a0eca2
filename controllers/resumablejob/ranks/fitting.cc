#include "controllers/resumablejob/ranks/fitting.h"

#include <algorithm>
#include <utility>

#include "protocol/agent_protocol.h"
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

bool is_fitting(const protocol::ReportedRoom& room) {
  const bool positive = room.free_bytes >= 0 && room.save_bytes.value_or(0) >= 0 && room.generations >= 0 &&
                        room.keep_deletes >= 0 && room.keep_frees_bytes >= 0 && room.torn_bytes >= 0 &&
                        room.quarantine_bytes >= 0 && room.unproven_bytes >= 0;
  return positive && room.keep.value_or(1) >= 1 && room.keep.value_or(1) <= protocol::kMaxReportedKeep;
}

void cut(kube::Text& message) {
  if (message.size() > kLongestMessage) message = std::string(runtime::utf8_cut(message, kLongestMessage));
}

}  // namespace

std::string fitting_reason(std::string reason) {
  return is_reason(reason) ? std::move(reason) : std::string(kOtherReason);
}

protocol::Record fitting_record(protocol::Record record) {
  // A record without a reason says that the agent has started the trainer.
  if (!record.reason.empty()) record.reason = fitting_reason(std::move(record.reason));
  if (record.step && *record.step < 0) record.step.reset();
  if (record.resumed_from && *record.resumed_from < 0) record.resumed_from.reset();
  if (record.unproven.value_or(0) < 0 || record.unproven_step.value_or(0) < 0) {
    record.unproven.reset();
    record.unproven_step.reset();
  }
  if (record.size_bytes && *record.size_bytes < 0) record.size_bytes.reset();
  if (record.full && !is_fitting(*record.full)) record.full = protocol::ReportedRoom{};
  // The step alone is what the next attempt has to find then.
  if (record.path.size() > kLongestPath) record.path.clear();
  return record;
}

void cut_messages(api::ResumableJobStatus& status) {
  if (status.attempt_end) cut(status.attempt_end->message);
  if (status.last_end) cut(status.last_end->message);
  if (status.checkpoint_lost) cut(status.checkpoint_lost->message);
  if (status.volume_full) cut(status.volume_full->message);
}

}  // namespace reprise::controllers::resumablejob
