#include "simulator/api_server/wire/selectors.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "simulator/api_server/names.h"

namespace reprise::simulator {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Splits at commas outside parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t depth = 0, begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && depth > 0) --depth;
    if (text[at] != ',' || depth > 0) continue;
    parts.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

std::string field_text(const Value& object, std::string_view path) {
  const Value* at = &object;
  while (!path.empty() && at != nullptr) {
    const std::size_t dot = path.find('.');
    at = find(*at, {path.substr(0, dot)});
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  if (at == nullptr) return {};
  if (const auto* text = at->if_string()) return {text->data(), text->size()};
  if (const auto* flag = at->if_bool()) return *flag ? "true" : "false";
  if (const auto* number = at->if_int64()) return std::to_string(*number);
  return {};
}

std::string selected_text(const Value& object, std::string_view path) {
  // A flag that is not there is false.
  if (path == "spec.unschedulable" || path == "spec.hostNetwork") {
    const std::string found = field_text(object, path);
    return found.empty() ? "false" : found;
  }
  if (path == "source") {
    const std::string found = field_text(object, "source.component");
    return found.empty() ? field_text(object, "reportingComponent") : found;
  }
  return field_text(object, path);
}

}  // namespace

class LabelReader {
 public:
  using Test = Selector::Test;
  using Label = Selector::Label;

  static std::optional<Label> read(std::string_view part) {
    if (part.starts_with('!')) return checked({std::string(trimmed(part.substr(1))), Test::Absent, {}});
    if (const auto open = part.find('('); open != std::string_view::npos) return read_set(part, open);
    for (const auto& [sign, test] :
         {std::pair{std::string_view("!="), Test::Unequal}, {"==", Test::Equal}, {"=", Test::Equal}}) {
      const auto at = part.find(sign);
      if (at == std::string_view::npos) continue;
      return checked(
          {std::string(trimmed(part.substr(0, at))), test, {std::string(trimmed(part.substr(at + sign.size())))}});
    }
    return checked({std::string(part), Test::Present, {}});
  }

 private:
  static std::optional<Label> read_set(std::string_view part, std::size_t open) {
    const auto close = part.rfind(')');
    if (close == std::string_view::npos || close < open) return {};
    std::string_view head = trimmed(part.substr(0, open));
    Test test = Test::In;
    if (head.ends_with(" notin")) {
      test = Test::NotIn;
      head.remove_suffix(6);
    } else if (head.ends_with(" in")) {
      head.remove_suffix(3);
    } else {
      return {};
    }
    Label label{std::string(trimmed(head)), test, {}};
    for (const auto value : split(part.substr(open + 1, close - open - 1))) label.values.emplace_back(value);
    return checked(std::move(label));
  }

  static std::optional<Label> checked(Label label) {
    if (!wrong_qualified_name(label.key).empty()) return {};
    for (const std::string& value : label.values) {
      if (!wrong_label_value(value).empty()) return {};
    }
    return label;
  }
};

Answer<Selector> Selector::parse(const KindRules& rules, std::string_view labels, std::string_view fields) {
  Selector selector;
  if (!labels.empty()) {
    for (const auto part : split(labels)) {
      auto label = LabelReader::read(part);
      if (!label) return reject(bad_request("unable to parse requirement: " + std::string(part)));
      selector.labels_.push_back(*std::move(label));
    }
  }
  if (fields.empty()) return selector;
  for (const auto part : split(fields)) {
    const auto sign = part.find('=');
    if (sign == std::string_view::npos || sign == 0)
      return reject(
          bad_request("invalid selector: '" + std::string(fields) + "'; can't understand '" + std::string(part) + "'"));
    const bool equal = part[sign - 1] != '!';
    Field field{std::string(trimmed(part.substr(0, equal ? sign : sign - 1))), {}, equal};
    field.value = trimmed(part.substr(part.substr(sign).starts_with("==") ? sign + 2 : sign + 1));
    if (!rules.selectable(field.path)) return reject(bad_request(rules.not_selectable(field.path)));
    selector.fields_.push_back(std::move(field));
  }
  return selector;
}

bool Selector::matches(const Value& object) const {
  for (const Field& field : fields_) {
    if ((selected_text(object, field.path) == field.value) != field.equal) return false;
  }
  if (labels_.empty()) return true;
  const JsonObject& there = simulator::object(object, {"metadata", "labels"});
  return std::ranges::all_of(labels_, [&](const Label& label) {
    const Value* found = there.if_contains(label.key);
    const bool among =
        found != nullptr && found->is_string() && std::ranges::any_of(label.values, [&](const std::string& value) {
          return std::string_view(found->get_string().data(), found->get_string().size()) == value;
        });
    switch (label.test) {
      case Test::Equal:
      case Test::In:
        return among;
      case Test::Unequal:
      case Test::NotIn:
        return !among;
      case Test::Present:
        return found != nullptr;
      case Test::Absent:
        return found == nullptr;
    }
    return false;
  });
}

}  // namespace reprise::simulator
