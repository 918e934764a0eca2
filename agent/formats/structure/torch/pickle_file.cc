#include "agent/formats/structure/torch/pickle_file.h"

#include <cstdint>

#include "agent/formats/structure/torch/thin_pickle.h"

namespace reprise::agent {
namespace {

constexpr int kMostPickles = 256;
constexpr std::uint64_t kMostOfSmallPickle = std::uint64_t{1} << 20U, kMostOfPickle = std::uint64_t{16} << 20U;

}  // namespace

bool begins_as_pickle(std::string_view head) {
  constexpr unsigned char kProtocol = 0x80, kFirst = 2, kLast = 5;
  if (head.size() < 2 || static_cast<unsigned char>(head[0]) != kProtocol) return false;
  return head[1] >= kFirst && head[1] <= kLast;
}

// Small files are walked through even where the last byte is right.
Flawed check_pickles(const CheckedFile& file) {
  constexpr std::string_view kStop = ".";
  const auto last = file.bytes(file.size - 1, 1);
  if (!last) return std::unexpected(last.error());
  if (*last == kStop && file.size > kMostOfSmallPickle) return std::nullopt;
  CheckedFile rest = file;
  for (int walked = 0; walked < kMostPickles; ++walked) {
    const auto end = find_pickle_end(rest, kMostOfPickle);
    if (!end) return std::unexpected(end.error());
    if (end->is == PickleEnd::Is::CutOff) return corrupt(file.name + ": ends before its pickle does: it was cut off");
    if (end->is == PickleEnd::Is::NotKnown || end->at >= rest.size) return std::nullopt;
    rest.begin += end->at;
    rest.size -= end->at;
    const auto head = rest.bytes(0, 2);
    if (!head) return std::unexpected(head.error());
    if (!begins_as_pickle(*head)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace reprise::agent
