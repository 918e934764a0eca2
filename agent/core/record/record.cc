#include "agent/core/record/record.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <functional>
#include <utility>

#include "agent/core/record/time_text.h"
#include "agent/core/record/utf8.h"
#include "agent/core/record/volume_text.h"
#include "agent/core/space/room_text.h"
#include "agent/json/json.h"
#include "protocol/agent_protocol.h"
#include "protocol/last_line.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kMaxReason = 128;
constexpr std::size_t kMaxPath = 512;

// The members that decide: first, and within protocol::kMaxDecidingBytes whatever the pod's kubelet leaves of the
// record.
boost::json::object deciding_part(const Record& record) {
  boost::json::object object{{"attempt", record.attempt},      {"index", record.index},
                             {"exitCode", record.exit_code},   {"finished", record.finished},
                             {"asked", record.stop_requested}, {"saved", record.saved}};
  if (record.stop_requested) object["requestOnly"] = record.request_only;
  if (!record.reason.empty()) object["reason"] = record.reason;
  if (record.full) object["full"] = encode_room(*record.full);
  if (record.step) object["step"] = *record.step;
  object["durable"] = record.durable;
  if (record.structure_only) object["structureOnly"] = true;
  if (record.synced) object["synced"] = true;
  if (record.unproven > 0) object["unproven"] = record.unproven;
  if (record.unproven_step) object["unprovenStep"] = *record.unproven_step;
  if (record.resumed_from) object["resumedFromStep"] = *record.resumed_from;
  if (record.told) {
    object["toldStep"] = record.told->step;
    object["totalSteps"] = record.told->total_steps;
  }
  if (record.checkpoint_time) object["checkpointTime"] = time_text(*record.checkpoint_time);
  if (record.size_bytes) object["sizeBytes"] = *record.size_bytes;
  if (!record.format.empty()) object["format"] = record.format;
  if (!record.common_name.empty()) object["commonName"] = record.common_name;
  if (record.path.empty()) return object;
  object["path"] = record.path;
  // Half a path names something else; the step is what the next attempt has to find then.
  if (to_text(object).size() > protocol::kMaxDecidingBytes) object.erase("path");
  return object;
}

std::string encode(const Record& record, const std::string& output, const std::string& last_line) {
  boost::json::object object = deciding_part(record);
  object["jobUid"] = record.job_uid;
  object["podUid"] = record.pod_uid;
  if (!record.resumed_path.empty() && record.resumed_path.size() <= kMaxPath)
    object["resumedFromPath"] = record.resumed_path;
  if (record.volume) object["volume"] = encode_volume(*record.volume);
  if (!last_line.empty()) object["lastLine"] = last_line;
  if (!record.warning.empty()) object["warning"] = record.warning;
  if (!record.damaged.empty()) object["damaged"] = record.damaged;
  if (!record.message.empty()) object["message"] = record.message;
  if (!output.empty()) object["output"] = output;
  return to_text(object);
}

// Shortens a record that is too long without its output: texts for people first, then members that the status can do
// without. Half a path names something else.
bool shorten(Record& record, std::string& last_line, const std::function<std::size_t(const std::string&)>& less) {
  for (std::string* part : {&record.message, &record.damaged, &record.warning, &last_line}) {
    if (part->empty()) continue;
    cut(*part, less(*part));
    return true;
  }
  if (record.resumed_path.empty() && !record.volume) return false;
  if (!std::exchange(record.resumed_path, {}).empty()) return true;
  record.volume.reset();
  return true;
}

}  // namespace

std::string encode_record(Record record) {
  return encode_record_with_output(std::move(record), {});
}

std::string encode_record_with_output(Record record, std::string output, std::size_t most) {
  for (std::string* part : {&record.reason, &record.format, &record.path, &record.resumed_path, &record.message,
                            &record.warning, &record.damaged, &output})
    *part = as_utf8(*part);
  cut(record.reason, kMaxReason);
  cut(record.format, protocol::kMaxReportedFormat);
  std::string last_line = protocol::last_line_of(output);
  std::string text = encode(record, output, last_line);
  while (text.size() > most) {
    const std::size_t surplus = text.size() - most;
    // Escapes make JSON longer than the text they stand for, so this may take several rounds.
    const auto less = [surplus](const std::string& part) {
      return part.size() - std::min(part.size(), std::max<std::size_t>(surplus / 6, 1));
    };
    if (!output.empty()) {
      keep_end(output, less(output));
    } else if (!shorten(record, last_line, less)) {
      break;
    }
    text = encode(record, output, last_line);
  }
  return text;
}

std::optional<Record> decode_record(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto attempt = number_of(*object, "attempt");
  const auto index = number_of(*object, "index");
  const auto exit_code = number_of(*object, "exitCode");
  if (!attempt || !index || !exit_code) return std::nullopt;
  Record record;
  record.job_uid = text_of(*object, "jobUid").value_or("");
  record.pod_uid = text_of(*object, "podUid").value_or("");
  record.attempt = static_cast<std::int32_t>(*attempt);
  record.index = static_cast<std::int32_t>(*index);
  record.exit_code = static_cast<std::int32_t>(*exit_code);
  record.finished = flag_of(*object, "finished").value_or(false);
  record.stop_requested = flag_of(*object, "asked").value_or(false);
  record.request_only = flag_of(*object, "requestOnly").value_or(false);
  record.saved = flag_of(*object, "saved").value_or(false);
  record.step = number_of(*object, "step");
  record.path = text_of(*object, "path").value_or("");
  record.common_name = text_of(*object, "commonName").value_or("");
  record.format = text_of(*object, "format").value_or("");
  record.size_bytes = number_of(*object, "sizeBytes");
  if (const auto time = text_of(*object, "checkpointTime")) record.checkpoint_time = parse_time_text(*time);
  record.durable = flag_of(*object, "durable").value_or(false);
  record.structure_only = flag_of(*object, "structureOnly").value_or(false);
  record.synced = flag_of(*object, "synced").value_or(false);
  record.unproven = static_cast<std::int32_t>(number_of(*object, "unproven").value_or(0));
  record.unproven_step = number_of(*object, "unprovenStep");
  record.volume = decode_volume(*object);
  record.resumed_from = number_of(*object, "resumedFromStep");
  record.resumed_path = text_of(*object, "resumedFromPath").value_or("");
  const auto told = number_of(*object, "toldStep"), total = number_of(*object, "totalSteps");
  if (told && total) record.told = ToldEnd{.step = *told, .total_steps = *total};
  record.full = decode_room(*object, "full");
  record.reason = text_of(*object, "reason").value_or("");
  record.message = text_of(*object, "message").value_or("");
  record.warning = text_of(*object, "warning").value_or("");
  record.damaged = text_of(*object, "damaged").value_or("");
  return record;
}

}  // namespace reprise::agent
