// metadata: fields that the server fills in or a client may change, and mistakes in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/random.h"
#include "simulator/api_server/wire/rejection.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

// Five letters or digits that spell no word.
[[nodiscard]] std::string name_suffix(runtime::Random& random);
[[nodiscard]] std::string new_uid(runtime::Random& random);

// Removes empty fields: null, empty lists, maps and texts.
void tidy_metadata(Value& object);
// Stamps a new object: uid, creationTimestamp and the like are the server's to set.
void stamp_new_metadata(Value& object, const ResourceType& type, runtime::WallTime now, runtime::Random& random);
// Carries over fields that a client left out or may not change.
void carry_over_metadata(const Value& before, Value& after);

[[nodiscard]] std::vector<Cause> wrong_metadata(const ResourceType& type, const Value& object);
[[nodiscard]] std::vector<Cause> wrong_metadata_change(const Value& before, const Value& after);

[[nodiscard]] bool has_finalizers(const Value& object);

}  // namespace reprise::simulator
