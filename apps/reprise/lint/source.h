// Manifests as they were written: values with the place in the file where each stands.
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
  // The whole of it, as one object or as several one after another: what is written into it has to be JSON, too.
  [[nodiscard]] bool is_json() const { return is_json_; }
  [[nodiscard]] int lines() const { return static_cast<int>(starts_.size()); }
  // Without its end; empty behind the last one.
  [[nodiscard]] std::string_view line(int number) const;
  // The rest of the line from there on.
  [[nodiscard]] std::string_view from(Position at) const;
  // In the text; the end of it for a line behind the last one.
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
  std::string key = {};  // of a member of a map
  Position key_at = {}, at = {};
  std::string text = {};  // of a scalar
  bool quoted = false;    // or written as a block of text
  bool flow = false;      // {...} or [...]
  std::vector<Node> children = {};

  [[nodiscard]] const Node* member(std::string_view named) const;
};

// From the root to what was asked for, or as far as there is something.
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
  // A path as messages have it: "spec.capacity[0].type", "spec.labels.example.com/team", "containers[trainer].command".
  [[nodiscard]] Trail trail(std::string_view path) const;
  // nullptr: there is nothing at that path.
  [[nodiscard]] const Node* find(std::string_view path) const;
  // Of the key, where it has one; of what is around it where there is nothing at that path.
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
