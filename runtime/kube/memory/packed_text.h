// Long text that many objects carry with small differences, as jobs of a sweep do with their pod templates. A pool
// keeps one such text whole and the differences of the others, compressed; reading one costs some ten microseconds.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kube/text.h"

namespace reprise::kube {

// Copies share their memory and may be used in different threads.
class PackedText {
 public:
  PackedText() = default;
  template <class Whole>
  requires std::convertible_to<const Whole&, std::string_view> PackedText(const Whole& whole)  // NOLINT
      : stored_(std::string_view(whole)) {}

  [[nodiscard]] bool empty() const { return stored_.empty(); }
  [[nodiscard]] std::string text() const;
  operator std::string() const { return text(); }  // NOLINT

  friend bool operator==(const PackedText& left, const PackedText& right) {
    return (left.base_ == right.base_ && left.stored_ == right.stored_) || left.text() == right.text();
  }
  static void fields(auto& self, auto& field) { field.unmapped(self.base_, self.stored_); }

 private:
  friend class Packer;
  Text base_;  // empty: stored_ is the text
  Text stored_;
};

// Packs one text after the other against those that came before. For pools; one thread.
class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Packs `text`, which reads the same as before.
  void pack(PackedText& text);

 private:
  struct Context;
  std::unique_ptr<Context> context_;  // none before it is needed
  std::vector<Text> bases_;           // texts that are kept whole, the one that served last in front
};

}  // namespace reprise::kube
