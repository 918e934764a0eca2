#include "controllers/gpupool/providers/machine_types.h"

#include <algorithm>
#include <array>

namespace reprise::controllers::gpupool {
namespace {

// Out of "Instance Types" of the documentation of Karpenter's provider for AWS, which makes that page of EC2's answers:
// that of 1.14.1 (August 2026), and that of 1.0 for the g3, p2 and p3 that the former lacks.
constexpr std::array kMachines{
    MachineType{"g3.4xlarge", "m60", 1, 8192, 16, 124928, "intel"},
    MachineType{"g3.8xlarge", "m60", 2, 8192, 32, 249856, "intel"},
    MachineType{"g3.16xlarge", "m60", 4, 8192, 64, 499712, "intel"},
    MachineType{"g3s.xlarge", "m60", 1, 8192, 4, 31232, "intel"},
    MachineType{"g4dn.xlarge", "t4", 1, 16384, 4, 16384, "intel"},
    MachineType{"g4dn.2xlarge", "t4", 1, 16384, 8, 32768, "intel"},
    MachineType{"g4dn.4xlarge", "t4", 1, 16384, 16, 65536, "intel"},
    MachineType{"g4dn.8xlarge", "t4", 1, 16384, 32, 131072, "intel"},
    MachineType{"g4dn.12xlarge", "t4", 4, 16384, 48, 196608, "intel"},
    MachineType{"g4dn.16xlarge", "t4", 1, 16384, 64, 262144, "intel"},
    MachineType{"g4dn.metal", "t4", 8, 16384, 96, 393216, "intel"},
    MachineType{"g5.xlarge", "a10g", 1, 22888, 4, 16384, "amd"},
    MachineType{"g5.2xlarge", "a10g", 1, 22888, 8, 32768, "amd"},
    MachineType{"g5.4xlarge", "a10g", 1, 22888, 16, 65536, "amd"},
    MachineType{"g5.8xlarge", "a10g", 1, 22888, 32, 131072, "amd"},
    MachineType{"g5.12xlarge", "a10g", 4, 22888, 48, 196608, "amd"},
    MachineType{"g5.16xlarge", "a10g", 1, 22888, 64, 262144, "amd"},
    MachineType{"g5.24xlarge", "a10g", 4, 22888, 96, 393216, "amd"},
    MachineType{"g5.48xlarge", "a10g", 8, 22888, 192, 786432, "amd"},
    MachineType{"g5g.xlarge", "t4g", 1, 16384, 4, 8192, "aws"},
    MachineType{"g5g.2xlarge", "t4g", 1, 16384, 8, 16384, "aws"},
    MachineType{"g5g.4xlarge", "t4g", 1, 16384, 16, 32768, "aws"},
    MachineType{"g5g.8xlarge", "t4g", 1, 16384, 32, 65536, "aws"},
    MachineType{"g5g.16xlarge", "t4g", 2, 16384, 64, 131072, "aws"},
    MachineType{"g5g.metal", "t4g", 2, 16384, 64, 131072, "aws"},
    MachineType{"g6.xlarge", "l4", 1, 22888, 4, 16384, "amd"},
    MachineType{"g6.2xlarge", "l4", 1, 22888, 8, 32768, "amd"},
    MachineType{"g6.4xlarge", "l4", 1, 22888, 16, 65536, "amd"},
    MachineType{"g6.8xlarge", "l4", 1, 22888, 32, 131072, "amd"},
    MachineType{"g6.12xlarge", "l4", 4, 22888, 48, 196608, "amd"},
    MachineType{"g6.16xlarge", "l4", 1, 22888, 64, 262144, "amd"},
    MachineType{"g6.24xlarge", "l4", 4, 22888, 96, 393216, "amd"},
    MachineType{"g6.48xlarge", "l4", 8, 22888, 192, 786432, "amd"},
    MachineType{"g6e.xlarge", "l40s", 1, 45776, 4, 32768, "amd"},
    MachineType{"g6e.2xlarge", "l40s", 1, 45776, 8, 65536, "amd"},
    MachineType{"g6e.4xlarge", "l40s", 1, 45776, 16, 131072, "amd"},
    MachineType{"g6e.8xlarge", "l40s", 1, 45776, 32, 262144, "amd"},
    MachineType{"g6e.12xlarge", "l40s", 4, 45776, 48, 393216, "amd"},
    MachineType{"g6e.16xlarge", "l40s", 1, 45776, 64, 524288, "amd"},
    MachineType{"g6e.24xlarge", "l40s", 4, 45776, 96, 786432, "amd"},
    MachineType{"g6e.48xlarge", "l40s", 8, 45776, 192, 1572864, "amd"},
    MachineType{"g6f.large", "l4", 0, 2861, 2, 8192, "amd"},
    MachineType{"g6f.xlarge", "l4", 0, 2861, 4, 16384, "amd"},
    MachineType{"g6f.2xlarge", "l4", 0, 5722, 8, 32768, "amd"},
    MachineType{"g6f.4xlarge", "l4", 0, 11444, 16, 65536, "amd"},
    MachineType{"g7.2xlarge", "rtx-pro-4500", 1, 32768, 8, 32768, "intel"},
    MachineType{"g7.4xlarge", "rtx-pro-4500", 1, 32768, 16, 65536, "intel"},
    MachineType{"g7.8xlarge", "rtx-pro-4500", 1, 32768, 32, 131072, "intel"},
    MachineType{"g7.12xlarge", "rtx-pro-4500", 2, 32768, 48, 196608, "intel"},
    MachineType{"g7.24xlarge", "rtx-pro-4500", 4, 32768, 96, 393216, "intel"},
    MachineType{"g7.48xlarge", "rtx-pro-4500", 8, 32768, 192, 786432, "intel"},
    MachineType{"g7e.2xlarge", "rtx-pro-server-6000", 1, 98304, 8, 65536, "intel"},
    MachineType{"g7e.4xlarge", "rtx-pro-server-6000", 1, 98304, 16, 131072, "intel"},
    MachineType{"g7e.8xlarge", "rtx-pro-server-6000", 1, 98304, 32, 262144, "intel"},
    MachineType{"g7e.12xlarge", "rtx-pro-server-6000", 2, 98304, 48, 524288, "intel"},
    MachineType{"g7e.24xlarge", "rtx-pro-server-6000", 4, 98304, 96, 1048576, "intel"},
    MachineType{"g7e.48xlarge", "rtx-pro-server-6000", 8, 98304, 192, 2097152, "intel"},
    MachineType{"gr6.4xlarge", "l4", 1, 22888, 16, 131072, "amd"},
    MachineType{"gr6.8xlarge", "l4", 1, 22888, 32, 262144, "amd"},
    MachineType{"gr6f.4xlarge", "l4", 0, 11444, 16, 131072, "amd"},
    MachineType{"p2.xlarge", "k80", 1, 12288, 4, 62464, "intel"},
    MachineType{"p2.8xlarge", "k80", 8, 12288, 32, 499712, "intel"},
    MachineType{"p2.16xlarge", "k80", 16, 12288, 64, 749568, "intel"},
    MachineType{"p3.2xlarge", "v100", 1, 16384, 8, 62464, "intel"},
    MachineType{"p3.8xlarge", "v100", 4, 16384, 32, 249856, "intel"},
    MachineType{"p3.16xlarge", "v100", 8, 16384, 64, 499712, "intel"},
    MachineType{"p3dn.24xlarge", "v100", 8, 32768, 96, 786432, "intel"},
    MachineType{"p4d.24xlarge", "a100", 8, 40960, 96, 1179648, "intel"},
    MachineType{"p4de.24xlarge", "a100", 8, 81920, 96, 1179648, "intel"},
    MachineType{"p5.4xlarge", "h100", 1, 81920, 16, 262144, "amd"},
    MachineType{"p5.48xlarge", "h100", 8, 81920, 192, 2097152, "amd"},
    MachineType{"p5e.48xlarge", "h200", 8, 144384, 192, 2097152, "amd"},
    MachineType{"p5en.48xlarge", "h200", 8, 144384, 192, 2097152, "intel"},
    MachineType{"p6-b200.48xlarge", "b200", 8, 183359, 192, 2097152, "intel"},
    MachineType{"p6-b300.48xlarge", "b300", 8, 275040, 192, 4194304, "intel"},
};

constexpr std::string_view kAws = "karpenter.k8s.aws/instance-";

bool names(std::string_view word, std::string_view model) {
  for (std::size_t at = word.find(model); at != std::string_view::npos; at = word.find(model, at + 1)) {
    const std::size_t end = at + model.size();
    if ((at == 0 || word[at - 1] == '-') && (end == word.size() || word[end] == '-')) return true;
  }
  return false;
}

std::string in_kebab_case(std::string_view written) {
  std::string out(written);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == ' ' || letter == '_') letter = '-';
  }
  return out;
}

