// The look of the report page: one sheet, colours as variables for light and for dark.
#pragma once

#include <string_view>

namespace reprise::simulator {

extern const std::string_view kPageStyle;

}  // namespace reprise::simulator
