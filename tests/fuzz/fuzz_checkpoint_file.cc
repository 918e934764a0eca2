// Files of checkpoints as anybody may have left them: archives of torch.save, safetensors, pickles, HDF5, maps of Flax,
// lists of sums.
#include "agent/formats/structure/arrays/msgpack_map.h"
#include "agent/formats/structure/arrays/safetensors.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/structure/sum_list.h"
#include "agent/formats/structure/torch/zip_archive.h"
#include "tests/fuzz/invariant.h"

namespace {

using namespace reprise::agent;  // NOLINT(google-build-using-namespace)
using reprise::runtime::Result;

// A volume with one file, that can only be read.
class OneFile final : public VolumeFiles {
 public:
  explicit OneFile(std::string_view bytes) : bytes_(bytes) {}
  Result<void> write(const Path&, std::string_view, Sync) const override { return {}; }
  Result<std::optional<std::string>> read(const Path&) const override { return std::string(bytes_); }
  Result<std::string> read_range(const Path&, std::uint64_t offset, std::size_t length) const override {
    if (offset >= bytes_.size()) return std::string();
    return std::string(bytes_.substr(static_cast<std::size_t>(offset), length));
  }
  Result<void> read_all(const std::vector<Path>&,
                        const std::function<void(std::size_t, const std::optional<std::string>&)>&) const override {
    return {};
  }
  Result<std::optional<FileInfo>> look(const Path&, Links) const override { return std::nullopt; }
  Result<void> remove(const Path&) const override { return {}; }
  Result<void> remove_directory(const Path&) const override { return {}; }
  Result<void> remove_tree(const Path&) const override { return {}; }
  Result<void> move(const Path&, const Path&) const override { return {}; }
  Result<std::vector<std::string>> list(const Path&) const override { return std::vector<std::string>(); }
  Result<std::set<std::string>> linked_from(const Path&, const Path&, Depth) const override {
    return std::set<std::string>();
  }
  Result<Durability> sync_volume(const Path&, const Path&) const override { return Durability::Proven; }
  std::int64_t size_of(const Path&) const override { return 0; }

 private:
  std::string_view bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const OneFile files(reprise::fuzz::text_of(data, size));
  const CheckedFile file{.files = files, .path = "file", .name = "file", .size = size};
  const auto structure = check_zip(file), sums = check_zip_sums(file);
  reprise::fuzz::invariant(structure && sums, "what can be read is judged");
  reprise::fuzz::invariant(!*structure || *sums, "what is torn has no right sums");
  reprise::fuzz::invariant(find_member(file, "data.pkl").has_value(), "a member that is not there is no error");
  reprise::fuzz::invariant(check_safetensors(file).has_value(), "what can be read is judged");
  for (const char* name : {"a.pt", "a.pkl", "a.npy", "a.h5", "a.bin"}) {
    CheckedFile named = file;
    named.name = name;
    reprise::fuzz::invariant(check_state_file(named).has_value(), "whatever a file is called, it is judged");
  }
  const auto map = read_msgpack_map(file);
  reprise::fuzz::invariant(map && map->keys.size() <= size, "each key of a map has a byte");
  const auto list = read_sum_list(file);
  reprise::fuzz::invariant(list && (list->flaw || !list->sums.empty()), "a list without a flaw names something");
  for (const auto& [path, sum] : list->sums) {
    const bool leads_out = path.starts_with('/') || path == ".." || path.starts_with("../");
    reprise::fuzz::invariant(!leads_out && !path.contains('\0'), "no path leads out of the checkpoint, or ends before");
    reprise::fuzz::invariant(sum.size() == 64, "a sum is a sum");
  }
  return 0;
}
