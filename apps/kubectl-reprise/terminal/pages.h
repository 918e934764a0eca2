// The manual page and docs/kubectl-reprise.md, from the table of commands.
#pragma once

#include <string>

namespace reprise::plugin {

// `kubectl-reprise __man`: kubectl-reprise(1) in troff's man macros.
[[nodiscard]] std::string manual_page();
// `kubectl-reprise __reference`: docs/kubectl-reprise.md.
[[nodiscard]] std::string reference_page();

}  // namespace reprise::plugin
