#include "agent/check/find_checkpoints.h"

#include <algorithm>
#include <tuple>

namespace reprise::agent {
namespace {

using Path = std::filesystem::path;
using Found = std::vector<CheckedCheckpoint>;

Verdict verdict_of(const std::optional<Flaw>& flaw) {
  if (!flaw) return Verdict::Complete;
  switch (flaw->kind) {
    case FlawKind::Incomplete:
      return Verdict::Incomplete;
    case FlawKind::Corrupt:
      return Verdict::Corrupt;
  }
  return Verdict::Corrupt;
}

class Search {
 public:
  Search(const VolumeFiles& files, const Layouts& layouts) : files_(files), layouts_(layouts) {}

  runtime::Result<void> look_at(const Path& path, const Path& shown, int depth) {
    const auto info = files_.look(path, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind == FileInfo::Kind::Other) return {};
    CheckpointContents contents{.files = files_, .path = path, .name = path.filename().string(), .itself = **info};
    if ((*info)->kind == FileInfo::Kind::Directory) {
      auto entries = entries_of(files_, path);
      if (!entries && entries.error().error_class == runtime::ErrorClass::Forbidden) return {};
      if (!entries) return std::unexpected(entries.error());
      contents.entries = std::move(*entries);
    }
    if (const auto judged = judge(contents, shown); !judged || *judged)
      return judged ? runtime::Result<void>{} : std::unexpected(judged.error());
    if ((*info)->kind != FileInfo::Kind::Directory || depth == kDeepest) return {};
    for (const auto& [name, entry] : contents.entries) {
      if (name.starts_with('.')) continue;
      if (auto looked = look_at(path / name, shown / name, depth + 1); !looked) return looked;
    }
    return {};
  }

  Found take() {
    std::ranges::sort(found_,
                      [](const auto& a, const auto& b) { return std::tie(b.step, a.path) < std::tie(a.step, b.path); });
    return std::move(found_);
  }

 private:
  // Whether it is a checkpoint.
  runtime::Result<bool> judge(const CheckpointContents& contents, const Path& shown) {
    for (const auto& layout : layouts_) {
      const auto step = layout->recognise(contents);
      if (!step) continue;
      const auto judged = layout->judge(contents);
      if (!judged) return std::unexpected(judged.error());
      found_.push_back({.path = shown.empty() ? "." : shown.string(),
                        .step = *step,
                        .format = std::string(layout->name()),
                        .bytes = files_.size_of(contents.path),
                        .time = judged->flaw ? contents.itself.modified : judged->completed,
                        .verdict = verdict_of(judged->flaw),
                        .reason = judged->flaw ? judged->flaw->reason : std::string{}});
      return true;
    }
    return false;
  }

  const VolumeFiles& files_;
  const Layouts& layouts_;
  Found found_;
};

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Complete:
      return "Complete";
    case Verdict::Incomplete:
      return "Incomplete";
    case Verdict::Corrupt:
      return "Corrupt";
  }
  return "";
}

runtime::Result<std::vector<CheckedCheckpoint>> find_checkpoints(const VolumeFiles& files, const Layouts& layouts,
                                                                 const Path& root) {
  const auto info = files.look(root, Links::Follow);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::Directory)
    return runtime::fail(runtime::ErrorClass::Invalid, root.string() + ": is not a directory");
  Search search(files, layouts);
  std::error_code problem;
  const Path whole = std::filesystem::weakly_canonical(root, problem);
  if (problem)
    return runtime::fail(runtime::ErrorClass::Terminal, root.string() + ": cannot be looked at: " + problem.message());
  if (auto looked = search.look_at(whole, {}, 0); !looked) return std::unexpected(looked.error());
  return search.take();
}

}  // namespace reprise::agent
