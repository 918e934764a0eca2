#include "agent/formats/layouts/megatron/megatron.h"

#include <algorithm>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/megatron/megatron_parts.h"
#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"
#include "agent/formats/megatron_names.h"
#include "agent/formats/structure/json_file.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kFormatFile = "metadata.json", kCommonState = "common.pt";
constexpr std::string_view kShardsMetadata = ".metadata", kTorchDist = "torch_dist", kBackend = "sharded_backend";

bool is_part(const auto& entry) {
  return entry.first.starts_with(kMegatronPart) && entry.second.kind == FileInfo::Kind::Directory;
}

// Scripts call a file of their own so.
runtime::Result<bool> names_no_format(const CheckpointContents& contents) {
  if (contents.file(kFormatFile) == nullptr) return false;
  const auto config = read_json(contents.checked(kFormatFile));
  if (!config) return std::unexpected(config.error());
  return !config->flaw && !config->object.contains(kBackend);
}

// Such names Megatron alone gives to what lies in its shards: "rng_state/shard_0.0_1.1".
runtime::Result<bool> is_torch_dist(const CheckpointContents& contents) {
  constexpr std::string_view kObject = "/shard_";
  constexpr std::uint64_t kMost = std::uint64_t{16} << 20U;
  if (contents.entries.contains(kCommonState)) return true;
  const auto own = names_no_format(contents);
  if (!own) return std::unexpected(own.error());
  if (contents.entries.contains(kFormatFile) && !*own) return true;
  const FileInfo* metadata = contents.file(kShardsMetadata);
  if (metadata == nullptr) return true;  // nor is it complete as one of the others
  const auto text = contents.checked(kShardsMetadata).bytes(0, std::min(metadata->size, kMost));
  if (!text) return std::unexpected(text.error());
  return text->find(kObject) != std::string::npos;
}

// The files that have sums have to be there; whether they are right takes reading everything.
Flawed check_listed(const CheckpointContents& contents) {
  if (!contents.entries.contains(kIntegrityFile)) return std::nullopt;
  const auto sums = read_json(contents.checked(kIntegrityFile));
  if (!sums) return std::unexpected(sums.error());
  if (sums->flaw) return sums->flaw;
  const auto* files = sums->object.if_contains("files");
  if (files == nullptr || !files->is_object()) return corrupt(std::string(kIntegrityFile) + ": has no files");
  if (files->get_object().empty()) return incomplete(std::string(kIntegrityFile) + ": names no file");
  for (const auto& [name, sum] : files->get_object())
    if (auto flaw = missing(contents, std::string_view(name))) return flaw;
  return std::nullopt;
}

// The file that is written last says in which format the rest is.
Flawed check_config(const CheckpointContents& contents) {
  if (auto flaw = missing(contents, kFormatFile)) return flaw;
  const auto config = read_json(contents.checked(kFormatFile));
  if (!config) return std::unexpected(config.error());
  if (config->flaw) return config->flaw;
  const auto backend = text_of(config->object, kBackend);
  if (backend != kTorchDist)
    return corrupt(std::string(kFormatFile) + ": sharded_backend is " + backend.value_or("not there") + ", must be " +
                   std::string(kTorchDist));
  if (config->object.contains("common_backend")) {
    if (auto flaw = missing(contents, kCommonState)) return flaw;
  }
  if (auto flaw = check_listed(contents); !flaw || *flaw) return flaw;
  return check_all(contents);
}

runtime::Result<Judgement> judge_torch_dist(const CheckpointContents& contents) {
  const auto flaw = check_config(contents);
  if (!flaw) return std::unexpected(flaw.error());
  if (*flaw) return Judgement{.flaw = *flaw};
  auto judged = PyTorchDcpLayout().judge(contents);
  if (!judged || judged->flaw) return judged;
  return Judgement{
      .flaw = std::nullopt, .completed = contents.file(kFormatFile)->modified, .mark = std::string(kFormatFile)};
}

runtime::Result<Judgement> judge_shards(const CheckpointContents& contents) {
  const auto torch_dist = is_torch_dist(contents);
  if (!torch_dist) return std::unexpected(torch_dist.error());
  return *torch_dist ? judge_torch_dist(contents) : PyTorchDcpLayout().judge(contents);
}

}  // namespace

std::optional<std::int64_t> MegatronLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory || !contents.name.starts_with(kIterationPrefix))
    return std::nullopt;
  const std::string_view digits = std::string_view(contents.name).substr(kIterationPrefix.size());
  if (digits.size() < kIterationDigits || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  const bool megatron = std::ranges::any_of(contents.entries, [](const auto& entry) {
    return is_part(entry) || entry.first == kFormatFile || entry.first == kCommonState;
  });
  return megatron || PyTorchDcpLayout().recognise(contents) ? step_of(contents.name) : std::nullopt;
}

runtime::Result<Judgement> MegatronLayout::judge(const CheckpointContents& contents) const {
  if (std::ranges::any_of(contents.entries, [](const auto& entry) { return is_part(entry); })) {
    auto judged = judge_megatron_parts(contents);
    // Files of one of its formats may be left from a save before the other one's.
    if (!judged || judged->flaw || !holds_dcp_shards(contents)) return judged;
    auto shards = judge_shards(contents);
    return !shards || shards->flaw ? shards : judged;
  }
  return judge_shards(contents);
}

}  // namespace reprise::agent
