// A type describes its fields once, each with its name on the wire. Decoding, encoding, the estimate of its memory, the
// sharing of equal parts and the check against a CRD's schema all follow that description:
//
//   struct Letter {
//     ObjectMeta meta;
//     Text greeting;
//     std::int32_t copies = 1;
//     static void fields(auto& self, auto& field) {
//       field.unmapped(self.meta);
//       field("greeting", self.greeting);
//       field("copies", self.copies);
//     }
//   };
//
// A description may hold:
//   field(name, member)             a field; see runtime/kube/internal/archive.h for what counts as absent
//   field.always(name, text)        written even when it is empty
//   field.unless_zero(name, member) a number or time that is written only when it is not zero
//   field.quantities(name, map)     numbers count as text
//   field.verbatim(name, text)      an object that is passed through as the text it is
//   field.peek(name, below, member) read out of a verbatim field, never written
//   field.nest(name, describe)      members below `name` that have no struct of their own
//   field.as<Shape>(name, list)     a list whose items travel in another shape
//   field.unmapped(members...)      filled by other code
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

namespace reprise::kube {

namespace detail {

// Calls `visit(member)` for each member of a description.
template <class Visit>
class Members {
 public:
  explicit Members(Visit& visit) : visit_(visit) {}
  void operator()(std::string_view, auto& member) { visit_(member); }
  void always(std::string_view, auto& member) { visit_(member); }
  void unless_zero(std::string_view, auto& member) { visit_(member); }
  void quantities(std::string_view, auto& member) { visit_(member); }
  void verbatim(std::string_view, auto& member) { visit_(member); }
  void peek(std::string_view, std::string_view, auto& member) { visit_(member); }
  void nest(std::string_view, auto describe) { describe(*this); }
  template <class Shape>
  void as(std::string_view, auto& member) {
    visit_(member);
  }
  void unmapped(auto&... members) { (visit_(members), ...); }

 private:
  Visit& visit_;
};

struct Anything {};

}  // namespace detail

template <class T>
concept Described = requires(T& value, detail::Anything& field) {
  T::fields(value, field);
};

// Visits the members in the order of the description. `value` may be const.
template <class T, class Visit>
void for_each_member(T& value, Visit&& visit) {
  detail::Members<Visit> members(visit);
  std::remove_const_t<T>::fields(value, members);
}

}  // namespace reprise::kube
