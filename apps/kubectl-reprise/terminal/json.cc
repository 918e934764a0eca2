#include "apps/kubectl-reprise/terminal/json.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace reprise::plugin {
namespace {

std::string in_quotes(std::string_view text) {
  return boost::json::serialize(boost::json::string(text));
}

bool is_empty(const Json& value) {
  return (value.is_object() && value.get_object().empty()) || (value.is_array() && value.get_array().empty());
}

// One branch per kind of value, of one shape for both texts.
class JsonWriter {
 public:
  std::string text;
  void write(const Json& value, std::size_t depth) {
    if (is_empty(value) || !(value.is_object() || value.is_array())) {
      text += boost::json::serialize(value);
    } else if (const auto* object = value.if_object()) {
      text += '{';
      for (const auto& [key, each] : *object) {
        begin(depth + 1, &each == &object->begin()->value());
        text += in_quotes(key) + ": ";
        write(each, depth + 1);
      }
      end(depth, '}');
    } else {
      const auto& list = value.get_array();
      text += '[';
      for (const Json& each : list) {
        begin(depth + 1, &each == list.begin());
        write(each, depth + 1);
      }
      end(depth, ']');
    }
  }

 private:
  void begin(std::size_t depth, bool first) {
    text += first ? "\n" : ",\n";
    text.append(2 * depth, ' ');
  }
  void end(std::size_t depth, char last) {
    text += '\n';
    text.append(2 * depth, ' ');
    text += last;
  }
};

// Letters first, so that no number, date or sign of YAML's begins so; and none of its words.
bool is_plain(std::string_view text) {
  constexpr std::array words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"};
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view more = "0123456789-_./";
  if (text.empty() || letters.find(text.front()) == std::string_view::npos) return false;
  std::string lower;
  for (const char each : text) {
    if (letters.find(each) == std::string_view::npos && more.find(each) == std::string_view::npos) return false;
    lower += static_cast<char>(each | 0x20);
  }
  return std::ranges::find(words, lower) == words.end();
}

std::string yaml_scalar(const Json& value) {
  if (!value.is_string()) return boost::json::serialize(value);
  const std::string_view text = value.get_string();
  return is_plain(text) ? std::string(text) : in_quotes(text);
}

void write_yaml(const Json& value, std::size_t depth, bool in_line, std::string& text) {
  if (is_empty(value) || !(value.is_object() || value.is_array())) {
    text += yaml_scalar(value) + "\n";
    return;
  }
  bool first = in_line;
  const auto margin = [&] {
    if (!first) text.append(2 * depth, ' ');
    first = false;
  };
  const auto is_scalar = [](const Json& each) { return is_empty(each) || !(each.is_object() || each.is_array()); };
  if (const auto* object = value.if_object()) {
    for (const auto& [key, each] : *object) {
      margin();
      text += (is_plain(key) ? std::string(key) : in_quotes(key)) + (is_scalar(each) ? ": " : ":\n");
      // A list may stand as far left as the key that it belongs to.
      write_yaml(each, each.is_array() ? depth : depth + 1, is_scalar(each), text);
    }
    return;
  }
  for (const Json& each : value.get_array()) {
    margin();
    text += "- ";
    write_yaml(each, depth + 1, true, text);
  }
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  boost::system::error_code problem;
  Json value = boost::json::parse(text, problem);
  if (problem) return std::nullopt;
  return value;
}

std::string compact_json(const Json& value) {
  return boost::json::serialize(value);
}

std::string json_text(const Json& value) {
  JsonWriter writer;
  writer.write(value, 0);
  return writer.text + "\n";
}

std::string yaml_text(const Json& value) {
  std::string text;
  write_yaml(value, 0, false, text);
  return text;
}

const Json& member(const Json& value, std::string_view name) {
  static const Json nothing;
  const auto* object = value.if_object();
  const Json* found = object == nullptr ? nullptr : object->if_contains(name);
  return found == nullptr ? nothing : *found;
}

std::string text_at(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* at = &value;
  for (const std::string_view name : path) at = &member(*at, name);
  const auto* text = at->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

}  // namespace reprise::plugin
