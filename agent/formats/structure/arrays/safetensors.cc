#include "agent/formats/structure/arrays/safetensors.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "agent/formats/structure/little_endian.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::uint64_t kLongestHead = 100'000'000;  // the library's own limit
constexpr std::uint64_t kLength = 8;
constexpr std::uint64_t kReadAtOnce = std::uint64_t{16} << 10U;  // as a rule a shard's head is no longer

using runtime::Result;
using Span = std::pair<std::uint64_t, std::uint64_t>;

std::optional<std::uint64_t> offset_of(const boost::json::value& value) {
  if (value.is_uint64()) return value.as_uint64();
  if (value.is_int64() && value.as_int64() >= 0) return static_cast<std::uint64_t>(value.as_int64());
  return std::nullopt;
}

std::optional<Span> span_of(const boost::json::value& tensor) {
  if (!tensor.is_object()) return std::nullopt;
  const auto* offsets = tensor.get_object().if_contains("data_offsets");
  if (offsets == nullptr || !offsets->is_array() || offsets->get_array().size() != 2) return std::nullopt;
  const auto begin = offset_of(offsets->get_array()[0]), end = offset_of(offsets->get_array()[1]);
  if (!begin || !end || *begin > *end) return std::nullopt;
  return Span{*begin, *end};
}

Result<std::string> rest_of_head(const CheckedFile& file, const std::string& first, std::uint64_t head) {
  const std::uint64_t end = kLength + head;
  return end > first.size() ? file.bytes(first.size(), end - first.size()) : std::string();
}

}  // namespace

Flawed check_safetensors(const CheckedFile& file) {
  if (file.size == 0) return incomplete(file.name + ": is empty");
  auto first = file.bytes(0, std::min(file.size, kReadAtOnce));
  if (!first) return std::unexpected(first.error());
  const std::uint64_t head = little_endian(*first, 0, kLength);
  if (first->size() < kLength || head > kLongestHead || head > file.size - kLength)
    return corrupt(file.name + ": its head is longer than the file");
  const auto rest = rest_of_head(file, *first, head);
  if (!rest) return std::unexpected(rest.error());
  const auto tensors = parse_object(std::string_view(*first += *rest).substr(kLength, head));
  if (!tensors) return corrupt(file.name + ": its head is not a JSON object");
  std::vector<Span> spans;
  for (const auto& [name, tensor] : *tensors) {
    if (name == "__metadata__") continue;
    const auto span = span_of(tensor);
    if (!span) return corrupt(file.name + ": tensor " + std::string(name) + " has no place in the file");
    spans.push_back(*span);
  }
  std::ranges::sort(spans);
  std::uint64_t end = 0;
  for (const Span& span : spans) {
    if (span.first != end) return corrupt(file.name + ": there is a gap between its tensors");
    end = span.second;
  }
  const std::uint64_t data = file.size - kLength - head;
  if (end != data)
    return corrupt(file.name + ": its tensors are " + std::to_string(end) + " bytes, the file has " +
                   std::to_string(data) + " for them");
  return std::nullopt;
}

}  // namespace reprise::agent
