#include "agent/volume/wrappers/forwarded_files.h"

namespace reprise::agent {

using runtime::Result;

Result<void> ForwardedFiles::write(const Path& path, std::string_view text, Sync sync) const {
  before_forwarding();
  return files_.write(path, text, sync);
}

Result<void> ForwardedFiles::rewrite(const Path& path, std::string_view text) const {
  before_forwarding();
  return files_.rewrite(path, text);
}

Result<void> ForwardedFiles::write_into(const Path& room, const Path& path, std::string_view text) const {
  before_forwarding();
  return files_.write_into(room, path, text);
}

Result<void> ForwardedFiles::touch(const Path& file) const {
  before_forwarding();
  return files_.touch(file);
}

Result<std::optional<std::string>> ForwardedFiles::read(const Path& path) const {
  before_forwarding();
  return files_.read(path);
}

Result<std::string> ForwardedFiles::read_range(const Path& path, std::uint64_t offset, std::size_t length) const {
  before_forwarding();
  return files_.read_range(path, offset, length);
}

Result<std::uint64_t> ForwardedFiles::read_through(const Path& path, std::uint64_t offset, std::uint64_t length,
                                                   const std::function<void(std::string_view bytes)>& take) const {
  before_forwarding();
  return files_.read_through(path, offset, length, take);
}

Result<void> ForwardedFiles::read_all(
    const std::vector<Path>& paths,
    const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const {
  before_forwarding();
  return files_.read_all(paths, take);
}

Result<std::optional<FileInfo>> ForwardedFiles::look(const Path& path, Links links) const {
  before_forwarding();
  return files_.look(path, links);
}

Result<bool> ForwardedFiles::look_below(const Path& root, const std::vector<std::string>& paths, Links links,
                                        const TakeInfo& take) const {
  before_forwarding();
  return files_.look_below(root, paths, links, take);
}

Result<void> ForwardedFiles::remove(const Path& file) const {
  before_forwarding();
  return files_.remove(file);
}

Result<void> ForwardedFiles::remove_directory(const Path& empty) const {
  before_forwarding();
  return files_.remove_directory(empty);
}

Result<void> ForwardedFiles::remove_tree(const Path& path) const {
  before_forwarding();
  return files_.remove_tree(path);
}

Result<void> ForwardedFiles::move(const Path& from, const Path& to) const {
  before_forwarding();
  return files_.move(from, to);
}

Result<std::vector<std::string>> ForwardedFiles::list(const Path& directory) const {
  before_forwarding();
  return files_.list(directory);
}

Result<std::vector<DirectoryEntry>> ForwardedFiles::list_entries(const Path& directory) const {
  before_forwarding();
  return files_.list_entries(directory);
}

Result<std::vector<EntryInfo>> ForwardedFiles::list_infos(const Path& directory, std::size_t most) const {
  before_forwarding();
  return files_.list_infos(directory, most);
}

Result<std::set<std::string>> ForwardedFiles::linked_from(const Path& root, const Path& directory, Depth depth) const {
  before_forwarding();
  return files_.linked_from(root, directory, depth);
}

Result<std::optional<VolumeFiles::Path>> ForwardedFiles::link_text(const Path& path) const {
  before_forwarding();
  return files_.link_text(path);
}

Result<void> ForwardedFiles::relink(const Path& link, const Path& text) const {
  before_forwarding();
  return files_.relink(link, text);
}

Result<Durability> ForwardedFiles::sync_volume(const Path& root, const Path& checkpoint) const {
  before_forwarding();
  return files_.sync_volume(root, checkpoint);
}

std::optional<runtime::WallTime> ForwardedFiles::oldest_birth(const Path& checkpoint) const {
  before_forwarding();
  return files_.oldest_birth(checkpoint);
}

Result<std::vector<FileBelow>> ForwardedFiles::list_below(const Path& path, std::size_t most) const {
  before_forwarding();
  return files_.list_below(path, most);
}

OpenFiles ForwardedFiles::open_for_writing(const Path& root) const {
  before_forwarding();
  return files_.open_for_writing(root);
}

VolumeAbilities ForwardedFiles::probe(const Path& directory, const std::string& name) const {
  before_forwarding();
  return files_.probe(directory, name);
}

std::int64_t ForwardedFiles::size_of(const Path& path) const {
  before_forwarding();
  return files_.size_of(path);
}

}  // namespace reprise::agent
