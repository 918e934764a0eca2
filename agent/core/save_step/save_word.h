// A rank's word about the step at which all are to save, in .reprise/attempts/<n>/<index>.save: each rank writes its
// own file alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

struct SaveWord {
  // Told: it was asked for a save. Proposes, Agreed, GivesUp: of the rank that names the step. Accepts, Refuses: of the
  // others.
  enum class Kind { Told, Proposes, Agreed, GivesUp, Accepts, Refuses };
  Kind kind = Kind::Told;
  std::string question;      // of rank 0, that this is about (SaveAgreement); empty: none was seen yet
  std::int64_t step = 0;     // that its trainer has done
  std::int32_t round = 0;    // of the proposal; 0: there is none
  std::int64_t save_at = 0;  // what is proposed
  bool operator==(const SaveWord&) const = default;
};

[[nodiscard]] std::string encode_save_word(const SaveWord& word);
// Nothing: it is none.
[[nodiscard]] std::optional<SaveWord> decode_save_word(std::string_view text);

}  // namespace reprise::agent
