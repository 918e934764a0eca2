// Records of the store in which Orbax keeps arrays: as they are, and with a head and a sum that are right.
#include "agent/formats/structure/arrays/ocdbt.h"
#include "agent/formats/structure/arrays/ocdbt_samples.h"
#include "tests/fuzz/invariant.h"

namespace {

using namespace reprise::agent;  // NOLINT(google-build-using-namespace)
using reprise::fuzz::invariant;

void check(const std::vector<OcdbtFile>& files, const std::vector<OcdbtPiece>& pieces) {
  for (const OcdbtPiece& piece : pieces) {
    invariant(piece.file < files.size(), "a piece lies in a file that is named");
    invariant(piece.end() >= piece.offset, "a piece does not overflow");
  }
  for (const auto& [path, shared] : files) {
    const bool leads_out = path.starts_with('/') || path == ".." || path.starts_with("../") || path.contains("/../");
    invariant(!leads_out && !path.contains('\0'), "no path leads out of the store, or ends before");
    invariant(shared <= path.size(), "what it shares is a part of it");
  }
}

void read(std::string_view manifest, std::string_view node) {
  if (const auto root = read_ocdbt_manifest(manifest); root && root->node) check(root->files, {*root->node});
  if (const auto found = read_ocdbt_node(node, "process_0/")) {
    check(found->files, found->children);
    check(found->files, found->values);
    invariant(found->children.empty() || found->values.empty(), "a node has the one or the other");
    invariant(found->height == 0 || found->values.empty(), "values lie below leaves");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = reprise::fuzz::text_of(data, size);
  read(text, text);
  for (const std::uint64_t packed : {std::uint64_t{0}, std::uint64_t{1}})
    read(samples::ocdbt_record(samples::kOcdbtManifestMagic, text, packed),
         samples::ocdbt_record(samples::kOcdbtNodeMagic, text, packed));
  return 0;
}
