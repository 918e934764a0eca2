// A doubly linked list through the elements themselves: no allocation, everything in constant time. An element has
// members `previous` and `next` of its own pointer type, is in one list at most, and outlives its place in it.
#pragma once

namespace reprise::runtime::internal {

template <class T>
class IntrusiveList {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  // Null when empty.
  [[nodiscard]] T* front() const { return first_; }

  void push_back(T& element) {
    element.previous = last_;
    element.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &element;
    last_ = &element;
  }

  void remove(T& element) {
    (element.previous == nullptr ? first_ : element.previous->next) = element.next;
    (element.next == nullptr ? last_ : element.next->previous) = element.previous;
    element.previous = element.next = nullptr;
  }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
};

}  // namespace reprise::runtime::internal
