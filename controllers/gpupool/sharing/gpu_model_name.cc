#include "controllers/gpupool/sharing/gpu_model_name.h"

#include <string>

namespace reprise::controllers::gpupool {

bool names_model(std::string_view name, std::string_view model) {
  std::string lower(name);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  for (std::size_t at = lower.find(model); at != std::string::npos; at = lower.find(model, at + 1)) {
    const std::size_t end = at + model.size();
    const auto separates = [](char letter) { return letter == '-' || letter == '_' || letter == ' '; };
    if ((at == 0 || separates(lower[at - 1])) && (end == lower.size() || separates(lower[end]))) return true;
  }
  return false;
}

}  // namespace reprise::controllers::gpupool