std::string generation_of(std::string_view family) {
  const auto first = family.find_first_of("0123456789");
  const auto end = family.find_first_not_of("0123456789", first);
  return std::string(family.substr(first, end == std::string_view::npos ? end : end - first));
}

// "p6-b200" is the family of p6-b200.48xlarge, "p" its category.
std::string category_of(std::string_view family) {
  return std::string(family.substr(0, family.find_first_of("0123456789")));
}

// Earlier versions of this program call this model so.
constexpr std::string_view kServer6000 = "rtx-pro-server-6000", kShort6000 = "rtx-pro-6000";

std::vector<std::string> model_labels(const MachineType& type) {
  if (type.gpu_model == kServer6000) return {std::string(kServer6000), std::string(kShort6000)};
  return {std::string(type.gpu_model)};
}

}  // namespace

std::span<const MachineType> machine_types() {
  return kMachines;
}

const MachineType* find_machine_type(std::string_view name) {
  const auto found = std::ranges::find(kMachines, name, &MachineType::name);
  return found == kMachines.end() ? nullptr : &*found;
}

std::optional<std::int32_t> gpus_of_type(std::string_view name) {
  const MachineType* known = find_machine_type(name);
  return known == nullptr || known->gpus == 0 ? std::nullopt : std::optional(known->gpus);
}

