// Text from trainers, clusters and file names, made harmless before it is shown.
#pragma once

#include <string>
#include <string_view>

namespace reprise::rehearsal {

// Valid UTF-8 without control characters: every byte that is neither becomes U+FFFD. A tab becomes a space; so a
// terminal, a page and JSON all take it as text.
[[nodiscard]] std::string printable(std::string_view text);
// printable(), as the content of an HTML element or of an attribute in either kind of quotes.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace reprise::rehearsal
