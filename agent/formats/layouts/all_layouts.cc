#include "agent/formats/layouts/all_layouts.h"

#include <algorithm>

#include "agent/formats/layouts/deepspeed/deepspeed.h"
#include "agent/formats/layouts/hugging_face/hugging_face.h"
#include "agent/formats/layouts/lightning/lightning.h"
#include "agent/formats/layouts/marked/manifest.h"
#include "agent/formats/layouts/marked/marker.h"
#include "agent/formats/layouts/megatron/megatron.h"
#include "agent/formats/layouts/orbax/orbax.h"
#include "agent/formats/layouts/plain/plain.h"
#include "agent/formats/layouts/pytorch_dcp/dcp_safetensors.h"
#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"

namespace reprise::agent {
namespace {

// Marker takes what only looks like a checkpoint, so it comes last; Lightning's and Megatron's directories hold
// PyTorch's.
// `named`: by the user, who asks for one of them.
Layouts all(bool named) {
  Layouts layouts;
  layouts.push_back(std::make_unique<HuggingFaceLayout>());
  layouts.push_back(std::make_unique<LightningLayout>());
  layouts.push_back(std::make_unique<DeepSpeedLayout>());
  layouts.push_back(std::make_unique<MegatronLayout>());
  layouts.push_back(std::make_unique<PyTorchDcpLayout>());
  layouts.push_back(std::make_unique<DcpSafetensorsLayout>(named ? DcpSafetensorsLayout::Takes::Named
                                                                 : DcpSafetensorsLayout::Takes::Exports));
  layouts.push_back(std::make_unique<OrbaxLayout>(named ? OrbaxLayout::Takes::Named : OrbaxLayout::Takes::Marked));
  layouts.push_back(
      std::make_unique<ManifestLayout>(named ? ManifestLayout::Takes::Named : ManifestLayout::Takes::Listed));
  layouts.push_back(std::make_unique<PlainLayout>(named ? PlainLayout::Takes::Directories : PlainLayout::Takes::Files));
  layouts.push_back(std::make_unique<MarkerLayout>());
  return layouts;
}

}  // namespace

runtime::Result<Layouts> layouts_named(std::string_view format, HeldParts held) {
  Layouts layouts = all(format != "Auto");
  for (const auto& each : layouts) each->is_held_as(held);
  if (format == "Auto") return layouts;
  std::string known = "Auto";
  for (std::string_view last; const auto& each : layouts) {
    if (each->name() == last) continue;
    last = each->name();
    known += ", " + std::string(last);
  }
  std::erase_if(layouts, [&](const auto& each) { return each->name() != format; });
  if (!layouts.empty()) return layouts;
  return runtime::fail(runtime::ErrorClass::Invalid, "found \"" + std::string(format) + "\", allowed: " + known);
}

}  // namespace reprise::agent
