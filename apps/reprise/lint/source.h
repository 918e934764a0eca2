// Manifests as they were written: values with their places in the file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/json.h"

namespace reprise::apps::lint {

struct Position {
  int line = 0, column = 0;  // from 1; 0: not known
  auto operator<=>(const Position&) const = default;
};

// The text of a file, by lines.
class SourceText {
 public:
  explicit SourceText(std::string text);
  [[nodiscard]] const std::string& text() const { return text_; }
  // True when the whole text is JSON, one object or several one after another: edits have to be JSON, too.
  [[nodiscard]] bool is_json() const { return is_json_; }
  [[nodiscard]] int lines() const { return static_cast<int>(starts_.size()); }
  // The line without its end; empty behind the last one.
  [[nodiscard]] std::string_view line(int number) const;
  // The rest of the line from there on.
  [[nodiscard]] std::string_view from(Position at) const;
  // The offset in the text; its end for a line behind the last one.
  [[nodiscard]] std::size_t offset(Position at) const;
  [[nodiscard]] Position position(std::size_t offset) const;

 private:
  std::string text_;
  std::vector<std::size_t> starts_;
  bool is_json_ = false;
};

struct Node {
  enum class Kind { Null, Scalar, Sequence, Map };
  Kind kind = Kind::Null;
  std::string key = {};  // a map member's key
  Position key_at = {}, at = {};
  std::string text = {};  // a scalar's text
  bool quoted = false;    // or written as a block of text
  bool flow = false;      // {...} or [...]
  std::vector<Node> children = {};

  [[nodiscard]] const Node* member(std::string_view named) const;
};

// The nodes from the root to the path, or as far as they exist.
struct Trail {
  std::vector<const Node*> nodes;
  bool whole = false;
  [[nodiscard]] const Node& last() const { return *nodes.back(); }
};

struct Manifest {
  std::string file;
  std::shared_ptr<const SourceText> source;
  Node root;
  simulator::Value object;

  [[nodiscard]] std::string_view api_version() const { return simulator::text(object, {"apiVersion"}); }
  [[nodiscard]] std::string_view kind() const { return simulator::text(object, {"kind"}); }
  [[nodiscard]] std::string_view name() const { return simulator::name_of(object); }
  // "default" where none is written.
  [[nodiscard]] std::string_view namespace_() const;
  // "ResumableJob vision/finetune"
  [[nodiscard]] std::string title() const;
  // `path`: as in messages: "spec.capacity[0].type", "spec.labels.example.com/team", "containers[trainer].command".
  [[nodiscard]] Trail trail(std::string_view path) const;
  // nullptr: there is nothing at that path.
  [[nodiscard]] const Node* find(std::string_view path) const;
  // The key's place, if it has one; the place of the value around when nothing is at that path.
  [[nodiscard]] Position place_of(std::string_view path) const;
};

struct SyntaxProblem {
  Position at;
  std::string message;
};

struct Manifests {
  std::vector<Manifest> objects;
  std::vector<SyntaxProblem> problems;
};

// Every object of a file: its documents, and the items of a List.
[[nodiscard]] Manifests read_manifests(const std::string& file, const std::string& text);

}  // namespace reprise::apps::lint
