// JSON patch (RFC 6902) as the library behind the kube-apiserver applies it.
#pragma once

#include "simulator/api_server/wire/rejection.h"
#include "simulator/base/json.h"

namespace reprise::simulator {

// BadRequest: the document is no JSON patch. Invalid (misfitting_patch): an operation does not fit, or a `test` did not
// hold. Then `target` is of no use.
Answer<void> apply_json_patch(Value& target, const Value& patch);

}  // namespace reprise::simulator
