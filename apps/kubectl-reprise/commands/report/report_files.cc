#include "apps/kubectl-reprise/commands/report/report_files.h"

#include <algorithm>

#include "apps/kubectl-reprise/commands/report/redact.h"

namespace reprise::plugin {

void Bundle::add_objects(const std::string& name, const std::vector<Json>& objects) {
  has_objects_ = true;
  boost::json::array safe;
  for (const Json& each : objects) safe.push_back(redacted(each));
  files_.push_back({folder_ + "/" + name, json_text(safe)});
  entries_.push_back({name, std::to_string(objects.size()) + (objects.size() == 1 ? " object" : " objects")});
}

void Bundle::add_text(const std::string& name, const std::string& text) {
  std::string safe = redacted_text(text);
  const auto lines = std::ranges::count(safe, '\n');
  files_.push_back({folder_ + "/" + name, std::move(safe)});
  entries_.push_back({name, std::to_string(lines) + (lines == 1 ? " line" : " lines")});
}

void Bundle::lack(const std::string& name, const runtime::Error& error) {
  if (!lack_) lack_ = error;
  lacking_.push_back({name, redacted_text(error.message)});
}

std::string Bundle::index() const {
  std::string text =
      "Taken out everywhere: values of environment variables, copies of manifests, compressed texts, managedFields,\n"
      "and what looks like a token, a key or a password, also in JSON inside of texts. Nothing was read of Secrets, "
      "of\n"
      "ConfigMaps or of the trainers' logs. Look through it all the same before you hand it on.\n\nIn it:\n";
  for (const Entry& each : entries_) text += "  " + each.name + ": " + each.what + "\n";
  if (!lacking_.empty()) text += "\nNot in it:\n";
  for (const Entry& each : lacking_) text += "  " + each.name + ": " + each.what + "\n";
  return text;
}

std::vector<ArchivedFile> Bundle::files() const {
  std::vector<ArchivedFile> all = {{folder_ + "/INDEX.txt", index()}};
  all.insert(all.end(), files_.begin(), files_.end());
  return all;
}

}  // namespace reprise::plugin
