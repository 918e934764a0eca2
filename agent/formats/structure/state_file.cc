#include "agent/formats/structure/state_file.h"

#include <algorithm>
#include <array>
#include <string>

#include "agent/formats/structure/arrays/hdf5_file.h"
#include "agent/formats/structure/arrays/npy_file.h"
#include "agent/formats/structure/arrays/safetensors.h"
#include "agent/formats/structure/torch/legacy_torch.h"
#include "agent/formats/structure/torch/pickle_file.h"
#include "agent/formats/structure/torch/zip_archive.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 15> kStateEndings{".pt",  ".pth",  ".pt.tar", ".pth.tar",     ".ckpt",
                                                         ".bin", ".pkl",  ".pickle", ".npz",         ".npy",
                                                         ".h5",  ".hdf5", ".keras",  ".safetensors", ".msgpack"};
constexpr std::size_t kFirstBytes = 64;

std::string in_small_letters(std::string_view name) {
  std::string small(name);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return small;
}

bool ends_with_any(std::string_view name, const auto& endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(name[at - 1])) && (end == name.size() || !is_letter(name[end]))) return true;
  }
  return false;
}

// Arrays of no elements are files of no bytes ("positions.bin"); what a library saves never is.
bool may_have_no_bytes(std::string_view name) {
  constexpr std::array<std::string_view, 4> kSaved{"model", "optimizer", "scheduler", "adapter"};
  if (!name.ends_with(".bin")) return false;
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return std::ranges::none_of(kSaved, [&](std::string_view word) { return has_word(last, word); });
}

// True for bytes that lie behind a power loss where blocks were promised and never written.
bool is_hole(std::string_view head) {
  return head.find_first_not_of('\0') == std::string_view::npos;
}

// Cut off within the mark at its begin.
bool begins_to_begin(std::string_view head) {
  constexpr std::array<std::string_view, 4> kMarks{
      {{"PK\x03\x04", 4}, {"\x89HDF\r\n\x1a\n", 8}, {"\x93NUMPY", 6}, {"\x80\x02", 2}}};
  return std::ranges::any_of(
      kMarks, [&](std::string_view mark) { return head.size() < mark.size() && mark.starts_with(head); });
}

}  // namespace

bool is_named_as_state(std::string_view name) {
  return ends_with_any(in_small_letters(name), kStateEndings);
}

Flawed check_state_file(const CheckedFile& file) {
  constexpr std::array<std::string_view, 4> kNeverZeros{".pt", ".pth", ".ckpt", ".pkl"};
  const std::string name = in_small_letters(file.name);
  if (file.size == 0) return may_have_no_bytes(name) ? Flawed{std::nullopt} : incomplete(file.name + ": is empty");
  const auto head = file.bytes(0, kFirstBytes);
  if (!head) return std::unexpected(head.error());
  if (head->empty()) return incomplete(file.name + ": became shorter meanwhile");
  if (begins_to_begin(*head)) return corrupt(file.name + ": ends within its first bytes: it was cut off");
  if (name.ends_with(".safetensors")) return check_safetensors(file);
  if (head->starts_with("PK\x03\x04")) return check_zip(file);
  if (begins_as_hdf5(*head)) return check_hdf5(file);
  if (begins_as_npy(*head)) return check_npy(file);
  if (begins_as_legacy_torch(*head)) return check_legacy_torch(file);
  if (begins_as_pickle(*head)) return check_pickles(file);
  if (is_hole(*head) && ends_with_any(name, kNeverZeros)) return corrupt(file.name + ": begins with zeros");
  return std::nullopt;
}

}  // namespace reprise::agent
