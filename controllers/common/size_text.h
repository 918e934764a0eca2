// A number of bytes, for people.
#pragma once

#include <cstdint>
#include <string>

namespace reprise::controllers {

// "512 B", "1.5 KiB", "3.0 GiB".
[[nodiscard]] std::string size_text(std::int64_t bytes);

}  // namespace reprise::controllers
