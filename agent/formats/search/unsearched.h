// The places that a search for checkpoints has not looked into, because a look is bounded or may not enter them. Pure.
#pragma once

#include <cstddef>
#include <string>

namespace reprise::agent {

struct SearchLimits;

struct Unsearched {
  struct Some {
    std::size_t count = 0;
    std::string first;
    void add(const std::string& path, std::size_t more = 1);
  };
  Some beyond;   // directories that were one too many
  Some crowded;  // with too many entries
  Some deep;     // too many levels down
  Some closed;   // directories that this user may not list
  Some lost;     // directories for which the storage gives an error
};

// Text for people: which, how many, and what the bound is. Empty: everything was looked into.
[[nodiscard]] std::string text(const Unsearched& left, const SearchLimits& limits);

// The same of those alone for which the storage gives an error.
[[nodiscard]] std::string text_of_lost(const Unsearched& left);

}  // namespace reprise::agent
