// The look of the report page: one sheet, colours as variables for light and for dark.
#pragma once

#include <string_view>

namespace reprise::rehearsal {

extern const std::string_view kPageStyle;

}  // namespace reprise::rehearsal
