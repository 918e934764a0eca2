#include "runtime/kube/internal/protobuf_parts.h"

namespace reprise::kube::internal {

using protobuf::Message;

PodCondition read_condition(const Message& list) {
  PodCondition condition;
  for (Message field = list.message(); field.next();) {
    if (field.field() == 1) field.text(condition.type);
    if (field.field() == 2) field.text(condition.status);
    if (field.field() == 5) field.text(condition.reason);
    if (field.field() == 6) field.text(condition.message);
  }
  return condition;
}

Taint read_taint(const Message& list) {
  Taint taint;
  for (Message field = list.message(); field.next();) {
    if (field.field() == 1) field.text(taint.key);
    if (field.field() == 2) field.text(taint.value);
    if (field.field() == 3) field.text(taint.effect);
  }
  return taint;
}

}  // namespace reprise::kube::internal
