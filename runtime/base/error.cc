#include "runtime/base/error.h"

namespace reprise::runtime {

std::string_view name(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::NotFound:
      return "NotFound";
    case ErrorClass::AlreadyExists:
      return "AlreadyExists";
    case ErrorClass::Conflict:
      return "Conflict";
    case ErrorClass::Invalid:
      return "Invalid";
    case ErrorClass::Forbidden:
      return "Forbidden";
    case ErrorClass::Unauthorized:
      return "Unauthorized";
    case ErrorClass::Expired:
      return "Expired";
    case ErrorClass::Throttled:
      return "Throttled";
    case ErrorClass::Unavailable:
      return "Unavailable";
    case ErrorClass::NoPermit:
      return "NoPermit";
    case ErrorClass::Cancelled:
      return "Cancelled";
    case ErrorClass::Terminal:
      return "Terminal";
  }
  return "Unknown";
}

}  // namespace reprise::runtime
