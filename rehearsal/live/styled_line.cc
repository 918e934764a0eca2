#include "rehearsal/live/styled_line.h"

#include "rehearsal/report/columns.h"

namespace reprise::rehearsal {
namespace {

std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::Plain:
      return "";
    case Ink::Strong:
      return "\033[1m";
    case Ink::Faint:
      return "\033[2m";
    case Ink::Good:
      return "\033[32m";
    case Ink::Bad:
      return "\033[31m";
    case Ink::Busy:
      return "\033[36m";
    case Ink::Warning:
      return "\033[33m";
  }
  return "";
}

}  // namespace

StyledLine& StyledLine::add(std::string_view text, Ink ink) {
  const std::string fits = clipped(text, columns_ - width_);
  if (fits.empty()) return *this;
  width_ += width_of(fits);
  const std::string_view code = colours_ ? code_of(ink) : "";
  text_.append(code).append(fits);
  if (!code.empty()) text_ += "\033[0m";
  return *this;
}

StyledLine& StyledLine::to(std::size_t column) {
  const std::size_t spaces = column > width_ ? column - width_ : width_ > 0 ? 1 : 0;
  return width_ + spaces > columns_ ? *this : add(std::string(spaces, ' '));
}

}  // namespace reprise::rehearsal
