#include "agent/core/trackers/link_end.h"

#include <deque>

#include "agent/core/trackers/unfit_checkpoints.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;

class LinkWalk {
 public:
  LinkWalk(const Volume& volume, const std::string& link) : volume_(volume), root_(volume.layout.root) {
    at_ = (root_ / link).parent_path();
  }

  LinkEnd along(const fs::path& text) {
    begin(text);
    LinkEnd end;
    while (!left_.empty()) {
      const fs::path part = std::move(left_.front());
      left_.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        if (auto left = path_below(root_, at_)) end.through.push_back(*std::move(left));
        at_ = at_.parent_path();
        continue;
      }
      at_ /= part;
      if (!is_last() && path_below(root_, at_)) follow_link();
    }
    end.to = path_below(root_, at_);
    return end;
  }

 private:
  void begin(const fs::path& text) {
    if (text.is_absolute()) at_ = text.root_path();
    std::deque<fs::path> parts;
    for (const fs::path& part : text.relative_path()) parts.push_back(part);
    left_.insert(left_.begin(), parts.begin(), parts.end());
  }
  [[nodiscard]] bool is_last() const {
    for (const fs::path& part : left_)
      if (!part.empty() && part != ".") return false;
    return true;
  }
  void follow_link() {
    constexpr int kMostLinks = 40;  // as Linux follows
    if (links_ >= kMostLinks) return;
    const auto text = volume_.files.link_text(at_);
    if (!text || !*text) return;
    ++links_;
    at_ = at_.parent_path();
    begin(**text);
  }

  const Volume& volume_;
  const fs::path& root_;
  fs::path at_;
  std::deque<fs::path> left_;
  int links_ = 0;
};

}  // namespace

LinkEnd end_of_link(const Volume& volume, const std::string& link, const fs::path& text) {
  return LinkWalk(volume, link).along(text);
}

}  // namespace reprise::agent
