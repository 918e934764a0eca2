#include "controllers/gpupool/sharing/mig_geometry.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controllers/gpupool/sharing/gpu_model_name.h"

namespace reprise::controllers::gpupool {
namespace {

// Starts on GPUs of eight memory slices: 1g, 1g with twice the memory, 2g, 3g, 4g, 7g.
constexpr std::array kOne{0, 1, 2, 3, 4, 5, 6};
constexpr std::array kOneDouble{0, 2, 4, 6};
constexpr std::array kTwo{0, 2, 4};
constexpr std::array kThree{0, 4};
constexpr std::array kStart{0};
// Starts on GPUs of four: 1g, 2g; 4g starts at 0.
constexpr std::array kOneOfFour{0, 1, 2, 3};
constexpr std::array kTwoOfFour{0, 2};

using Names = std::array<std::string_view, 6>;

MigGeometry seven(std::string_view model, std::int64_t memory_mib, const Names& names) {
  return {model,
          memory_mib,
          8,
          {{names[0], {1, kOne}},
           {names[1], {2, kOneDouble}},
           {names[2], {2, kTwo}},
           {names[3], {4, kThree}},
           {names[4], {4, kStart}},
           {names[5], {8, kStart}}}};
}

MigGeometry four(std::string_view model, std::int64_t memory_mib, const std::array<std::string_view, 3>& names) {
  return {model, memory_mib, 4, {{names[0], {1, kOneOfFour}}, {names[1], {2, kTwoOfFour}}, {names[2], {4, kStart}}}};
}

constexpr Names kOf40{"1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"};
constexpr Names kOf80{"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"};
constexpr Names kOf94{"1g.12gb", "1g.24gb", "2g.24gb", "3g.47gb", "4g.47gb", "7g.94gb"};
constexpr Names kOf96{"1g.12gb", "1g.24gb", "2g.24gb", "3g.48gb", "4g.48gb", "7g.96gb"};
constexpr Names kOf141{"1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"};
constexpr Names kOf180{"1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"};

std::int64_t gib(std::int64_t count) {
  return count * 1024;
}

std::uint32_t mask(std::int32_t start, std::int32_t size) {
  return ((1U << static_cast<unsigned>(size)) - 1U) << static_cast<unsigned>(start);
}

struct Piece {
  const MigProfile* profile;
  std::size_t at;  // in the order asked for
};

// Tries every start of each piece in turn. Pieces of one profile are alike: the later starts behind the earlier.
bool place_from(std::span<const Piece> pieces, std::uint32_t taken, std::vector<std::int32_t>& starts) {
  if (pieces.empty()) return true;
  const Piece& piece = pieces.front();
  for (const std::int32_t start : piece.profile->placement.starts) {
    const std::uint32_t wanted = mask(start, piece.profile->placement.size);
    if ((taken & wanted) != 0) continue;
    starts[piece.at] = start;
    if (place_from(pieces.subspan(1), taken | wanted, starts)) return true;
  }
  return false;
}

}  // namespace

const MigProfile* MigGeometry::find(std::string_view profile) const {
  const auto found = std::ranges::find(profiles, profile, &MigProfile::name);
  return found == profiles.end() ? nullptr : &*found;
}

const std::vector<MigGeometry>& mig_geometries() {
  static const std::vector<MigGeometry> all{
      four("a30", gib(24), {"1g.6gb", "2g.12gb", "4g.24gb"}),
      seven("a100", gib(40), kOf40),
      seven("a100", gib(80), kOf80),
      seven("h100", gib(80), kOf80),
      seven("h100", gib(94), kOf94),
      seven("h100", gib(96), kOf96),
      seven("gh200", gib(96), kOf96),
      seven("h20", gib(96), kOf96),
      seven("h200", gib(141), kOf141),
      seven("b200", gib(180), kOf180),
      four("rtx-pro-6000", gib(96), {"1g.24gb", "2g.48gb", "4g.96gb"}),         // the driver's name of it
      four("rtx-pro-server-6000", gib(96), {"1g.24gb", "2g.48gb", "4g.96gb"}),  // EC2's
  };
  return all;
}

std::vector<const MigGeometry*> mig_geometries_of(std::string_view model, std::optional<std::int64_t> memory_mib) {
  std::vector<const MigGeometry*> out;
  for (const MigGeometry& each : mig_geometries()) {
    if (!names_model(model, each.model)) continue;
    // Providers and drivers count a GPU's memory a little differently.
    const std::int64_t apart = memory_mib ? std::abs(*memory_mib - each.memory_mib) : 0;
    if (apart <= each.memory_mib / 100) out.push_back(&each);
  }
  return out;
}

std::optional<std::vector<std::int32_t>> place(const MigGeometry& gpu, std::span<const api::MigDevice> devices) {
  std::vector<Piece> pieces;
  for (const api::MigDevice& device : devices) {
    const MigProfile* profile = gpu.find(device.profile);
    if (profile == nullptr || device.count > gpu.memory_slices) return std::nullopt;
    for (std::int32_t i = 0; i < device.count; ++i) pieces.push_back({profile, pieces.size()});
  }
  if (pieces.size() > static_cast<std::size_t>(gpu.memory_slices)) return std::nullopt;
  std::vector<std::int32_t> starts(pieces.size());
  // The large ones have the fewest places.
  std::ranges::sort(pieces, {}, [](const Piece& piece) { return std::pair(-piece.profile->placement.size, piece.at); });
  if (!place_from(pieces, 0, starts)) return std::nullopt;
  return starts;
}

bool fits(const MigGeometry& gpu, std::span<const api::MigDevice> devices) {
  return place(gpu, devices).has_value();
}

std::int32_t most_of(const MigGeometry& gpu, std::string_view profile) {
  std::int32_t most = 0;
  for (std::int32_t count = 1; count <= gpu.memory_slices; ++count) {
    const api::MigDevice device{std::string(profile), count};
    if (!fits(gpu, std::span(&device, 1))) break;
    most = count;
  }
  return most;
}

std::string profiles_text(const MigGeometry& gpu) {
  std::string out;
  for (const MigProfile& each : gpu.profiles)
    out += (out.empty() ? "" : ", ") + std::to_string(most_of(gpu, each.name)) + " of " + std::string(each.name);
  return out;
}

}  // namespace reprise::controllers::gpupool
