#include "agent/formats/names/unjudged_name.h"

#include <cstddef>

namespace reprise::agent {
namespace {

constexpr std::string_view kDecimals = "0123456789";

bool is_a_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDecimals) == std::string_view::npos;
}

// The text that follows `begin` up to `end`; empty: the text does not begin or end so, or nothing stands between.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  if (text.size() <= begin.size() + end.size() || !text.starts_with(begin) || !text.ends_with(end)) return {};
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

// "ep1-ba500-rank0.pt", "latest-rank0.pt"
bool is_composers(std::string_view file) {
  constexpr std::string_view kRank = "-rank";
  const std::string_view stem = between(file, "", ".pt");
  const std::size_t rank = stem.rfind(kRank);
  if (rank == std::string_view::npos || !is_a_number(stem.substr(rank + kRank.size()))) return false;
  const std::string_view of = stem.substr(0, rank);
  if (of == "latest") return true;
  const std::size_t batch = of.find("-ba");
  return batch != std::string_view::npos && is_a_number(between(of.substr(0, batch), "ep", "")) &&
         is_a_number(of.substr(batch + 3));
}

// "20_net_G.pth", "latest_net_D_A.pth", "iter_5000_net_G.pth"
bool is_a_net_alone(std::string_view file) {
  constexpr std::string_view kNet = "_net_";
  const std::size_t net = file.find(kNet);
  if (net == std::string_view::npos || !file.ends_with(".pth")) return false;
  std::string_view of = file.substr(0, net);
  if (const std::string_view iteration = between(of, "iter_", ""); !iteration.empty()) of = iteration;
  return of == "latest" || is_a_number(of);
}

// "ckpt-500.index", "model.ckpt-500.index", and the files with the values.
bool is_tensorflows(std::string_view file) {
  const std::size_t data = file.find(".data-0");
  const std::string_view prefix = data != std::string_view::npos ? file.substr(0, data) : between(file, "", ".index");
  const std::size_t number = prefix.rfind('-');
  return number != std::string_view::npos && number > 0 && is_a_number(prefix.substr(number + 1));
}

}  // namespace

bool is_named_by_detectron(std::string_view file) {
  constexpr std::size_t kDigits = 7;
  const std::string_view number = between(file, "model_", ".pth");
  return number.size() == kDigits && is_a_number(number);
}

bool is_named_by_flax(std::string_view file) {
  return is_a_number(between(file, "checkpoint_", ""));
}

std::string_view why_unjudged(std::string_view file) {
  if (file.ends_with(".keras"))
    return "Keras', a model without a step: nothing tells whether it is the newest; save it in a directory with the "
           "step in its name and write _COMPLETE into that last";
  if (file.ends_with(".weights.h5"))
    return "Keras' weights, without the state of the training: save the model in a directory with the step in its "
           "name and write _COMPLETE into that last; BackupAndRestore finds its own by itself";
  if (is_tensorflows(file))
    return "TensorFlow's, a save in several files under one prefix: write it into a directory with the step in its "
           "name and _COMPLETE into that last; tf.train.CheckpointManager finds its own by itself";
  if (!file.ends_with(".pt") && !file.ends_with(".pth") && !is_named_by_flax(file)) return {};
  if (is_composers(file))
    return "Composer's, a file of each rank: nothing tells how many ranks there are; have save_folder end with the "
           "step and write _COMPLETE into it last";
  if (is_a_net_alone(file))
    return "a network alone, as of pix2pix, without its optimizer: save all of them and the optimizers in a directory "
           "with the step in its name and write _COMPLETE into that last";
  if (is_named_by_detectron(file))
    return "named as Detectron2's, and without its last_checkpoint beside it or an optimizer in it";
  if (is_named_by_flax(file)) return "named as Flax', and no whole state with an optimizer's in it";
  return {};
}

}  // namespace reprise::agent
