#include "agent/process/reports/report_client.h"

#include <utility>

#include "agent/net/token_file.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

constexpr std::chrono::seconds kLongestExchange{5};

std::string request_of(const std::string& host, const std::string& token, const std::string& json) {
  return "POST " + std::string(protocol::kLiveReportPath) + " HTTP/1.1\r\nHost: " + host +
         "\r\nAuthorization: Bearer " + token +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(json.size()) +
         "\r\nConnection: close\r\n\r\n" + json;
}

}  // namespace

std::unique_ptr<ReportClient> ReportClient::create(const Options& options, const runtime::Clock& clock, Say say) {
  auto address = parse_url(options.url, kHttps);
  if (!address) {
    say("no live reports are made: the operator's address is \"" + options.url +
        "\", and must be https://ADDRESS:PORT with an address of IPv4 or, in brackets, IPv6");
    return nullptr;
  }
  auto tls = TlsClient::create(options.authority, std::string(protocol::kReportServerName));
  if (!tls) {
    say("no live reports are made: the operator's certificate: " + tls.error());
    return nullptr;
  }
  return std::unique_ptr<ReportClient>(
      new ReportClient(options, *std::move(address), *std::move(tls), clock, std::move(say)));
}

ReportClient::ReportClient(const Options& options, Address address, std::unique_ptr<TlsClient> tls,
                           const runtime::Clock& clock, Say say)
    : address_(std::move(address)),
      token_file_(options.token_file),
      tls_(std::move(tls)),
      clock_(clock),
      say_(std::move(say)),
      pace_(options.first_wait) {}

void ReportClient::send(const std::string& json) {
  if (!pace_.may_send(clock_.steady())) return;
  std::string problem;
  const auto answer = exchange(json, problem);
  pace_.answered(answer, clock_.steady());
  tell(answer.status / 100 == 2, problem);
}

AnswerHead ReportClient::exchange(const std::string& json, std::string& problem) {
  const auto token = read_token(token_file_);
  if (!token) {
    problem = "no token can be read from " + token_file_;
    return {};
  }
  const auto head = tls_->ask(address_, request_of(address_.text, *token, json), clock_.steady() + kLongestExchange);
  if (!head) {
    problem = head.error();
    return {};
  }
  const auto answer = parse_answer_head(*head);
  if (!answer) {
    problem = head->empty() ? "it closed the connection without an answer" : "its answer is not HTTP";
    return {};
  }
  problem = "it answered " + std::to_string(answer->status);
  return *answer;
}

void ReportClient::tell(bool taken, const std::string& problem) {
  const bool failed_before = std::exchange(failing_, !taken);
  if (!taken && !failed_before)
    say_("no live reports for now, which training does not need: the operator at " + address_.text + ": " + problem);
  if (taken && failed_before) say_("live reports are taken again");
}

}  // namespace reprise::agent
