#include "api/internal/schema_for_tests.h"

namespace reprise::api::internal {
namespace {

class Comparison {
 public:
  explicit Comparison(const std::set<std::string>& not_read) : not_read_(not_read), unmet_(not_read) {}

  void compare(const Json::Value& described, const Json::Value& crd, const std::string& path) {
    for (const char* const word : {"type", "format"}) {
      const std::string ours = described[word].asString(), theirs = crd[word].asString();
      if (ours != theirs) differ(path, word, ours, theirs);
    }
    if (described.isMember("enum")) {
      const std::string ours = sorted(described["enum"]), theirs = sorted(crd["enum"]);
      if (ours != theirs) differ(path, "enum", ours, theirs);
    }
    if (described.isMember("x-verbatim")) return;
    for (const char* const below : {"items", "additionalProperties"}) {
      if (described.isMember(below) != crd.isMember(below)) {
        differ(path, below, described.isMember(below) ? "there" : "", crd.isMember(below) ? "there" : "");
      } else if (described.isMember(below)) {
        compare(described[below], crd[below], path + "[]");
      }
    }
    compare_properties(described["properties"], crd["properties"], path);
  }
  [[nodiscard]] std::vector<std::string> take() && {
    for (const std::string& path : unmet_) found_.push_back(path + ": listed as not read, and not in the CRD");
    return std::move(found_);
  }

 private:
  void compare_properties(const Json::Value& described, const Json::Value& crd, const std::string& path) {
    const auto inside = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
    for (const std::string& name : described.getMemberNames()) {
      const std::string here = inside(name);
      if (unmet_.erase(here) != 0) found_.push_back(here + ": listed as not read, and described");
      if (crd.isMember(name)) {
        compare(described[name], crd[name], here);
      } else {
        found_.push_back(here + ": described, and not in the CRD");
      }
    }
    for (const std::string& name : crd.getMemberNames()) {
      if (described.isMember(name)) continue;
      if (not_read_.contains(inside(name))) {
        unmet_.erase(inside(name));
      } else {
        found_.push_back(inside(name) + ": in the CRD, neither described nor listed as not read");
      }
    }
  }
  void differ(const std::string& path, const std::string& word, const std::string& ours, const std::string& theirs) {
    found_.push_back(path + ": " + word + " is \"" + ours + "\" by the description and \"" + theirs + "\" by the CRD");
  }
  static std::string sorted(const Json::Value& words) {
    std::set<std::string> all;
    for (const Json::Value& word : words) all.insert(word.asString());
    std::string text;
    for (const std::string& word : all) text.append(text.empty() ? "" : " ").append(word);
    return text;
  }

  const std::set<std::string>& not_read_;
  std::set<std::string> unmet_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> schema_differences(const Json::Value& described, const Json::Value& crd,
                                            const std::set<std::string>& not_read) {
  Comparison comparison(not_read);
  comparison.compare(described, crd, "");
  return std::move(comparison).take();
}

}  // namespace reprise::api::internal
