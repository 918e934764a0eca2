#include "apps/reprise-operator/price_file.h"

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <utility>

#include "controllers/prices/money.h"
#include "runtime/base/yaml_check.h"

namespace reprise::apps {
namespace {

using runtime::ErrorClass;
using runtime::fail;
using runtime::Result;

constexpr std::size_t kMostBytes = 1 << 20;

struct Wrong {
  std::string text;
};

std::string shown(const YAML::Node& value) {
  if (value.IsScalar()) return "found '" + value.Scalar().substr(0, 80) + "'";
  return value.IsMap() ? "found a mapping" : value.IsSequence() ? "found a list" : "found nothing";
}

std::string name_in(const YAML::Node& value, const std::string& field) {
  const bool is_name = value.IsScalar() && !value.Scalar().empty() && value.Scalar().size() <= 63;
  if (!is_name) throw Wrong{field + ": " + shown(value) + ", must be a name of 1 to 63 characters"};
  return value.Scalar();
}

std::string money_in(const YAML::Node& value, const std::string& field) {
  if (!value.IsScalar() || value.Scalar().size() > 16 || !controllers::prices::parse_usd(value.Scalar()))
    throw Wrong{field + ": " + shown(value) + ", must be a price in USD such as \"0.1578\""};
  return value.Scalar();
}

api::CapacityType capacity_in(const YAML::Node& value, const std::string& field) {
  for (const auto type : {api::CapacityType::Spot, api::CapacityType::OnDemand, api::CapacityType::Reserved})
    if (value.IsScalar() && value.Scalar() == api::name(type)) return type;
  throw Wrong{field + ": " + shown(value) + ", must be Spot, OnDemand or Reserved"};
}

api::InstancePrice price_in(const YAML::Node& entry, const std::string& where) {
  if (!entry.IsMap()) throw Wrong{where + ": " + shown(entry) + ", must be a mapping"};
  api::InstancePrice price;
  for (const auto& each : entry) {
    const YAML::Node& value = each.second;
    const std::string& name = each.first.Scalar();
    const std::string field = where + "." + name;
    if (name == "instanceType") {
      price.instance_type = name_in(value, field);
    } else if (name == "capacityType") {
      price.capacity_type = capacity_in(value, field);
    } else if (name == "zone") {
      price.zone = name_in(value, field);
    } else if (name == "perHour") {
      price.per_hour = money_in(value, field);
    } else {
      throw Wrong{field + ": no such field, must be instanceType, capacityType, zone or perHour"};
    }
  }
  if (price.instance_type.empty()) throw Wrong{where + ".instanceType: is missing"};
  if (price.per_hour.empty()) throw Wrong{where + ".perHour: is missing"};
  return price;
}

std::vector<api::InstancePrice> prices_in(const YAML::Node& file) {
  std::vector<api::InstancePrice> prices;
  if (file.IsNull()) return prices;
  if (!file.IsMap()) throw Wrong{shown(file) + ", must be a mapping with the list 'prices'"};
  for (const auto& each : file) {
    const YAML::Node& value = each.second;
    const std::string& name = each.first.Scalar();
    if (name == "asOf") continue;
    if (name != "prices") throw Wrong{name + ": no such field, must be asOf or prices"};
    if (value.IsNull()) continue;
    if (!value.IsSequence()) throw Wrong{"prices: " + shown(value) + ", must be a list"};
    if (value.size() > kMostPrices)
      throw Wrong{"prices: found " + std::to_string(value.size()) + " entries, must be at most " +
                  std::to_string(kMostPrices)};
    for (const auto& entry : value) prices.push_back(price_in(entry, "prices[" + std::to_string(prices.size()) + "]"));
  }
  return prices;
}

}  // namespace

Result<std::vector<api::InstancePrice>> parse_prices(std::string_view yaml) {
  if (auto fine = runtime::check_yaml(yaml, 1, {.bytes = kMostBytes}); !fine)
    return fail(ErrorClass::Terminal, std::move(fine).error().message);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(yaml));
    if (documents.size() > 1) throw Wrong{"found several documents, must be one"};
    return documents.empty() ? std::vector<api::InstancePrice>{} : prices_in(documents.front());
  } catch (const Wrong& wrong) {
    return fail(ErrorClass::Terminal, wrong.text);
  } catch (const YAML::Exception& error) {
    return fail(ErrorClass::Terminal, error.what());
  }
}

Result<std::vector<api::InstancePrice>> read_prices(const std::string& path) {
  const std::string doing = "read the price table " + path;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return fail(ErrorClass::Terminal, doing + ": it is not there or not to be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto prices = parse_prices(text);
  if (!prices) return std::unexpected(std::move(prices).error().with_context(doing));
  return prices;
}

}  // namespace reprise::apps
