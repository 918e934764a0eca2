#include "apps/reprise/lint/edits.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <tuple>
#include <utility>

#include "simulator/api_server/patch/yaml.h"

namespace reprise::apps::lint {
namespace {

using Kind = Node::Kind;

Position behind(Position at, std::size_t characters) {
  return {at.line, at.column + static_cast<int>(characters)};
}

// The end of a quoted text that begins there, on the same line.
std::optional<std::size_t> end_of_quotes(std::string_view text) {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote)
      ++i;
    else if (text[i] == quote)
      return i + 1;
  }
  return {};
}

// The number of characters that a plain or quoted text takes there.
std::optional<std::size_t> written_size(std::string_view source, std::string_view text) {
  if (source.empty()) return {};
  if (source.front() == '"' || source.front() == '\'') return end_of_quotes(source);
  return source.starts_with(text) && !text.empty() ? std::optional(text.size()) : std::nullopt;
}

// The end of {...} or [...] that begins there.
std::optional<Position> end_of_flow(const SourceText& source, Position at) {
  const std::string& text = source.text();
  int depth = 0;
  for (std::size_t i = source.offset(at); i < text.size(); ++i) {
    const char c = text[i];
    const bool begins = i == 0 || std::string_view(" ,[{:\n").find(text[i - 1]) != std::string_view::npos;
    if ((c == '"' || c == '\'') && begins) {
      const auto size = end_of_quotes(std::string_view(text).substr(i));
      if (!size) return {};
      i += *size - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return source.position(i + 1);
    }
    if (depth == 0) return {};
  }
  return {};
}

std::optional<Position> end_of(const SourceText& source, const Node& node) {
  if (node.flow) return end_of_flow(source, node.at);
  if (node.kind != Kind::Scalar) return {};
  const auto size = written_size(source.from(node.at), node.text);
  if (!size) return {};
  return behind(node.at, *size);
}

int indentation(std::string_view line) {
  const auto first = line.find_first_not_of(' ');
  return first == std::string_view::npos ? -1 : static_cast<int>(first);
}

bool is_element(std::string_view line, int indent) {
  const std::string_view rest = line.substr(static_cast<std::size_t>(indent));
  return rest == "-" || rest.starts_with("- ");
}

// The last line of the value that begins in that line at that indentation.
int last_line(const SourceText& source, int line, int indent, bool list_in_map) {
  int last = line;
  for (int next = line + 1; next <= source.lines(); ++next) {
    const std::string_view text = source.line(next);
    const int found = indentation(text);
    if (found < 0 || text[static_cast<std::size_t>(found)] == '#') continue;
    const bool inside = found > indent || (list_in_map && found == indent && is_element(text, found));
    if (!inside) break;
    last = next;
  }
  return last;
}

bool blank_before(const SourceText& source, Position at) {
  const auto size = static_cast<std::size_t>(at.column) - 1;
  return source.line(at.line).substr(0, size).find_first_not_of(' ') == std::string_view::npos;
}

// The place of the comma in front of it, whichever line that ends; else its own.
Position with_comma_before(const SourceText& source, Position begin) {
  const std::size_t at = source.offset(begin);
  const auto last = at == 0 ? std::string::npos : source.text().find_last_not_of(" \t\r\n", at - 1);
  return last != std::string::npos && source.text()[last] == ',' ? source.position(last) : begin;
}

std::optional<Edit> remove_in_flow(const SourceText& source, const Node& node) {
  const auto end = end_of(source, node);
  if (!end) return {};
  const Position begin = node.key_at.line > 0 ? node.key_at : node.at;
  const std::string_view rest = source.from(*end);
  if (!rest.starts_with(",")) return Edit{with_comma_before(source, begin), *end, ""};
  const bool whole_lines = blank_before(source, begin) && rest.find_first_not_of(" ,") == std::string_view::npos;
  if (whole_lines && end->line < source.lines()) return Edit{{begin.line, 1}, {end->line + 1, 1}, ""};
  return Edit{begin, behind(*end, rest.starts_with(", ") ? 2 : 1), ""};
}

std::optional<Edit> remove_block_member(const SourceText& source, const Node& parent, const Node& node) {
  const int indent = node.key_at.column - 1;
  const int last = last_line(source, node.key_at.line, indent, node.kind == Kind::Sequence && !node.flow);
  if (blank_before(source, node.key_at)) return Edit{{node.key_at.line, 1}, {last + 1, 1}, ""};
  // The first member of an element of a list: the next one takes its place behind the dash.
  if (&node != &parent.children.front()) return {};
  return Edit{node.key_at, parent.children[1].key_at, ""};
}

