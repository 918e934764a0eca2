#include "protocol/common_checkpoint.h"

#include <charconv>

namespace reprise::protocol {
namespace {

constexpr std::string_view kBegin = "reprise-checkpoints attempt=";
constexpr std::string_view kNone = "none";
constexpr std::string_view kNotDurable = "?";
constexpr std::string_view kUnproven = "!";
constexpr std::string_view kUnfit = "; unfit=";
constexpr std::size_t kFingerprintDigits = 16;

bool skip(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

template <class Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc{} || text.starts_with('-')) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::string with_name(std::int64_t step, std::uint64_t name) {
  return std::to_string(step) + ":" + encode_fingerprint(name);
}

std::optional<std::uint64_t> take_name(std::string_view& text) {
  if (!skip(text, ":") || text.size() < kFingerprintDigits) return std::nullopt;
  const auto name = decode_fingerprint(text.substr(0, kFingerprintDigits));
  if (name) text.remove_prefix(kFingerprintDigits);
  return name;
}

}  // namespace

std::uint64_t fingerprint(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return hash;
}

std::string encode_fingerprint(std::uint64_t name) {
  std::string digits(kFingerprintDigits, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, name >>= 4U)
    *digit = "0123456789abcdef"[name & 15U];
  return digits;
}

std::optional<std::uint64_t> decode_fingerprint(std::string_view text) {
  if (text.size() != kFingerprintDigits) return std::nullopt;
  const auto name = take_number<std::uint64_t>(text, 16);
  return text.empty() ? name : std::nullopt;
}

std::uint64_t fingerprint_of(std::string_view told, std::string_view path) {
  return decode_fingerprint(told).value_or(fingerprint(path));
}

std::string encode_listed_checkpoints(const ListedCheckpoints& listed) {
  std::string text = std::string(kBegin) + std::to_string(listed.attempt) + " index=" + std::to_string(listed.index);
  text += " steps=";
  for (std::size_t at = 0; at < listed.checkpoints.size() && at < kMostListedSteps; ++at) {
    if (at > 0) text += ',';
    text += with_name(listed.checkpoints[at].step, listed.checkpoints[at].name);
    const ListedCheckpoint& each = listed.checkpoints[at];
    if (!each.is_durable || each.is_unproven) text += each.is_unproven ? kUnproven : kNotDurable;
  }
  const bool is_whole = !listed.cut && listed.checkpoints.size() <= kMostListedSteps;
  if (is_whole && !listed.unfit.empty()) return text.append(kUnfit).append(listed.unfit);
  if (is_whole) text += ';';
  return text;
}

std::optional<ListedCheckpoints> decode_listed_checkpoints(std::string_view text) {
  ListedCheckpoints listed;
  if (!skip(text, kBegin)) return std::nullopt;
  const auto attempt = take_number<std::int32_t>(text);
  if (!attempt || !skip(text, " index=")) return std::nullopt;
  const auto index = take_number<std::int32_t>(text);
  if (!index || !skip(text, " steps=")) return std::nullopt;
  listed.attempt = *attempt;
  listed.index = *index;
  if (const auto unfit = text.find(kUnfit); unfit != std::string_view::npos) {
    listed.unfit = text.substr(unfit + kUnfit.size());
    text = text.substr(0, unfit + 1);
  }
  listed.cut = !text.ends_with(';');
  if (listed.cut) {
    const auto whole = text.rfind(',');  // the last one may be cut in its midst
    text = text.substr(0, whole == std::string_view::npos ? 0 : whole);
  } else {
    text.remove_suffix(1);
  }
  while (!text.empty()) {
    if (!listed.checkpoints.empty() && !skip(text, ",")) return std::nullopt;
    const auto step = take_number<std::int64_t>(text);
    const auto name = step ? take_name(text) : std::nullopt;
    if (!name || listed.checkpoints.size() == kMostListedSteps) return std::nullopt;
    const bool is_unproven = skip(text, kUnproven);
    listed.checkpoints.push_back({*step, *name, !is_unproven && !skip(text, kNotDurable), is_unproven});
  }
  return listed;
}

std::string encode_common_step(const CommonStep& common) {
  if (!common.step) return std::string(kNone);
  std::string text = common.name ? with_name(*common.step, *common.name) : std::to_string(*common.step);
  if (!common.is_durable) text += kNotDurable;
  if (common.unproven_step) text.append(kUnproven).append(std::to_string(*common.unproven_step));
  return text;
}

std::optional<CommonStep> decode_common_step(std::string_view text) {
  if (text == kNone) return CommonStep{};
  const auto step = take_number<std::int64_t>(text);
  if (!step) return std::nullopt;
  CommonStep common{step};
  if (text.starts_with(':') && !(common.name = take_name(text))) return std::nullopt;
  common.is_durable = !skip(text, kNotDurable);
  if (skip(text, kUnproven) && !(common.unproven_step = take_number<std::int64_t>(text))) return std::nullopt;
  return text.empty() ? std::optional(common) : std::nullopt;
}

}  // namespace reprise::protocol
