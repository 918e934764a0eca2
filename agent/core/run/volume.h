// The checkpoint volume as one agent sees it: where it is, how to write to it, how its checkpoints look.
// Shared by the threads that work on it; nothing here changes after construction but what has been read of it.
#pragma once

#include <memory>

#include "agent/core/aside/set_aside.h"
#include "agent/core/aside/volume_findings.h"
#include "agent/core/unreadable/lost_texts.h"
#include "agent/formats/recognise/checkpoint_format.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {

class KnownSaves;  // generations/halves/known_saves.h
[[nodiscard]] std::shared_ptr<KnownSaves> make_known_saves();
class Proofs;  // proofs/proofs.h
[[nodiscard]] std::shared_ptr<Proofs> make_proofs();

struct Volume {
  Volume(std::filesystem::path root, std::unique_ptr<CheckpointFormat> its_format,
         std::unique_ptr<const VolumeFiles> its_files)
      : own_files(std::move(its_files)),
        files(*own_files),
        layout{.root = std::move(root)},
        format(std::move(its_format)) {}

  // The same volume, asked by way of `its_files`; what is known of it is shared. `its_files` outlives it.
  Volume(const Volume& same, const VolumeFiles& its_files)
      : files(its_files),
        layout(same.layout),
        format(same.format),
        set_aside(same.set_aside),
        known_saves(same.known_saves),
        proofs(same.proofs),
        lost_texts(same.lost_texts),
        findings(same.findings) {}

  [[nodiscard]] runtime::Result<Checkpoints> scan() const {
    auto found = scan_all();
    return found ? format->certain(*std::move(found)) : std::move(found);
  }
  // Also what may be none. What is set aside where it lies is not among them.
  [[nodiscard]] runtime::Result<Checkpoints> scan_all() const;

  std::unique_ptr<const VolumeFiles> own_files{};
  const VolumeFiles& files;
  VolumeLayout layout;
  std::shared_ptr<CheckpointFormat> format;
  std::shared_ptr<SetAside> set_aside = std::make_shared<SetAside>();
  std::shared_ptr<KnownSaves> known_saves = make_known_saves();
  std::shared_ptr<Proofs> proofs = make_proofs();
  std::shared_ptr<LostTexts> lost_texts = make_lost_texts();
  std::shared_ptr<VolumeFindings> findings = std::make_shared<VolumeFindings>();
};

}  // namespace reprise::agent
