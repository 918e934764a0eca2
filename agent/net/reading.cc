#include "agent/net/reading.h"

namespace reprise::agent {

bool has_head(std::string_view received) {
  return received.find("\r\n\r\n") != std::string_view::npos;
}

}  // namespace reprise::agent
