#include "apps/reprise/lint/source.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/json/stream_parser.hpp>
#include <charconv>
#include <utility>

#include "rehearsal/plan/manifests.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::apps::lint {
namespace {

Position position_of(const YAML::Mark& mark, int first_line) {
  if (mark.is_null()) return {};
  return {mark.line + first_line, mark.column + 1};
}

Node converted(const YAML::Node& yaml, int first_line) {
  Node node{.at = position_of(yaml.Mark(), first_line), .flow = yaml.Style() == YAML::EmitterStyle::Flow};
  if (yaml.IsScalar()) {
    node.kind = Node::Kind::Scalar;
    node.text = yaml.Scalar();
    node.quoted = yaml.Tag() == "!";
  } else if (yaml.IsSequence()) {
    node.kind = Node::Kind::Sequence;
    for (const auto& element : yaml) node.children.push_back(converted(element, first_line));
  } else if (yaml.IsMap()) {
    node.kind = Node::Kind::Map;
    for (const auto& member : yaml) {
      Node child = converted(member.second, first_line);
      child.key = member.first.Scalar();
      child.key_at = position_of(member.first.Mark(), first_line);
      node.children.push_back(std::move(child));
    }
  }
  return node;
}

// "line 3, column 5: ..." in front of a message.
SyntaxProblem located(const std::string& message, int first_line) {
  SyntaxProblem problem{.at = {first_line, 1}, .message = message};
  int line = 0;
  int column = 0;
  int used = 0;
  if (std::sscanf(message.c_str(), "line %d, column %d: %n", &line, &column, &used) == 2 && used > 0) {
    problem.at = {line, column};
    problem.message = message.substr(static_cast<std::size_t>(used));
  }
  return problem;
}

bool ends_a_key(std::string_view rest, std::size_t size) {
  return rest.size() == size || rest[size] == '.' || rest[size] == '[';
}

const Node* element(const Node& of, std::string_view inside) {
  if (of.kind == Node::Kind::Map) return of.member(inside);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (error == std::errc{} && end == inside.data() + inside.size())
    return index < of.children.size() ? &of.children[index] : nullptr;
  for (const Node& child : of.children)
    if (const Node* name = child.member("name"); name != nullptr && name->text == inside) return &child;
  return nullptr;
}

// One step along the path, which is shortened by it.
const Node* step(const Node& from, std::string_view& rest) {
  if (rest.front() == '[') {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return nullptr;
    const Node* found = element(from, rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
    return found;
  }
  const Node* longest = nullptr;
  for (const Node& child : from.children)
    if (!child.key.empty() && rest.starts_with(child.key) && ends_a_key(rest, child.key.size()) &&
        (longest == nullptr || longest->key.size() < child.key.size()))
      longest = &child;
  if (longest != nullptr) rest.remove_prefix(longest->key.size());
  return longest;
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::size_t begin_of(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

struct Part {
  std::size_t begin = 0, size = 0;
};

// The objects of a text that is JSON alone: one, or several one after another. Empty: it is no such text.
std::vector<Part> objects_of_json(std::string_view text) {
  std::vector<Part> out;
  boost::json::stream_parser parser;
  for (std::size_t at = begin_of(text);;) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) return out;
    if (text[at] != '{') return {};
    parser.reset();
    boost::system::error_code error;
    const std::size_t size = parser.write_some(text.data() + at, text.size() - at, error);
    if (error || !parser.done()) return {};
    out.push_back({at, size});
    at += size;
  }
}

// The documents of a text: several JSON objects, or parts of YAML between "---".
std::vector<rehearsal::YamlDocument> documents_in(const SourceText& source, const std::string& text) {
  const std::vector<Part> parts = source.is_json() ? objects_of_json(text) : std::vector<Part>{};
  if (parts.size() < 2) return rehearsal::documents_of(text);
  std::vector<rehearsal::YamlDocument> out;
  for (const Part& part : parts) {
    const Position at = source.position(part.begin);
    // Keeps the object at its place in its line.
    out.push_back(
        {.text = std::string(static_cast<std::size_t>(at.column) - 1, ' ') + text.substr(part.begin, part.size),
         .first_line = at.line});
  }
  return out;
}

}  // namespace

SourceText::SourceText(std::string text) : text_(std::move(text)), is_json_(!objects_of_json(text_).empty()) {
  starts_.push_back(begin_of(text_));
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n' && i + 1 < text_.size()) starts_.push_back(i + 1);
}

std::string_view SourceText::line(int number) const {
  if (number < 1 || number > lines()) return {};
  const std::size_t begin = starts_[static_cast<std::size_t>(number) - 1];
  std::string_view whole = std::string_view(text_).substr(begin);
  whole = whole.substr(0, whole.find('\n'));
  return whole.ends_with('\r') ? whole.substr(0, whole.size() - 1) : whole;
}

std::string_view SourceText::from(Position at) const {
  const std::string_view whole = line(at.line);
  const auto column = static_cast<std::size_t>(std::max(at.column, 1)) - 1;
  return column >= whole.size() ? std::string_view{} : whole.substr(column);
}

std::size_t SourceText::offset(Position at) const {
  if (at.line > lines()) return text_.size();
  return std::min(text_.size(),
                  starts_[static_cast<std::size_t>(at.line) - 1] + static_cast<std::size_t>(at.column) - 1);
}

Position SourceText::position(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(starts_, offset);
  const auto line = after - starts_.begin();
  return {static_cast<int>(line), static_cast<int>(offset - *(after - 1)) + 1};
}

const Node* Node::member(std::string_view named) const {
  if (kind != Kind::Map) return nullptr;
  const auto found = std::ranges::find(children, named, &Node::key);
  return found == children.end() ? nullptr : &*found;
}

std::string_view Manifest::namespace_() const {
  const auto written = simulator::namespace_of(object);
  return written.empty() ? "default" : written;
}

std::string Manifest::title() const {
  const auto written = simulator::namespace_of(object);
  return std::string(kind()) + " " + (written.empty() ? "" : std::string(written) + "/") + std::string(name());
}

Trail Manifest::trail(std::string_view path) const {
  Trail trail{.nodes = {&root}};
  while (true) {
    while (path.starts_with('.')) path.remove_prefix(1);
    if (path.empty()) break;
    const Node* next = step(trail.last(), path);
    if (next == nullptr) return trail;
    trail.nodes.push_back(next);
  }
  trail.whole = true;
  return trail;
}

const Node* Manifest::find(std::string_view path) const {
  const Trail found = trail(path);
  return found.whole ? found.nodes.back() : nullptr;
}

Position Manifest::place_of(std::string_view path) const {
  const Trail found = trail(path);
  for (auto node = found.nodes.rbegin(); node != found.nodes.rend(); ++node) {
    if ((*node)->key_at.line > 0) return (*node)->key_at;
    if ((*node)->at.line > 0) return (*node)->at;
  }
  return {1, 1};
}

Manifests read_manifests(const std::string& file, const std::string& text) {
  Manifests found;
  const auto source = std::make_shared<const SourceText>(text);
  for (const rehearsal::YamlDocument& document : documents_in(*source, text)) {
    auto object = simulator::read_yaml(document.text, document.first_line);
    if (!object) {
      found.problems.push_back(located(object.error().message, document.first_line));
      continue;
    }
    Node root = converted(YAML::Load(document.text), document.first_line);
    const Node* items = root.member("items");
    if (!simulator::text(*object, {"kind"}).ends_with("List") || items == nullptr) {
      found.objects.push_back({file, source, std::move(root), *std::move(object)});
      continue;
    }
    const simulator::JsonArray& values = simulator::array(*object, {"items"});
    for (std::size_t i = 0; i < items->children.size() && i < values.size(); ++i)
      found.objects.push_back({file, source, items->children[i], values[i]});
  }
  return found;
}

}  // namespace reprise::apps::lint