std::optional<Edit> remove_block_element(const SourceText& source, const Node& node) {
  const std::string_view line = source.line(node.at.line);
  const int dash = indentation(line);
  if (dash < 0 || !is_element(line, dash)) return {};
  return Edit{{node.at.line, 1}, {last_line(source, node.at.line, dash, false) + 1, 1}, ""};
}

std::optional<Edit> remove_last_of(const SourceText& source, const Trail& trail, std::size_t depth) {
  if (depth == 0) return {};
  const Node& parent = *trail.nodes[depth - 1];
  const Node& node = *trail.nodes[depth];
  if (parent.children.size() == 1 && depth > 1) return remove_last_of(source, trail, depth - 1);
  if (parent.flow) return remove_in_flow(source, node);
  if (parent.kind == Kind::Map) return remove_block_member(source, parent, node);
  return remove_block_element(source, node);
}

// Writes a value or a key as the file does: in YAML, or in JSON.
std::string as_written(const SourceText& source, std::string_view yaml) {
  if (!source.is_json()) return std::string(yaml);
  const auto object = simulator::read_yaml("value: " + std::string(yaml) + "\n", 1);
  const simulator::Value* value = object ? simulator::find(*object, {"value"}) : nullptr;
  return value == nullptr ? in_quotes(yaml) : boost::json::serialize(*value);
}
std::string key_as_written(const SourceText& source, std::string_view key) {
  return source.is_json() ? in_quotes(key) : std::string(key);
}

std::string nested_flow(const SourceText& source, const std::vector<std::string>& members, std::string_view value) {
  std::string text = as_written(source, value);
  for (auto member = members.rbegin(); member != members.rend(); ++member)
    text = key_as_written(source, *member) + ": " + (member == members.rbegin() ? text : "{" + text + "}");
  return text;
}

// Inserts as the first member of a map or a list in flow style: in front of the present first one, on a line of its own
// if that one has a line of its own, or between the brackets.
std::optional<Edit> first_in_flow(const SourceText& source, const Node& around, const std::string& text) {
  if (around.children.empty()) {
    const Position at = behind(around.at, 1);
    return Edit{at, at, text};
  }
  const Node& first = around.children.front();
  const Position at = first.key_at.line > 0 ? first.key_at : first.at;
  if (at.line == around.at.line || !blank_before(source, at)) {
    const Position behind_bracket = behind(around.at, 1);
    return Edit{behind_bracket, behind_bracket, text + ", "};
  }
  return Edit{at, at, text + ",\n" + std::string(static_cast<std::size_t>(at.column) - 1, ' ')};
}

Position begin_of(const Mend& mend) {
  return std::ranges::min(mend, {}, &Edit::begin).begin;
}

// Two edits that insert at one place do not overlap; the same edit twice does.
bool overlaps(const Mend& mend, const std::vector<Edit>& chosen) {
  return std::ranges::any_of(mend, [&](const Edit& edit) {
    return std::ranges::any_of(
        chosen, [&](const Edit& other) { return edit == other || (edit.begin < other.end && other.begin < edit.end); });
  });
}

}  // namespace

std::optional<Edit> replace_value(const Manifest& manifest, std::string_view path, std::string_view text) {
  const Node* node = manifest.find(path);
  if (node == nullptr) return {};
  const auto end = end_of(*manifest.source, *node);
  if (!end) return {};
  return Edit{node->at, *end, as_written(*manifest.source, text)};
}

std::optional<Edit> rename_key(const Manifest& manifest, std::string_view path, std::string_view name) {
  const Node* node = manifest.find(path);
  if (node == nullptr || node->key.empty()) return {};
  const auto size = written_size(manifest.source->from(node->key_at), node->key);
  if (!size) return {};
  return Edit{node->key_at, behind(node->key_at, *size), key_as_written(*manifest.source, name)};
}

std::optional<Edit> remove(const Manifest& manifest, std::string_view path) {
  const Trail trail = manifest.trail(path);
  if (!trail.whole) return {};
  return remove_last_of(*manifest.source, trail, trail.nodes.size() - 1);
}

