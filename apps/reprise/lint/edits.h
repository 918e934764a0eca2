// Changes of a manifest's text that leave everything else as it was written. Empty: a person should change text of that
// shape.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/reprise/lint/finding.h"
#include "apps/reprise/lint/source.h"

namespace reprise::apps::lint {

// `text` is YAML; in a file that is JSON the same is written as JSON.
[[nodiscard]] std::optional<Edit> replace_value(const Manifest& manifest, std::string_view path, std::string_view text);
[[nodiscard]] std::optional<Edit> rename_key(const Manifest& manifest, std::string_view path, std::string_view name);
// Removes a member of a map or an element of a list; the map around it, too, when it was the only one there.
[[nodiscard]] std::optional<Edit> remove(const Manifest& manifest, std::string_view path);
// Inserts below the map at `parent`, which exists and lacks the first of the members: those in between and the last one
// with the value (one line of YAML).
[[nodiscard]] std::optional<Edit> insert(const Manifest& manifest, std::string_view parent,
                                         const std::vector<std::string>& members, std::string_view value);
// Inserts in front of the list at `path`, which exists and is not empty: one line of YAML, without the dash.
[[nodiscard]] std::optional<Edit> insert_element(const Manifest& manifest, std::string_view path,
                                                 std::string_view value);
// Replaces the whole member of a map in block style, key and all, by lines of the same indentation; `text` ends in a
// line's end.
[[nodiscard]] std::optional<Edit> replace_member(const Manifest& manifest, std::string_view path,
                                                 std::string_view text);
// The text of a value, indented by so much where it has several lines.
[[nodiscard]] std::optional<std::string> text_of(const Manifest& manifest, const Node& node, int indent);
// Quotes the text so that it is read as a string.
[[nodiscard]] std::string in_quotes(std::string_view text);

// The text with the mends applied; the first of several that overlap.
[[nodiscard]] std::string applied(const SourceText& source, const std::vector<Mend>& mends);

}  // namespace reprise::apps::lint
