#include "agent/core/space/room_text.h"

#include "agent/json/json.h"

namespace reprise::agent {

boost::json::object encode_room(const protocol::ReportedRoom& room) {
  boost::json::object object{{"freeBytes", room.free_bytes}, {"generations", room.generations}};
  if (room.save_bytes) object["saveBytes"] = *room.save_bytes;
  if (room.needed_bytes) object["neededBytes"] = *room.needed_bytes;
  if (room.torn_bytes > 0) object["tornBytes"] = room.torn_bytes;
  if (room.quarantine_bytes > 0) object["quarantineBytes"] = room.quarantine_bytes;
  if (room.unproven_bytes > 0) object["unprovenBytes"] = room.unproven_bytes;
  if (!room.keep) return object;
  object["keep"] = *room.keep;
  object["keepDeletes"] = room.keep_deletes;
  object["keepFreesBytes"] = room.keep_frees_bytes;
  return object;
}

std::optional<protocol::ReportedRoom> decode_room(const boost::json::object& in, std::string_view key) {
  const auto* object = object_of(in, key);
  const auto free = object == nullptr ? std::nullopt : number_of(*object, "freeBytes");
  if (!free) return std::nullopt;
  protocol::ReportedRoom room{.free_bytes = *free,
                              .save_bytes = number_of(*object, "saveBytes"),
                              .needed_bytes = number_of(*object, "neededBytes"),
                              .generations = number_of(*object, "generations").value_or(0)};
  if (const auto keep = number_of(*object, "keep")) room.keep = static_cast<std::int32_t>(*keep);
  room.keep_deletes = number_of(*object, "keepDeletes").value_or(0);
  room.keep_frees_bytes = number_of(*object, "keepFreesBytes").value_or(0);
  room.torn_bytes = number_of(*object, "tornBytes").value_or(0);
  room.quarantine_bytes = number_of(*object, "quarantineBytes").value_or(0);
  room.unproven_bytes = number_of(*object, "unprovenBytes").value_or(0);
  return room;
}

}  // namespace reprise::agent
