#include "api/internal/template_check.h"

#include <algorithm>

#include "runtime/kube/internal/reader.h"

namespace reprise::api::internal {

using kube::internal::Field;

namespace {

void expect_object(const Field& field) {
  static_cast<void>(field["-"]);
}

std::vector<std::string> names_of_list(const Field& list) {
  return list.list([](const Field& one) {
    auto name = one["name"].text();
    if (!name) one["name"].fail("must be set");
    return std::move(name).value_or("");
  });
}

void check_container(const Field& container, const TemplateExpectation& expectation) {
  static_cast<void>(names_of_list(container["env"]));
  static_cast<void>(container["volumeMounts"].list(
      [](const Field& mount) { return mount["name"].text().has_value() && mount["mountPath"].text().has_value(); }));
  expect_object(container["securityContext"]);
  for (const std::string_view bound : {"limits", "requests"}) {
    const Field field = container["resources"][bound];
    const kube::StringMap quantities = field.quantity_map();
    for (const auto& [from, to] : expectation.resource_names) {
      if (from != to && quantities.contains(from) && quantities.contains(to)) {
        field.fail("must not name both " + from + " and " + to);
      }
    }
  }
}

void check_pod_spec(const Field& spec, const TemplateExpectation& expectation) {
  const auto check = [&](const Field& container) {
    check_container(container, expectation);
    const auto name = container["name"].text();
    if (name && std::ranges::find(expectation.reserved_containers, *name) != expectation.reserved_containers.end()) {
      container["name"].fail("is reserved for Reprise");
    }
    return true;
  };
  static_cast<void>(spec["containers"].list(check));
  static_cast<void>(names_of_list(spec["initContainers"]));
  static_cast<void>(spec["initContainers"].list(check));
  static_cast<void>(spec["volumes"].list([&](const Field& volume) {
    const auto name = volume["name"].text();
    if (name && std::ranges::find(expectation.reserved_volumes, *name) != expectation.reserved_volumes.end()) {
      volume["name"].fail("is reserved for Reprise");
    }
    return true;
  }));
  static_cast<void>(spec["tolerations"].list([](const Field& toleration) {
    return toleration["key"].text().has_value() && toleration["operator"].text().has_value() &&
           toleration["effect"].text().has_value();
  }));
  static_cast<void>(spec["nodeSelector"].string_map());
  expect_object(spec["securityContext"]);
}

}  // namespace

std::expected<std::size_t, kube::DecodeError> check_template(std::string_view json,
                                                             const TemplateExpectation& expectation) {
  return kube::internal::decode_with(json, [&](const Field& root) -> std::size_t {
    static_cast<void>(root["metadata"]["labels"].string_map());
    static_cast<void>(root["metadata"]["annotations"].string_map());
    const Field spec = root["spec"];
    const Field containers = spec["containers"];
    const auto names = names_of_list(containers);
    if (names.empty()) {
      containers.fail("must list at least one container");
      return 0;
    }
    check_pod_spec(spec, expectation);
    const auto found = expectation.training_container.empty()
                           ? names.begin()
                           : std::ranges::find(names, expectation.training_container);
    if (found == names.end()) {
      containers.fail("must contain the training container \"" + std::string(expectation.training_container) + "\"");
      return 0;
    }
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (expectation.needs_command) {
      const auto commands = containers.list([](const Field& one) { return one["command"]; });
      if (index < commands.size() && commands[index].strings().empty()) {
        commands[index].fail("must be set: the agent runs it as its child and cannot see what the image would start");
      }
    }
    return index;
  });
}

}  // namespace reprise::api::internal
