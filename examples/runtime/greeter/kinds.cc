#include "kinds.h"

#include "runtime/kube/object_reader.h"
#include "runtime/kube/object_writer.h"

namespace greeter {

std::string encode_status_patch(const Greeting::Status& status, std::string_view resource_version) {
  return kube::ObjectWriter()
      .text("metadata.resourceVersion", resource_version)
      .integer("status.observedGeneration", status.observed_generation)
      .conditions("status.conditions", status.conditions)
      .json();
}

std::string encode(const Letter& letter) {
  return kube::ObjectWriter(kube::KindOf<Letter>::info(), letter.meta).text("data.greeting", letter.text).json();
}

}  // namespace greeter

namespace reprise::kube {

std::expected<greeter::Greeting, DecodeError> KindOf<greeter::Greeting>::decode(std::string_view json) {
  const ObjectReader reader(json);
  greeter::Greeting greeting;
  greeting.meta = reader.meta();
  greeting.text = reader.text("spec.text").value_or("");
  greeting.status.observed_generation = reader.integer("status.observedGeneration").value_or(-1);
  greeting.status.conditions = reader.conditions("status.conditions");
  return reader.finish(std::move(greeting));
}

std::expected<greeter::Letter, DecodeError> KindOf<greeter::Letter>::decode(std::string_view json) {
  const ObjectReader reader(json);
  greeter::Letter letter;
  letter.meta = reader.meta();
  letter.text = reader.text("data.greeting").value_or("");
  return reader.finish(std::move(letter));
}

}  // namespace reprise::kube