std::int32_t counted_gpus(const MachineType& type) {
  return std::max(type.gpus, 1);
}

std::string_view family_of(std::string_view type) {
  return type.substr(0, type.find('.'));
}

std::optional<std::vector<std::string>> label_of(const MachineType& type, std::string_view key) {
  using Values = std::vector<std::string>;
  if (key == "node.kubernetes.io/instance-type" || key == "beta.kubernetes.io/instance-type")
    return Values{std::string(type.name)};
  if (key == "kubernetes.io/arch" || key == "beta.kubernetes.io/arch")
    return Values{type.cpu_maker == "aws" ? "arm64" : "amd64"};  // Graviton
  if (!key.starts_with(kAws)) return std::nullopt;
  const std::string_view rest = key.substr(kAws.size());
  const std::string_view family = family_of(type.name);
  if (rest == "gpu-name") return model_labels(type);
  if (rest == "gpu-manufacturer") return Values{"nvidia"};
  // EC2 reports no GPU where a machine has parts of one; a provider that counts the part as one would say so.
  if (rest == "gpu-count") return type.gpus == 0 ? Values{"0", "1"} : Values{std::to_string(type.gpus)};
  if (rest == "gpu-memory") return Values{std::to_string(type.gpu_memory_mib)};
  if (rest == "cpu") return Values{std::to_string(type.cpus)};
  if (rest == "cpu-manufacturer") return Values{std::string(type.cpu_maker)};
  if (rest == "memory") return Values{std::to_string(type.memory_mib)};
  if (rest == "family") return Values{std::string(family)};
  if (rest == "category") return Values{category_of(family)};
  if (rest == "generation") return Values{generation_of(family)};
  if (rest == "size") return Values{std::string(type.name.substr(family.size() + 1))};
  return std::nullopt;
}

bool is_known_model(std::string_view name) {
  return std::ranges::any_of(kMachines, [&](const MachineType& type) {
    const std::vector<std::string> labels = model_labels(type);
    return std::ranges::find(labels, name) != labels.end();
  });
}

std::string_view meant_model(std::string_view written) {
  if (is_known_model(written)) return {};
  const std::string word = in_kebab_case(written);
  std::string_view longest;
  for (const MachineType& type : kMachines)
    if (type.gpu_model.size() > longest.size() && names(word, type.gpu_model)) longest = type.gpu_model;
  return longest;
}

std::string_view model_with_a_letter_more(std::string_view written) {
  if (is_known_model(written)) return {};
  const std::string word = in_kebab_case(written);
  const auto found = std::ranges::find_if(kMachines, [&](const MachineType& type) {
    const std::string_view model = type.gpu_model;
    return model.size() == word.size() + 1 && model.starts_with(word) && model.back() >= 'a' && model.back() <= 'z';
  });
  return found == kMachines.end() ? std::string_view() : found->gpu_model;
}

std::string_view meant_type(std::string_view written) {
  if (find_machine_type(written) != nullptr) return {};
  const MachineType* meant = find_machine_type(in_kebab_case(written));
  return meant == nullptr ? std::string_view() : meant->name;
}

bool reports_no_gpu(std::string_view type) {
  const MachineType* known = find_machine_type(type);
  return type == "p5.4xlarge" || (known != nullptr && known->gpus == 0);
}

}  // namespace reprise::controllers::gpupool
