// What a scan of a modelled volume finds: as agent/volume.h reads a real one.
#pragma once

#include "agent/checkpoint.h"
#include "simulator/actors/storage/volumes.h"

namespace reprise::simulator {

// Newest first; without what is set aside.
[[nodiscard]] agent::Checkpoints scan(const EventLoop& loop, const Disk& disk);

}  // namespace reprise::simulator
