// The text that a command prints instead of running.
#pragma once

#include <string>

namespace reprise::apps {

struct UsageText {
  std::string text;
  bool error = true;
};

}  // namespace reprise::apps
