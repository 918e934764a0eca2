#include "controllers/reports/report_target.h"

#include <algorithm>

namespace reprise::controllers::reports {

std::string ReportTarget::annotation() const {
  constexpr std::string_view begin = "-----BEGIN CERTIFICATE-----", end = "-----END CERTIFICATE-----";
  const std::string_view pem = certificate_pem;
  const std::size_t from = pem.find(begin), to = pem.find(end);
  std::string der;
  if (from != std::string_view::npos && to != std::string_view::npos && from < to)
    der = pem.substr(from + begin.size(), to - from - begin.size());
  std::erase_if(der, [](char c) { return c == '\n' || c == '\r'; });
  return url + " " + der;
}

}  // namespace reprise::controllers::reports
