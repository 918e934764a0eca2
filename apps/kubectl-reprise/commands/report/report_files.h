// Collects the files of a support bundle, redacted, and the list of them. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/kubectl-reprise/commands/report/archive.h"
#include "apps/kubectl-reprise/terminal/json.h"
#include "runtime/base/error.h"

namespace reprise::plugin {

class Bundle {
 public:
  // `folder`: holds all files.
  explicit Bundle(std::string folder) : folder_(std::move(folder)) {}
  // Every object goes through redacted(), every text through redacted_text().
  void add_objects(const std::string& name, const std::vector<Json>& objects);
  void add_text(const std::string& name, const std::string& text);
  // Notes a file that could not be had, and why.
  void lack(const std::string& name, const runtime::Error& error);
  // The files with INDEX.txt in front, which lists the content of the bundle, missing files and removed parts.
  [[nodiscard]] std::vector<ArchivedFile> files() const;
  [[nodiscard]] std::string index() const;
  // The first error when no kind of object could be read; nullptr: some were.
  [[nodiscard]] const runtime::Error* why_empty() const { return has_objects_ || !lack_ ? nullptr : &*lack_; }

 private:
  struct Entry {
    std::string name, what;
  };
  std::string folder_;
  std::vector<ArchivedFile> files_;
  std::vector<Entry> entries_, lacking_;
  bool has_objects_ = false;
  std::optional<runtime::Error> lack_;  // the first
};

}  // namespace reprise::plugin
