// The values in a small text file: JSON, lines of a key and a value, or lines of names. A trainer names its newest
// checkpoint in a file of its own like that. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::agent {

struct SaidValue {
  std::string text;                // without quotes
  std::string key;                 // the key under which it stands; empty: under none
  std::size_t begin = 0, end = 0;  // place of the text in the file
  bool is_number = false;          // the text has only digits
  // An element of a list: which one, and which bytes have to go for it to go, while an element in front of it stays and
  // else.
  std::size_t list = 0;  // 0: of none
  struct Cut {
    std::size_t begin = 0, end = 0;
  };
  Cut cut{}, cut_as_first{};
};

// The values in their order. Empty: it is no such text, but JSON that was cut off, bytes, or more than anybody writes
// to name a checkpoint. A text with escapes in it is left out.
[[nodiscard]] std::optional<std::vector<SaidValue>> said_values(std::string_view text);

}  // namespace reprise::agent
