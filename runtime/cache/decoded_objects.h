// Shares objects already decoded from the same bytes: for several operator processes in one program that watch one API
// server, as a simulator runs them. A real process has none.
#pragma once

#include <memory>
#include <string_view>
#include <typeindex>

namespace reprise::runtime {

// Called on the executor's thread. Objects are immutable, and so may be shared by caches. Caches that share them must
// keep the same keys of each type (InformerScope::kept_keys).
class DecodedObjects {
 public:
  virtual ~DecodedObjects() = default;
  // Null: these bytes are not known as an object of that type.
  [[nodiscard]] virtual std::shared_ptr<const void> find(std::type_index type, std::string_view bytes) = 0;
  virtual void keep(std::type_index type, std::string_view bytes, std::shared_ptr<const void> object) = 0;
};

}  // namespace reprise::runtime
