#include "agent/formats/structure/torch/torch_file.h"

#include "agent/formats/structure/torch/legacy_torch.h"
#include "agent/formats/structure/torch/pickle_file.h"
#include "agent/formats/structure/torch/zip_archive.h"

namespace reprise::agent {
namespace {

enum class Kind { Archive, Legacy, Pickle };

runtime::Result<Kind> kind_of(const CheckedFile& file) {
  constexpr std::size_t kLongestMark = 64;
  const auto head = file.bytes(0, kLongestMark);
  if (!head) return std::unexpected(head.error());
  if (begins_as_legacy_torch(*head)) return Kind::Legacy;
  return begins_as_pickle(*head) ? Kind::Pickle : Kind::Archive;
}

}  // namespace

Flawed check_torch_file(const CheckedFile& file) {
  const auto kind = kind_of(file);
  if (!kind) return std::unexpected(kind.error());
  switch (*kind) {
    case Kind::Archive:
      return check_zip(file);
    case Kind::Legacy:
      return check_legacy_torch(file);
    case Kind::Pickle:
      return check_pickles(file);
  }
  return std::nullopt;
}

runtime::Result<std::optional<CheckedFile>> find_saved_pickle(const CheckedFile& file) {
  constexpr std::string_view kObject = "/data.pkl";
  const auto kind = kind_of(file);
  if (!kind) return std::unexpected(kind.error());
  switch (*kind) {
    case Kind::Archive:
      return find_member(file, kObject);
    case Kind::Legacy:
      return find_legacy_object(file);
    case Kind::Pickle:
      return file;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
