#include "runtime/kube/object_reader.h"

#include "runtime/kube/internal/meta_fields.h"

namespace reprise::kube {

using internal::Field;

struct ObjectReader::Document {
  internal::Trail trail;
  std::optional<Field> root;  // empty: the text is no JSON
  std::optional<DecodeError> unreadable;

  // The field at `path`; nothing when the text is no JSON.
  [[nodiscard]] std::optional<Field> at(std::string_view path) const {
    std::optional<Field> field = root;
    while (field && !path.empty()) {
      const std::size_t dot = path.find('.');
      field = (*field)[path.substr(0, dot)];
      path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return field;
  }
};

ObjectReader::ObjectReader(std::string_view json) : document_(std::make_unique<Document>()) {
  const auto root = internal::open_document(json);
  if (!root) {
    document_->unreadable = root.error();
    return;
  }
  document_->root.emplace(document_->trail, *root);
  if (!root->is_object()) document_->root->fail("must be an object");
}

ObjectReader::~ObjectReader() = default;

ObjectMeta ObjectReader::meta() const {
  return document_->root ? internal::read_meta(*document_->root) : ObjectMeta{};
}

std::optional<std::string> ObjectReader::text(std::string_view path) const {
  const auto field = document_->at(path);
  return field ? field->text() : std::nullopt;
}

std::optional<std::int64_t> ObjectReader::integer(std::string_view path) const {
  const auto field = document_->at(path);
  return field ? field->int64() : std::nullopt;
}

std::optional<bool> ObjectReader::boolean(std::string_view path) const {
  const auto field = document_->at(path);
  return field ? field->boolean() : std::nullopt;
}

std::optional<Time> ObjectReader::time(std::string_view path) const {
  const auto field = document_->at(path);
  return field ? field->time() : std::nullopt;
}

StringMap ObjectReader::string_map(std::string_view path) const {
  const auto field = document_->at(path);
  return field ? field->string_map() : StringMap{};
}

std::vector<std::string> ObjectReader::strings(std::string_view path) const {
  const auto field = document_->at(path);
  return field ? field->strings() : std::vector<std::string>{};
}

std::vector<Condition> ObjectReader::conditions(std::string_view path) const {
  const auto field = document_->at(path);
  if (!field) return {};
  return field->list([](const Field& item) { return internal::In::read<Condition>(item); });
}

std::optional<DecodeError> ObjectReader::error() const {
  if (document_->unreadable) return document_->unreadable;
  return document_->trail.failed() ? std::optional(document_->trail.error()) : std::nullopt;
}

}  // namespace reprise::kube
