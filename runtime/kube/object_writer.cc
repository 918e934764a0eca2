#include "runtime/kube/object_writer.h"

#include <utility>

#include "runtime/kube/internal/meta_fields.h"

namespace reprise::kube {

struct ObjectWriter::Tree {
  void put(std::string_view path, Json::Value value) { at(path) = std::move(value); }
  Json::Value& at(std::string_view path) {
    Json::Value* here = &root;
    while (true) {
      const std::size_t dot = path.find('.');
      here = &(*here)[std::string(path.substr(0, dot))];
      if (dot == std::string_view::npos) break;
      path.remove_prefix(dot + 1);
    }
    return *here;
  }
  Json::Value root{Json::objectValue};
};

ObjectWriter::ObjectWriter() : tree_(std::make_unique<Tree>()) {}

ObjectWriter::ObjectWriter(const KindInfo& kind, const ObjectMeta& meta) : ObjectWriter() {
  tree_->root = internal::start_object(kind, meta);
}

ObjectWriter::~ObjectWriter() = default;

ObjectWriter& ObjectWriter::text(std::string_view path, std::string_view value) {
  tree_->put(path, std::string(value));
  return *this;
}

ObjectWriter& ObjectWriter::integer(std::string_view path, std::int64_t value) {
  tree_->put(path, static_cast<Json::Int64>(value));
  return *this;
}

ObjectWriter& ObjectWriter::boolean(std::string_view path, bool value) {
  tree_->put(path, value);
  return *this;
}

ObjectWriter& ObjectWriter::time(std::string_view path, Time value) {
  tree_->put(path, format_time(value));
  return *this;
}

ObjectWriter& ObjectWriter::string_map(std::string_view path, const StringMap& value) {
  tree_->put(path, internal::to_tree(value));
  return *this;
}

ObjectWriter& ObjectWriter::entry(std::string_view path, std::string_view key,
                                  const std::optional<std::string>& value) {
  tree_->at(path)[std::string(key)] = value ? Json::Value(*value) : Json::Value();
  return *this;
}

ObjectWriter& ObjectWriter::strings(std::string_view path, const std::vector<std::string>& value) {
  Json::Value list(Json::arrayValue);
  for (const std::string& item : value) list.append(item);
  tree_->put(path, std::move(list));
  return *this;
}

ObjectWriter& ObjectWriter::conditions(std::string_view path, const std::vector<Condition>& value) {
  Json::Value list(Json::arrayValue);
  for (const Condition& item : value) list.append(internal::Out::write(item, internal::Absent::LeaveOut));
  tree_->put(path, std::move(list));
  return *this;
}

ObjectWriter& ObjectWriter::null(std::string_view path) {
  tree_->put(path, Json::Value());
  return *this;
}

std::string ObjectWriter::json() const {
  return internal::to_text(tree_->root);
}

}  // namespace reprise::kube
