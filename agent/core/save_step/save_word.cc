#include "agent/core/save_step/save_word.h"

#include <array>
#include <utility>

#include "agent/core/save_step/notice_reader.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using Kind = SaveWord::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 6> kKinds{{{"Told", Kind::Told},
                                                                   {"Proposes", Kind::Proposes},
                                                                   {"Agreed", Kind::Agreed},
                                                                   {"GivesUp", Kind::GivesUp},
                                                                   {"Accepts", Kind::Accepts},
                                                                   {"Refuses", Kind::Refuses}}};

}  // namespace

std::string encode_save_word(const SaveWord& word) {
  std::string_view name;
  for (const auto& [text, kind] : kKinds)
    if (kind == word.kind) name = text;
  return to_text({{"word", name},
                  {"question", word.question},
                  {"step", word.step},
                  {"round", word.round},
                  {"saveAt", word.save_at}});
}

std::optional<SaveWord> decode_save_word(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto name = text_of(*object, "word");
  const auto question = text_of(*object, "question");
  const auto step = number_of(*object, "step");
  const auto round = number_of(*object, "round");
  const auto save_at = number_of(*object, "saveAt");
  if (!name || !question || !step || !round || !save_at) return std::nullopt;
  if (*step < 0 || *step > kMostSteps || *save_at < 0 || *save_at > 2 * kMostSteps) return std::nullopt;
  for (const auto& [known, kind] : kKinds) {
    if (known != *name) continue;
    return SaveWord{.kind = kind,
                    .question = *question,
                    .step = *step,
                    .round = static_cast<std::int32_t>(*round),
                    .save_at = *save_at};
  }
  return std::nullopt;
}

}  // namespace reprise::agent
