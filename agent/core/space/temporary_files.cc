#include "agent/core/space/temporary_files.h"

#include "agent/volume/posix_files.h"

namespace reprise::agent {

// Temporary files in the directories of attempts go with these (former_attempts.h).
void remove_temporary_files(const Volume& volume, const std::string& own_pod_uid,
                            const std::function<bool()>& may_write) {
  const VolumeLayout& layout = volume.layout;
  for (const auto& directory : {layout.own(), layout.made(), layout.set_aside()}) {
    const auto names = volume.files.list(directory);
    if (!names) continue;
    for (const std::string& name : *names)
      if (is_temporary(name) && !is_temporary_of(name, own_pod_uid) && may_write())
        static_cast<void>(volume.files.remove(directory / name));
  }
}

}  // namespace reprise::agent
