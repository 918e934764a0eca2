#include "agent/process/reports/report_channel.h"

#include <algorithm>
#include <utility>

#include "agent/core/run/annotations.h"
#include "agent/net/read_beginning.h"
#include "protocol/annotations.h"

namespace reprise::agent {
namespace {

// Annotations of an object are 256 KiB at most.
constexpr std::size_t kMostBytes = std::size_t{512} << 10U;

bool is_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
}

}  // namespace

std::optional<ReportTarget> parse_report_target(std::string_view quoted) {
  const auto text = unquoted(quoted);
  const std::size_t space = text ? text->find(' ') : std::string_view::npos;
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view url = text->substr(0, space), der = text->substr(space + 1);
  if (url.empty() || der.empty() || !std::ranges::all_of(der, is_base64)) return std::nullopt;
  constexpr std::size_t line = 64;  // characters in a line of PEM
  std::string authority = "-----BEGIN CERTIFICATE-----\n";
  for (std::size_t at = 0; at < der.size(); at += line) authority += std::string(der.substr(at, line)) + "\n";
  return ReportTarget{.url = std::string(url), .authority = authority + "-----END CERTIFICATE-----\n"};
}

ReportChannel::ReportChannel(Options options, const runtime::Clock& clock, ReportClient::Say say)
    : options_(std::move(options)), clock_(clock), say_(std::move(say)) {}

void ReportChannel::send(const std::string& json) {
  look_at_annotation();
  if (client_) client_->send(json);
}

void ReportChannel::look_at_annotation() {
  auto found =
      annotation_of(read_beginning(options_.annotations_file, kMostBytes).value_or(""), protocol::kReportToAnnotation)
          .value_or("");
  if (found == annotation_) return;
  annotation_ = std::move(found);
  client_ = nullptr;
  if (annotation_.empty()) return;
  const auto target = parse_report_target(annotation_);
  if (!target) {
    say_("no live reports are made: the annotation " + std::string(protocol::kReportToAnnotation) +
         " is not \"URL CERTIFICATE\"");
    return;
  }
  client_ = ReportClient::create({.url = target->url,
                                  .authority = target->authority,
                                  .token_file = options_.token_file,
                                  .first_wait = options_.first_wait},
                                 clock_, say_);
}

}  // namespace reprise::agent
