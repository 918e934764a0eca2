#include "agent/net/token_file.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "agent/net/read_beginning.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kMostTokenBytes = 16384;

}  // namespace

std::optional<std::string> read_token(const std::string& path) {
  std::string token = read_beginning(path, kMostTokenBytes).value_or("");
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) token.pop_back();
  const bool plain = std::ranges::all_of(token, [](unsigned char each) { return each > 0x20 && each < 0x7F; });
  return !token.empty() && plain ? std::optional(std::move(token)) : std::nullopt;
}

}  // namespace reprise::agent
