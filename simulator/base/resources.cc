#include "simulator/base/resources.h"

#include <array>
#include <charconv>
#include <utility>

namespace reprise::simulator {
namespace {

constexpr std::int64_t kOne = 1000;
constexpr std::array<std::pair<std::string_view, std::int64_t>, 9> kSuffixes{{{"", kOne},
                                                                              {"m", 1},
                                                                              {"k", kOne * 1000},
                                                                              {"M", kOne * 1000000},
                                                                              {"G", kOne * 1000000000},
                                                                              {"Ki", kOne << 10},
                                                                              {"Mi", kOne << 20},
                                                                              {"Gi", kOne << 30},
                                                                              {"Ti", kOne << 40}}};

}  // namespace

std::int64_t parse_amount(std::string_view quantity) {
  double number = 0;
  const auto [rest, problem] = std::from_chars(quantity.data(), quantity.data() + quantity.size(), number);
  if (problem != std::errc{}) return 0;
  const std::string_view suffix = quantity.substr(static_cast<std::size_t>(rest - quantity.data()));
  for (const auto& [name, factor] : kSuffixes)
    if (suffix == name) return static_cast<std::int64_t>(number * static_cast<double>(factor));
  return 0;
}

std::string format_amount(std::int64_t thousandths) {
  if (thousandths % kOne == 0) return std::to_string(thousandths / kOne);
  return std::to_string(thousandths) + "m";
}

Resources read_resources(const JsonObject& quantities) {
  Resources out;
  for (const auto& each : quantities) {
    const Value& value = each.value();
    if (value.is_string())
      out[std::string(each.key())] = parse_amount(value.get_string());
    else if (value.is_int64())
      out[std::string(each.key())] = value.get_int64() * kOne;
    else if (value.is_uint64())
      out[std::string(each.key())] = static_cast<std::int64_t>(value.get_uint64()) * kOne;
  }
  return out;
}

Value write_resources(const Resources& resources) {
  JsonObject out;
  for (const auto& [name, value] : resources) out[name] = format_amount(value);
  return out;
}

void add(Resources& to, const Resources& more) {
  for (const auto& [name, value] : more) to[name] += value;
}

void subtract(Resources& from, const Resources& less) {
  for (const auto& [name, value] : less) from[name] -= value;
}

std::int64_t amount(const Resources& resources, std::string_view name) {
  const auto found = resources.find(name);
  return found == resources.end() ? 0 : found->second;
}

std::string_view lacking(const Resources& wanted, const Resources& available) {
  for (const auto& [name, value] : wanted)
    if (value > 0 && amount(available, name) < value) return name;
  return {};
}

}  // namespace reprise::simulator
