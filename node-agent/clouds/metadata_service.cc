#include "node-agent/clouds/metadata_service.h"

#include "agent/net/plain_connection.h"

namespace reprise::node_agent {

std::expected<agent::Answer, std::string> MetadataService::ask(const Question& question) {
  std::string request = question.method + " " + question.path + " HTTP/1.1\r\nHost: " + server_.text + "\r\n";
  for (const auto& [key, value] : question.headers) request += key + ": " + value + "\r\n";
  if (question.method != "GET") request += "Content-Length: 0\r\n";
  request += "User-Agent: reprise-node-agent\r\nAccept: */*\r\nConnection: close\r\n\r\n";
  const auto received =
      agent::ask_plainly(server_, request, clock_.steady() + kLongestExchange, agent::whole_answer(kMostBytes));
  if (!received) return std::unexpected(server_.text + ": " + received.error());
  auto answer = agent::parse_answer(*received);
  if (!answer) return std::unexpected(server_.text + ": its answer is not HTTP, incomplete or longer than 64 KiB");
  return *std::move(answer);
}

}  // namespace reprise::node_agent
