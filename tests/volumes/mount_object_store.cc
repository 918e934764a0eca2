// Mounts a played object store (object_store.h) until it is unmounted or killed.
// usage: mount_object_store KIND BUCKET MOUNTPOINT LOG UPLOAD_MILLISECONDS [allow-overwrite] [allow-delete]
#define FUSE_USE_VERSION 35
#include <fuse.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/volumes/object_store.h"

namespace {

using reprise::volumes::ObjectStore;
using reprise::volumes::Options;
using reprise::volumes::Ways;

ObjectStore& store() {
  return *static_cast<ObjectStore*>(fuse_get_context()->private_data);
}

int open_file(const char* path, fuse_file_info& file, int flags) {
  return store().open(path, flags, fuse_get_context()->pid, file.fh);
}

void* start(fuse_conn_info* /*connection*/, fuse_config* config) {
  config->direct_io = 1;  // the kernel keeps nothing of it
  config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
  // Its thread must be made here: fuse_main() has changed the process by now.
  return new ObjectStore(*static_cast<Options*>(fuse_get_context()->private_data));  // for as long as it is mounted
}

int fill_names(const char* path, void* buffer, fuse_fill_dir_t fill, off_t /*from*/, fuse_file_info* /*file*/,
               fuse_readdir_flags /*flags*/) {
  std::vector<std::string> names;
  const int problem = store().list(path, names);
  for (const std::string& name : names) fill(buffer, name.c_str(), nullptr, 0, fuse_fill_dir_flags{});
  return problem;
}

int read_bytes(const char* path, char* buffer, std::size_t size, off_t offset, fuse_file_info* /*file*/) {
  std::string bytes(size, '\0');
  const int count = store().read(path, static_cast<std::size_t>(offset), bytes);
  bytes.copy(buffer, bytes.size());
  return count;
}

// chmod, chown, symlink and the rest are refused by being absent.
fuse_operations operations(Ways ways) {
  fuse_operations all{};
  all.init = start;
  all.getattr = [](const char* path, struct stat* info, fuse_file_info*) { return store().look(path, *info); };
  all.readdir = fill_names;
  all.create = [](const char* path, mode_t, fuse_file_info* file) {
    return open_file(path, *file, file->flags | O_CREAT);
  };
  all.open = [](const char* path, fuse_file_info* file) { return open_file(path, *file, file->flags); };
  all.read = read_bytes;
  all.write = [](const char* path, const char* bytes, std::size_t size, off_t offset, fuse_file_info*) {
    return store().write(path, static_cast<std::size_t>(offset), {bytes, size});
  };
  all.fsync = [](const char* path, int, fuse_file_info*) { return store().sync(path); };
  all.flush = [](const char* path, fuse_file_info* file) {
    return store().flush(path, file->fh, fuse_get_context()->pid);
  };
  all.release = [](const char* path, fuse_file_info* file) {
    store().release(path, file->fh);
    return 0;
  };
  all.rename = [](const char* from, const char* to, unsigned) { return store().rename(from, to); };
  all.unlink = [](const char* path) { return store().remove(path); };
  all.mkdir = [](const char* path, mode_t) { return store().make_directory(path); };
  all.rmdir = [](const char* path) { return store().remove_directory(path); };
  if (ways != Ways::Mountpoint) {
    all.truncate = [](const char* path, off_t size, fuse_file_info*) {
      return store().truncate(path, static_cast<std::size_t>(size));
    };
    all.utimens = [](const char*, const timespec*, fuse_file_info*) { return 0; };
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) {
    std::fputs(
        "usage: mount_object_store KIND BUCKET MOUNTPOINT LOG UPLOAD_MILLISECONDS [allow-overwrite] [allow-delete]\n",
        stderr);
    return 2;
  }
  Options options{.ways = words[0] == "mountpoint-s3" ? Ways::Mountpoint
                          : words[0] == "gcsfuse"     ? Ways::Gcsfuse
                                                      : Ways::WriteBack,
                  .bucket = std::filesystem::absolute(words[1]),
                  .log = std::filesystem::absolute(words[3]),
                  .upload = std::chrono::milliseconds(std::stoi(words[4]))};
  for (const std::string& word : words) {
    options.overwrite = options.overwrite || word == "allow-overwrite";
    options.remove = options.remove || word == "allow-delete";
  }
  // Each kind of mount shows itself differently: one by its source alone, the others by their type.
  std::string shown = "fsname=mountpoint-s3";
  if (options.ways == Ways::Gcsfuse) shown = "fsname=bucket,subtype=gcsfuse";
  if (options.ways == Ways::WriteBack) shown = "fsname=bucket,subtype=s3fs";
  std::string program = "mount_object_store", foreground = "-f", how = "-o", mountpoint = words[2];
  char* arguments[] = {program.data(), foreground.data(), how.data(), shown.data(), mountpoint.data()};
  const fuse_operations does = operations(options.ways);
  return fuse_main(static_cast<int>(std::size(arguments)), arguments, &does, &options);
}
