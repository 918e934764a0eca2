#include "protocol/last_output.h"

#include "protocol/last_line.h"
#include "protocol/whole_fields.h"
#include "runtime/kube/internal/archive.h"

namespace reprise::protocol {
namespace {

struct Printed {
  std::string last_line;
  std::string output;
  static void fields(auto& self, auto& field) {
    field("lastLine", self.last_line);
    field("output", self.output);
  }
};

std::string line_of(std::string_view json) {
  const auto printed = kube::internal::decode_with(
      json, [](const kube::internal::Field& object) { return kube::internal::In::read<Printed>(object); });
  if (!printed) return {};
  std::string line = last_line_of(printed->output);
  return line.empty() ? last_line_of(printed->last_line) : line;
}

}  // namespace

std::string last_output_line(std::string_view termination_message) {
  if (const auto whole = up_to_last_whole_field(termination_message)) return line_of(*whole);
  return line_of(termination_message);
}

}  // namespace reprise::protocol
