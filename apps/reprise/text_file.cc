#include "apps/reprise/text_file.h"

#include <fstream>
#include <sstream>

namespace reprise::apps {

runtime::Result<std::string> text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) return runtime::fail(runtime::ErrorClass::NotFound, file.string() + ": cannot be read");
  return text.str();
}

runtime::Result<void> write_text_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text << std::flush;
  if (!out) return runtime::fail(runtime::ErrorClass::Terminal, file.string() + ": cannot be written");
  return {};
}

}  // namespace reprise::apps
