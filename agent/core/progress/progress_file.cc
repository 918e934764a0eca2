#include "agent/core/progress/progress_file.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <utility>

#include "agent/json/json.h"
#include "protocol/environment.h"

namespace reprise::agent {
namespace {

constexpr double kLargest = 9e18;

class Fields {
 public:
  Fields(const boost::json::object& object, std::string& problem) : object_(object), problem_(problem) {}

  // Rounded down. `least` and `most` belong to what is allowed.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key, std::int64_t least, double most) {
    const auto* value = object_.if_contains(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (value->is_int64()) {
      const std::int64_t found = value->as_int64();
      if (found >= least && static_cast<double>(found) <= most) return found;
    } else if (value->is_double()) {
      const double found = std::floor(value->as_double());
      if (found >= static_cast<double>(least) && found <= most) return static_cast<std::int64_t>(found);
    }
    if (problem_.empty())
      problem_ = std::string(key) + " is no number of at least " + std::to_string(least) +
                 (most == 100 ? " and at most 100" : "");
    return std::nullopt;
  }

 private:
  const boost::json::object& object_;
  std::string& problem_;
};

}  // namespace

ProgressFileText parse_progress_file(std::string_view text) {
  ProgressFileText parsed;
  if (text.size() > kMaxProgressFileBytes) {
    parsed.problem = "it has more than " + std::to_string(kMaxProgressFileBytes) + " bytes";
    return parsed;
  }
  const auto object = parse_object(text);
  if (!object) {
    parsed.problem = "it holds no JSON object";
    return parsed;
  }
  Fields fields(*object, parsed.problem);
  parsed.note.step = fields.number("step", 0, kLargest);
  parsed.note.total_steps = fields.number("totalSteps", 1, kLargest);
  if (const auto percentage = fields.number("percentage", 0, 100))
    parsed.note.percentage = static_cast<std::int32_t>(*percentage);
  parsed.note.remaining_seconds = fields.number("remainingSeconds", 0, kLargest);
  return parsed;
}

std::string ProgressFileReader::take(const std::optional<std::string>& text, Progress& progress, runtime::Instant now) {
  std::string problem = std::exchange(suspected_, {});
  if (text) {
    auto parsed = parse_progress_file(*text);
    progress.take(ProgressSource::File, parsed.note, now);
    const bool again = !problem.empty() && !parsed.problem.empty();
    suspected_ = std::move(parsed.problem);
    if (!again) problem.clear();
  }
  if (problem.empty() || std::exchange(told_, true)) return {};
  return "what the trainer writes to $" + std::string(protocol::kProgressFile) + " is left out: " + problem;
}

}  // namespace reprise::agent