std::optional<Edit> insert(const Manifest& manifest, std::string_view parent, const std::vector<std::string>& members,
                           std::string_view value) {
  const Node* map = manifest.find(parent);
  if (map == nullptr || map->kind != Kind::Map || map->member(members.front()) != nullptr) return {};
  if (map->flow) {
    if (!manifest.source->from(map->at).starts_with("{")) return {};
    return first_in_flow(*manifest.source, *map, nested_flow(*manifest.source, members, value));
  }
  if (map->children.empty()) return {};
  const Position at = map->children.front().key_at;
  std::string text;
  std::string indent(static_cast<std::size_t>(at.column) - 1, ' ');
  const std::string outer = indent;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_last = i + 1 == members.size();
    text += (i == 0 ? "" : indent) + members[i] + ":" + (is_last ? " " + std::string(value) : "") + "\n";
    indent += "  ";
  }
  return Edit{at, at, text + outer};
}

std::optional<Edit> insert_element(const Manifest& manifest, std::string_view path, std::string_view value) {
  const Node* list = manifest.find(path);
  if (list == nullptr || list->kind != Kind::Sequence || list->children.empty()) return {};
  if (list->flow) {
    if (!manifest.source->from(list->at).starts_with("[")) return {};
    return first_in_flow(*manifest.source, *list, as_written(*manifest.source, value));
  }
  const std::string_view line = manifest.source->line(list->at.line);
  const int dash = indentation(line);
  if (dash < 0 || !is_element(line, dash)) return {};
  const Position at{list->at.line, 1};
  return Edit{at, at, std::string(static_cast<std::size_t>(dash), ' ') + "- " + std::string(value) + "\n"};
}

std::optional<Edit> replace_member(const Manifest& manifest, std::string_view path, std::string_view text) {
  const Node* node = manifest.find(path);
  if (manifest.source->is_json()) return {};
  if (node == nullptr || node->key_at.line == 0 || !blank_before(*manifest.source, node->key_at)) return {};
  const int last = last_line(*manifest.source, node->key_at.line, node->key_at.column - 1,
                             node->kind == Kind::Sequence && !node->flow);
  return Edit{{node->key_at.line, 1}, {last + 1, 1}, std::string(text)};
}

std::optional<std::string> text_of(const Manifest& manifest, const Node& node, int indent) {
  const SourceText& source = *manifest.source;
  if (node.flow || (node.kind == Kind::Scalar && !node.text.empty())) {
    const auto end = end_of(source, node);
    if (!end) return {};
    const std::size_t begin = source.offset(node.at);
    return " " + source.text().substr(begin, source.offset(*end) - begin) + "\n";
  }
  if (node.kind == Kind::Null || node.key_at.line == 0 || node.at.line == node.key_at.line) return {};
  const int last = last_line(source, node.key_at.line, node.key_at.column - 1, node.kind == Kind::Sequence);
  const int first_indent = indentation(source.line(node.at.line));
  std::string text = "\n";
  for (int line = node.key_at.line + 1; line <= last; ++line) {
    const std::string_view written = source.line(line);
    const int shift = std::max(0, indentation(written) - first_indent + indent);
    const auto first = written.find_first_not_of(' ');
    if (first == std::string_view::npos) continue;
    text += std::string(static_cast<std::size_t>(shift), ' ') + std::string(written.substr(first)) + "\n";
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string applied(const SourceText& source, const std::vector<Mend>& mends) {
  std::vector<const Mend*> sorted;
  for (const Mend& mend : mends)
    if (!mend.empty()) sorted.push_back(&mend);
  // Mends at one place stay in their order.
  std::ranges::sort(sorted, {}, [](const Mend* mend) { return std::pair(begin_of(*mend), mend); });
  std::vector<Edit> chosen;
  for (const Mend* mend : sorted)
    if (!overlaps(*mend, chosen)) chosen.insert(chosen.end(), mend->begin(), mend->end());
  std::vector<const Edit*> ordered;
  for (const Edit& edit : chosen) ordered.push_back(&edit);
  std::ranges::sort(ordered, {}, [](const Edit* edit) { return std::tuple(edit->begin, edit->end, edit); });
  std::string text;
  std::size_t at = 0;
  for (const Edit* edit : ordered) {
    const std::size_t begin = std::max(at, source.offset(edit->begin));
    text += source.text().substr(at, begin - at) + edit->text;
    at = source.offset(edit->end);
  }
  return text + source.text().substr(at);
}

}  // namespace reprise::apps::lint
