// A number of bytes, for people.
#pragma once

#include <cstdint>
#include <string>

namespace reprise::runtime {

// "512 B", "1.5 KiB", "3.0 GiB"; the largest unit is TiB.
[[nodiscard]] std::string size_text(std::int64_t bytes);

}  // namespace reprise::runtime
